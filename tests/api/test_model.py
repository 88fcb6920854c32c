"""What all models share: strict reading, rules, list keys, int-or-string."""

from typing import Annotated, Any

import pytest
from pydantic import Field, TypeAdapter, ValidationError

from app.api.values.model import IntOrString, ListMap, Model, Omitted, Rule

EVEN = Rule("must be even", lambda number: number % 2 == 0, cel="self % 2 == 0")
AMOUNT = Annotated[int | str, IntOrString("must be an amount", minimum=0, maximum=9, pattern="^[0-9]%$", max_length=2)]


class Pair(Model):
    """Two numbers."""

    first_one: int
    """The first."""
    second: int | None = None
    """The second."""

    rules = (
        Rule("must rise", lambda pair: pair.second is None or pair.first_one < pair.second),
        Rule("must be small", lambda pair: pair.first_one < 100),
    )


class Pairs(Model):
    """Many of them."""

    pairs: Annotated[list[Pair], ListMap(("firstOne", "second")), Omitted] | None = None
    """Pairs."""


TWINS = '{"pairs": [{"firstOne": 1}, {"firstOne": 1}]}'


def _messages(error: ValidationError) -> list[str]:
    return [detail["msg"] for detail in error.errors()]


def test_a_model_is_read_and_written_in_camel_case() -> None:
    pair = Pair.model_validate_json('{"firstOne": 1, "second": null, "unknown": 1}')

    assert pair.first_one == 1
    assert pair.as_json() == {"firstOne": 1}


@pytest.mark.parametrize("number", ['"1"', "true", "1.0", "1.5", "null", "[]"])
def test_a_model_is_strict_about_types(number: str) -> None:
    with pytest.raises(ValidationError):
        Pair.model_validate_json(f'{{"firstOne": {number}}}')


def test_a_model_cannot_be_changed() -> None:
    pair = Pair.model_validate_json('{"firstOne": 1}')

    with pytest.raises(ValidationError, match="frozen"):
        pair.first_one = 2


@pytest.mark.parametrize(
    ("annotation", "text", "message"),
    [
        (Pair, '{"firstOne": 2, "second": 1}', "must rise"),
        (Pair, '{"firstOne": 100}', "must be small"),
        (Pair, '{"firstOne": 200, "second": 100}', "must rise"),  # the first rule that is broken
        (Annotated[int, EVEN], "1", "must be even"),
        (Annotated[int, Rule("must be {one}", lambda _: False)], "1", "must be {one}"),
        (Pairs, TWINS, "must not have two items with the same firstOne and second"),
    ],
    ids=["falls", "too large", "the first of two", "odd", "braces", "twins"],
)
def test_a_broken_rule_is_told(annotation: Any, text: str, message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(annotation).validate_json(text)

    assert _messages(caught.value) == [message]


def test_an_error_does_not_show_what_was_found() -> None:
    with pytest.raises(ValidationError) as caught:
        Pair.model_validate_json('{"firstOne": "canary"}')

    assert "canary" not in str(caught.value)


def test_a_rule_that_has_only_cel_is_in_the_crd_and_not_checked_by_the_hook() -> None:
    rule = Rule("must be even", cel="self % 2 == 0")

    assert rule.crd() == EVEN.crd()
    assert TypeAdapter(Annotated[int, rule]).validate_python(1) == 1


def test_an_empty_list_is_omitted() -> None:
    assert Pairs.model_validate_json('{"pairs": []}') == Pairs()


@pytest.mark.parametrize("amount", [0, 9, "0%", "9%"])
def test_int_or_string_takes_both_within_their_bounds(amount: int | str) -> None:
    assert TypeAdapter(AMOUNT).validate_python(amount) == amount


@pytest.mark.parametrize("amount", [-1, 10, "0", "%", "10%", "9%\n", "9% ", 1.0, True, None, [], b"9%"], ids=repr)
def test_int_or_string_tells_one_message_for_whatever_else(amount: object) -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(AMOUNT).validate_python(amount)

    assert _messages(caught.value) == ["must be an amount"]


def test_a_bound_is_checked_before_a_rule_that_may_be_slow() -> None:
    short = Annotated[str, Field(max_length=2), Rule("must be a", lambda text: text == "a")]

    with pytest.raises(ValidationError, match="at most 2"):
        TypeAdapter(short).validate_python("x" * 3)
