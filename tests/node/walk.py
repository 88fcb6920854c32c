"""The way of a new user: the commands of the pages in their order, as they run on the node."""

import re

from tests.docs.commands import section_commands

INSTALL = ("docs/install.md", ("Build the image", "Install with Helm"))
FIRST = (
    "docs/first-myresource.md",
    ("Apply it and wait", "Change it", "Create a Service for it", "Make it fail", "Delete it"),
)
PROMETHEUS = ("docs/monitor.md", ("Without the Prometheus operator",))
METRICS = ("docs/monitor.md", ("See the metrics",))
FIRE = ("docs/monitor.md", ("See an alert fire",))
REMOVE = ("docs/monitor.md", ("Remove it again",))

LEFT_OUT = {
    "docker build -t myresource-operator:": "it is for kind",
    "kind load ": "it is for kind",
}
"""Reasons for not running a command, by its first words."""

CHANGED = {
    r"docker build -t (registry\S+) \.": r"make image IMAGE=\1",
    r"docker push (\S+)": r"buildah push --quiet \1",
    r"(kubectl (?:.* --watch|(?:.* )?port-forward .*))": r"timeout 5 \1 || [ $? = 124 ]",
}
"""What Docker does is done by buildah, and what a reader interrupts ends by itself."""


def steps(page: str, sections: tuple[str, ...]) -> list[str]:
    """Return the commands of *sections* of *page*."""
    found = [command for section in sections for command in section_commands(page, section)]
    return [_changed(command) for command in found if not command.startswith(tuple(LEFT_OUT))]


def _changed(command: str) -> str:
    for pattern, replacement in CHANGED.items():
        command = re.sub(f"^{pattern}$", replacement, command)
    return command
