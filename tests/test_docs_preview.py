"""The pages about diff, replay and recording: their commands print what the pages say."""

import pytest

from tests.documents import Console, consoles, printed

PAGES = ["docs/diff.md"]
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
