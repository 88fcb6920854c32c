from datetime import datetime
from typing import Annotated, Any

import msgspec
import pytest

from metahook import MalformedRequest, Object, Observed
from metahook.protocol.reading import read, try_read

CANARY = "canary-6c8349cc"


class Size(Observed, frozen=True):
    """A struct with bounds, and with two types."""

    width: Annotated[float, msgspec.Meta(ge=0)]
    unit: str | int | None = None


class Box(Object, frozen=True):
    """A kind with a field of each shape."""

    anything: dict[str, Any] | None = None
    size: Size | None = None
    sizes: dict[str, list[Size]] | None = None
    since: datetime | None = None


def rule(json: bytes, expected: Any = Box, path: str = "") -> str:
    with pytest.raises(MalformedRequest) as raised:
        read(json, expected, path)

    assert try_read(json, expected) is None
    assert raised.value.__suppress_context__
    return str(raised.value)


def of_a_box(fields: str) -> str:
    return rule(b'{"metadata": {"name": "a"}, ' + fields.replace("canary", CANARY).encode() + b"}")


@pytest.mark.parametrize(
    ("fields", "broken"),
    [
        pytest.param('"size": []', "size must be an object", id="another type"),
        pytest.param('"size": {}', "size.width is missing", id="a field of a field"),
        pytest.param('"size": {"width": null}', "size.width must be a number of at least 0", id="null"),
        pytest.param('"size": {"width": -1}', "size.width must be a number of at least 0", id="a bound"),
        pytest.param('"sizes": {"canary": {}}', "sizes[*] must be a list", id="a member"),
        pytest.param('"sizes": {"canary": [{"width": 1}, 5]}', "sizes[*][*] must be an object", id="an item"),
        pytest.param('"sizes": {"a": [], "b": [{}]}', "sizes[*][*].width is missing", id="a field of an item"),
        pytest.param('"since": "canary"', "since must be of the type that the hook declares", id="another noun"),
        pytest.param(
            '"size": {"width": 1, "unit": ["canary"]}',
            "size.unit must be of the type that the hook declares",
            id="two types",
        ),
        pytest.param(
            '"anything": {"canary": 1' + "0" * 5000 + "}",
            "anything[*] must be a value with numbers in range",
            id="size",
        ),
        pytest.param('"size": 5, "later": canary', "the body is not JSON", id="not JSON after a wrong type"),
        pytest.param(
            '"size": 5, "later": ' + "[" * 5000 + "]" * 5000, "the body is nested too deeply", id="too deep after that"
        ),
    ],
)
def test_the_rule_that_is_broken_is_named_without_keys_indices_and_values(fields: str, broken: str) -> None:
    assert of_a_box(fields) == broken


def test_the_path_of_what_is_read_comes_first() -> None:
    assert rule(b"{}", path="children[Box.v1][*]") == "children[Box.v1][*].metadata is missing"
    assert rule(b"[]", path="children[Box.v1][*]") == "children[Box.v1][*] must be an object"
    assert rule(b"[]") == "the body must be an object"


def test_what_can_be_read_is_returned() -> None:
    assert read(b'{"width": 1, "unit": "m", "later": 1}', Size) == try_read(b'{"width": 1, "unit": "m"}', Size)


def test_the_canary_would_be_seen_in_an_error_of_msgspec() -> None:
    class Strict(msgspec.Struct, forbid_unknown_fields=True):
        pass

    with pytest.raises(msgspec.ValidationError, match=CANARY):
        msgspec.json.decode(f'{{"{CANARY}": 1}}', type=Strict)

    assert rule(f'{{"{CANARY}": 1}}'.encode(), Strict) == "the body must be an object"
