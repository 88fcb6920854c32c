"""The pages about previews, replay and recording: their options are those of the commands."""

import functools
import re
import shlex

import pytest

from app.cli.bound import COLLECT_COMMANDS
from tests.docs.documents import ROOT, consoles, printed

PAGES = ["docs/apps/preview.md", "docs/clusters/record.md", "docs/clusters/upgrade.md"]


def test_the_page_about_upgrades_collects_what_the_command_says() -> None:
    (collect,) = [block for block in consoles("docs/clusters/upgrade.md") if "--from-cluster" in block.command]

    assert collect.output == f"{COLLECT_COMMANDS}\n"


@functools.cache
def help_of(command: str) -> str:
    return printed(f".venv/bin/myresource {command} --help")


@pytest.mark.parametrize("page", PAGES)
def test_options_that_the_page_names_are_the_commands(page: str) -> None:
    text = (ROOT / page).read_text()
    for name, options in re.findall(r"myresource (serve|record|replay|diff)((?: --?[a-z-]+(?: [^-\s`|]+)*)+)", text):
        for option in (word for word in shlex.split(options) if word.startswith("--")):
            assert option in help_of(name)
