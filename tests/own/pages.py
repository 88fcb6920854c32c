"""The commands of the pages for a cluster, as they stand, except those that do not end."""

import re

from tests.docs.commands import section_commands

INSTALL = ("docs/clusters/install.md", ("Install with Helm",))
FIRST = (
    "docs/start/first-myresource.md",
    ("What you need", "Apply it and wait", "Read its status", "Change it", "Make it fail", "Delete it"),
)
PROMETHEUS = ("docs/clusters/monitor.md", ("Without the Prometheus operator",))
METRICS = ("docs/clusters/monitor.md", ("See the metrics",))
FIRE = ("docs/clusters/monitor.md", ("See an alert fire",))
REMOVE = ("docs/clusters/monitor.md", ("Remove it again",))

_ENDLESS = r"^(kubectl (?:.* --watch|(?:.* )?port-forward .*))$"
"""A command that a reader interrupts."""


def steps(page: str, sections: tuple[str, ...]) -> list[str]:
    """Return the commands of *sections* of *page*, in their order."""
    found = [command for section in sections for command in section_commands(page, section)]
    return [re.sub(_ENDLESS, r"timeout 5 \1 || [ $? = 124 ]", command) for command in found]
