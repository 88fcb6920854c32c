"""The pages about diff, replay and recording: their commands print what the pages say, and work."""

import functools
import re
import shlex

import pytest

from app.cli.files.live_objects import COLLECT_COMMANDS
from tests.documents import ROOT, Console, consoles, printed

PAGES = ["docs/diff.md", "docs/record.md", "docs/replay.md", "docs/upgrade.md"]
BLOCKS = [block for page in PAGES for block in consoles(page)]


def right(block: Console) -> bool:
    return printed(block.command) == block.output


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_a_command_of_the_page_prints_what_the_page_says(block: Console) -> None:
    assert printed(block.command) == block.output


@pytest.mark.parametrize("page", PAGES)
def test_every_page_shows_commands(page: str) -> None:
    assert consoles(page)


def test_another_output_would_be_caught() -> None:
    block = BLOCKS[0]
    changed = Console(block.page, block.command, block.output.replace("nginx:1.28", "nginx:1.29"))

    assert right(block)
    assert changed != block
    assert not right(changed)


def test_the_page_about_upgrades_collects_what_the_command_says() -> None:
    (collect,) = [block for block in consoles("docs/upgrade.md") if "--from-cluster" in block.command]

    assert collect.output == f"{COLLECT_COMMANDS}\n"


@pytest.mark.parametrize("page", PAGES)
def test_links_and_anchors_of_the_page_exist(page: str) -> None:
    for link in re.findall(r"\]\(([^)]+)\)", (ROOT / page).read_text()):
        name, _, anchor = link.partition("#")
        target = (ROOT / page).parent / name
        headings = re.findall(r"^#+ (.*)$", target.read_text(), re.MULTILINE)

        assert not anchor or anchor in {re.sub(r"[^a-z0-9 -]", "", head.lower()).replace(" ", "-") for head in headings}


@functools.cache
def help_of(command: str) -> str:
    return printed(f".venv/bin/myresource {command} --help")


@pytest.mark.parametrize("page", PAGES)
def test_options_that_the_page_names_are_the_commands(page: str) -> None:
    text = (ROOT / page).read_text()
    for name, options in re.findall(r"myresource (serve|record|replay|diff)((?: --?[a-z-]+(?: [^-\s`|]+)*)+)", text):
        for option in (word for word in shlex.split(options) if word.startswith("--")):
            assert option in help_of(name)
