import pytest

from app.core.observations import OBSERVATIONS, Observation
from app.core.reasons import REASONS
from tests.cli.calling import assert_one_line, call


@pytest.mark.parametrize("name", REASONS)
def test_every_reason_is_explained_with_its_cause_and_the_way_out(name: str) -> None:
    ended = call("explain", name)

    assert ended.code == 0
    assert ended.out.startswith(f"{name}: {REASONS[name].outlook.value}")
    assert REASONS[name].cause in ended.out
    assert REASONS[name].remedy in ended.out


@pytest.mark.parametrize("seen", OBSERVATIONS, ids=lambda seen: f"{seen.condition}-{seen.reason}")
def test_the_reasons_of_the_other_conditions_are_explained_too(seen: Observation) -> None:
    ended = call("explain", seen.reason)

    assert ended.code == 0
    assert ended.out.startswith(f"{seen.reason}: ")


def test_capitals_do_not_matter() -> None:
    assert call("explain", "notapplied") == call("explain", "NotApplied")


def test_without_a_reason_all_are_listed() -> None:
    lines = call("explain").out.splitlines()

    assert [line.split()[0] for line in lines] == list(REASONS)


@pytest.mark.parametrize(
    ("word", "hint"),
    [("Applied", "did you mean NotApplied?"), ("Weather", "myresource explain lists them")],
)
def test_an_unknown_reason_is_one_line_with_a_way_on(word: str, hint: str) -> None:
    assert_one_line(call("explain", word), 2, word, hint)
