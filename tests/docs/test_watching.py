"""docs/concepts/watching.md: its commands print what it says; its table is what is measured."""

import pytest

from tests.docs.documents import Console, consoles, printed
from tests.e2e.events import EVENTS
from website.costs import COSTS, PERIOD, RESTART

PAGE = "docs/concepts/watching.md"


@pytest.mark.parametrize("shown", consoles(PAGE), ids=str)
def test_a_command_of_the_page_prints_what_the_page_says(shown: Console) -> None:
    assert printed(shown.command) == shown.output


def test_every_event_of_the_table_is_measured_on_the_real_control_plane() -> None:
    assert list(COSTS) == [*EVENTS, PERIOD, RESTART]
