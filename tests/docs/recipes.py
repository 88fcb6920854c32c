"""The recipes: pages, or sections, that lead from nothing to a goal, by files to save and commands to run in order."""

import re
from collections.abc import Iterator
from typing import NamedTuple

import yaml

from metahook.simulator.objects import Json
from tests.docs.documents import ROOT

(_SECTION,) = re.findall(r"^  - Recipes:\n((?:    - .*\n)+)", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
RECIPES: list[str] = [*_SECTION.replace("    - ", "").split(), "docs/apps/expose.md#A route of your own"]
"""The pages, and the section of a page after ``#``."""


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


def text(recipe: str) -> str:
    """Return the text of *recipe*."""
    page, _, section = recipe.partition("#")
    whole = (ROOT / page).read_text()
    return whole.partition(f"\n## {section}\n")[2].partition("\n## ")[0] if section else whole


def steps(recipe: str) -> Iterator[File | Command]:
    """Yield what the reader of *recipe* does, in its order."""
    for step in _STEP.finditer(text(recipe)):
        if step["name"]:
            yield File(step["name"], step["text"])
        elif step["shown"]:
            yield Command(step["shown"].strip(), step["output"])
        else:
            yield Command(step["line"])


def objects(recipe: str) -> list[Json]:
    """Return the objects in the files of *recipe*."""
    return [item for step in steps(recipe) if isinstance(step, File) for item in yaml.safe_load_all(step.text)]
