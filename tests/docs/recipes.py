"""The recipes: pages that lead from nothing to a goal, by files to save and commands to run in their order."""

import re
from collections.abc import Iterator
from typing import NamedTuple

import yaml

from metahook.simulator.objects import Json
from tests.docs.documents import ROOT

(_SECTION,) = re.findall(r"^  - Recipes:\n((?:    - .*\n)+)", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
RECIPES: list[str] = _SECTION.replace("    - ", "").split()


class File(NamedTuple):
    """A file that the reader saves."""

    name: str
    text: str


class Command(NamedTuple):
    """A command that the reader runs, and what it prints if the page shows that."""

    line: str
    output: str = ""


_STEP = re.compile(
    r"`(?P<name>[\w-]+\.yaml)`:\n\n```yaml\n(?P<text>(?s:.*?))^```$"
    r"|^```console\n\$ (?P<shown>.*\n)(?P<output>(?s:.*?))^```$"
    r"|^ {4,}(?P<line>\S(?:.*\\\n)*.*)$",
    re.MULTILINE,
)


def steps(page: str) -> Iterator[File | Command]:
    """Yield what the reader of *page* does, in its order."""
    text = (ROOT / page).read_text()
    for step in _STEP.finditer(text):
        if step["name"]:
            yield File(step["name"], step["text"])
        elif step["shown"]:
            yield Command(step["shown"].strip(), step["output"])
        else:
            yield Command(step["line"])


def objects(page: str) -> list[Json]:
    """Return the objects in the files of *page*."""
    return [item for step in steps(page) if isinstance(step, File) for item in yaml.safe_load_all(step.text)]
