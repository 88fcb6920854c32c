"""The commands of a page without output, which need a cluster, a registry or a network."""

import re
import shlex

from tests.docs.documents import ROOT

PAGES = [
    "docs/start/first-myresource.md",
    "docs/concepts/how-it-works.md",
    "docs/contributing/hook-on-your-laptop.md",
    "metahook/docs/port-your-reconciler.md",
    *(f"docs/apps/{name}.md" for name in ("config-reload", "dependencies", "rollback", "troubleshoot")),
    *(f"docs/clusters/{name}.md" for name in ("install", "monitor", "offline", "operate", "scale", "tls", "upgrade")),
    *(f"docs/reference/{name}.md" for name in ("alerts", "children", "status")),
]


def commands(page: str) -> list[str]:
    """Return the commands in indented lines, tables and sentences of *page*."""
    text = _prose(page)
    inline = re.findall(r"`((?:kubectl|helm) [^`<]+)`", text.partition("made by make generate")[0])
    return _indented(text) + [command for command in inline if " " in command and "..." not in command]


def section_commands(page: str, section: str) -> list[str]:
    """Return the commands in indented lines of a *section* of *page*, in their order."""
    (text,) = re.findall(rf"^## {re.escape(section)}\n(.*?)(?=^## |\Z)", _prose(page), re.DOTALL | re.MULTILINE)
    return _indented(text)


def _prose(page: str) -> str:
    """Return *page* without blocks, and with each command in one line."""
    text = re.sub(r"^```.*?^```$", "", (ROOT / page).read_text(), flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"\\\n\s*", "", text)  # a backslash at the end of a line joins it with the next one


def _indented(text: str) -> list[str]:
    return re.findall(r"^ {4,}(\S.*)$", text, re.MULTILINE)


def settings(command: str) -> list[str]:
    """Return the values of ``--set`` in *command*."""
    words = shlex.split(command.replace("$version", "1.0.0"))
    return [words[at + 1] for at, word in enumerate(words) if word == "--set"]
