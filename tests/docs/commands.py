"""The commands of a page without output, which need a cluster, a registry or a network."""

import re
import shlex

from tests.documents import ROOT

PAGES = [
    *("docs/install.md", "docs/first-myresource.md", "docs/troubleshoot.md", "docs/operate.md"),
    *("docs/pods.md", "docs/config-reload.md", "docs/dependencies.md", "docs/status.md"),
    *("docs/hook-on-your-laptop.md", "docs/monitor.md", "docs/alerts.md"),
]
CHART = "charts/myresource-operator"


def commands(page: str) -> list[str]:
    """Return the commands in indented lines, tables and sentences of *page*."""
    text = re.sub(r"^```.*?^```$", "", (ROOT / page).read_text(), flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"\\\n\s*", "", text)  # a backslash at the end of a line joins it with the next one
    inline = re.findall(r"`((?:kubectl|helm) [^`<]+)`", text.partition("made by make pages")[0])
    lines = re.findall(r"^ {4,}(\S.*)$", text, re.MULTILINE)
    return lines + [command for command in inline if " " in command and "..." not in command]


def settings(command: str) -> list[str]:
    """Return the values of ``--set`` in *command*."""
    words = shlex.split(command)
    return [words[at + 1] for at, word in enumerate(words) if word == "--set"]
