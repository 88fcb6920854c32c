"""``make kind`` runs the commands of docs/install.md for kind."""

import re

from tests.docs.commands import section_commands
from tests.docs.documents import ROOT

SCRIPT = (ROOT / "tests/own/kind.sh").read_text()
OTHERS = {
    "docker build -t registry.example.com/": "it is for clusters with a registry",
    "docker push ": "the same",
    "kubectl get statefulsets,": "Metacontroller is not installed in a new cluster",
}
"""Reasons for not running a command of the page, by its first words."""


def script_commands(script: str) -> list[str]:
    """Return the commands in lines of *script* that are those of a reader."""
    joined = re.sub(r"\\\n\s*", "", script)
    return re.findall(r"^((?:docker|kind load|helm|kubectl) .*)$", joined, re.MULTILINE)


SECTIONS = ("Build the image", "Install with Helm")
COMMANDS = [command for section in SECTIONS for command in section_commands("docs/install.md", section)]


def page_commands() -> list[str]:
    """Return the commands of the page for a kind cluster."""
    ours = [command for command in COMMANDS if not command.startswith(tuple(OTHERS))]
    return [re.sub(r" --set image\.repository=\S+", "", command) for command in ours]


def test_the_script_runs_the_commands_of_the_page_in_their_order() -> None:
    assert script_commands(SCRIPT) == page_commands()
    assert [words for words in OTHERS if not any(command.startswith(words) for command in COMMANDS)] == []
