"""The list of mistakes to plant: each can be planted, and has folders of tests that run."""

import pytest

from tests.support.mistakes import ROOT, Mistake, mistakes


def test_ids_are_unique() -> None:
    ids = [mistake.id for mistake in mistakes()]
    assert len(set(ids)) == len(ids)


def test_each_can_be_planted_and_has_tests() -> None:
    for mistake in mistakes():
        assert mistake.new != mistake.old in (ROOT / mistake.file()).read_text(encoding="utf-8"), mistake.id
        assert all((ROOT / test).exists() for test in mistake.tests), mistake.id


def test_a_text_that_is_gone_is_named() -> None:
    gone = Mistake("gone", "no such text", "", "", ["tests/core"])
    with pytest.raises(LookupError, match="gone: its text is 0 times in app and metahook/src; correct its row"):
        gone.file()
