import gc
import sys
import tracemalloc
from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
import pytest
from msgspec import Meta

from metahook import MalformedRequest, Object, Observed
from metahook.protocol.bodies import _BOUNDS, read, try_read, try_read_fields, try_read_list

CANARY = "canary-6c8349cc"


class Size(Observed, frozen=True):
    """A struct with bounds, and with two types."""

    width: Annotated[float, Meta(ge=0)]
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
        pytest.param('"since": "canary"', "since must be a time in RFC 3339", id="another noun"),
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


class Bounded(Observed, frozen=True):
    """A struct with each bound, and with types in types."""

    ports: Annotated[list[Annotated[int, Meta(ge=1, le=65535)]], Meta(min_length=1, max_length=2)] | None = None
    names: dict[Annotated[str, Meta(min_length=2)], str] | None = None
    counts: dict[int, int] | None = None
    few: Annotated[dict[str, int], Meta(max_length=1)] | None = None
    empty: dict[str, None] | None = None
    share: Annotated[float, Meta(gt=0, lt=1)] | None = None
    dozens: Annotated[int, Meta(multiple_of=12)] | None = None
    letters: Annotated[str, Meta(pattern="^[a-z]{2}$"), Meta(max_length=9)] | None = None
    code: Annotated[str, Meta(min_length=3, max_length=3)] | None = None
    text: Annotated[str, Meta(min_length=1)] | None = None
    at: Annotated[datetime, Meta(tz=True)] | None = None
    local: Annotated[datetime, Meta(tz=False)] | None = None
    color: Literal["red"] | None = None
    pair: tuple[int, Annotated[str, Meta(max_length=1)]] | None = None
    data: Annotated[bytes, Meta(max_length=1)] | None = None
    inner: "Bounded | None" = None
    part_of: str | None = msgspec.field(default=None, name="app.kubernetes.io/part-of")
    """A field whose name has the signs of a path."""


DECLARES = "of the type that the hook declares"
A_PORT = "a whole number of at least 1 and of at most 65535"
A_LIST = "a list of 1 to 2 items"
LETTERS = "a string matching ^[a-z]{2}$ and of at most 9 characters"


@pytest.mark.parametrize(
    ("field", "broken"),
    [
        pytest.param('"ports": []', f"ports must be {A_LIST}", id="too short a list"),
        pytest.param('"ports": [1, 2, 3]', f"ports must be {A_LIST}", id="too long a list"),
        pytest.param('"ports": {}', f"ports must be {A_LIST}", id="no list"),
        pytest.param('"ports": ["x"]', f"ports[*] must be {A_PORT}", id="an item of a bounded list"),
        pytest.param('"ports": [1, 65536]', f"ports[*] must be {A_PORT}", id="too large an item"),
        pytest.param('"ports": [0]', f"ports[*] must be {A_PORT}", id="too small an item"),
        pytest.param('"names": {"c": "x"}', "each key of names must be a string of at least 2 characters", id="a key"),
        pytest.param('"names": {"canary": 1}', "names[*] must be a string", id="a member of a bounded key"),
        pytest.param('"counts": {"canary": 1}', "each key of counts must be a whole number", id="a key of a type"),
        pytest.param('"few": {"canary": 1, "b": 2}', "few must be an object of at most 1 key", id="too many keys"),
        pytest.param('"few": {"canary": "x"}', "few[*] must be a whole number", id="a member of a bounded object"),
        pytest.param('"empty": {"canary": 1}', f"empty[*] must be {DECLARES}", id="a member that must be null"),
        pytest.param('"share": 0', "share must be a number greater than 0 and less than 1", id="excluded"),
        pytest.param('"share": 1', "share must be a number greater than 0 and less than 1", id="excluded above"),
        pytest.param('"dozens": 13', "dozens must be a whole number divisible by 12", id="a multiple"),
        pytest.param('"letters": "canary"', f"letters must be {LETTERS}", id="a pattern"),
        pytest.param('"letters": 1', f"letters must be {LETTERS}", id="no string for a pattern"),
        pytest.param('"code": "canary"', "code must be a string of 3 characters", id="a length"),
        pytest.param('"text": ""', "text must be a string of at least 1 character", id="an empty string"),
        pytest.param('"at": "2026-01-31T12:00:00"', "at must be a time in RFC 3339 with a time zone", id="a time zone"),
        pytest.param(
            '"local": "2026-01-31T12:00:00Z"', "local must be a time in RFC 3339 without a time zone", id="no time zone"
        ),
        pytest.param('"color": "canary"', f"color must be {DECLARES}", id="a choice"),
        pytest.param('"color": "canary - at `$.text`"', f"color must be {DECLARES}", id="a value like a place"),
        pytest.param('"pair": [1, "canary"]', f"pair must be {DECLARES}", id="a part of a type without a noun"),
        pytest.param('"data": "Y2FuYXJ5"', f"data must be {DECLARES}", id="a bound of a type without a noun"),
        pytest.param('"inner": {"inner": {"ports": [[]]}}', f"inner.inner.ports[*] must be {A_PORT}", id="inner"),
        pytest.param(
            '"app.kubernetes.io/part-of": 1', "app.kubernetes.io/part-of must be a string", id="a name like a path"
        ),
    ],
)
def test_a_bound_that_is_broken_is_named_with_the_type_that_has_it(field: str, broken: str) -> None:
    assert rule(f"{{{field}}}".replace("canary", CANARY).encode(), Bounded) == broken


def test_each_bound_that_a_type_can_have_has_words() -> None:
    notes = {"title", "description", "examples", "extra_json_schema", "extra"}
    lengths_and_zone = {"min_length", "max_length", "tz"}

    assert {name for name in dir(Meta) if not name.startswith("_")} == {*_BOUNDS, *notes, *lengths_and_zone}


def test_a_body_of_another_type_is_named_as_a_whole() -> None:
    assert rule(b'{"canary": 1}', dict[int, int]) == "each key of the body must be a whole number"
    assert rule(b"[]", Annotated[list[int], Meta(min_length=1)]) == "the body must be a list of at least 1 item"


class Node(Observed, frozen=True):
    """A struct in itself."""

    nodes: "list[Node] | None" = None
    name: str | None = None


def many(members: int) -> bytes:
    """Return groups of which the last is malformed."""
    return b"{" + b"".join(b'"%d": {}, ' % number for number in range(members)) + b'"last": []}'


def wide(members: int) -> bytes:
    """Return a node with many nodes of which the last is malformed."""
    return b'{"nodes": [' + b'{"name": "a"}, ' * members + b'{"name": 1}]}'


def work(json: bytes, expected: Any, reads: Callable[[bytes, Any], object]) -> int:
    """Return how many functions are called while *reads* reads *json* as *expected*, which it is not."""
    calls: list[object] = []
    gc.disable()  # hypothesis has a function called at each collection
    sys.setprofile(lambda _, event, function: calls.append(function) if event in {"call", "c_call"} else None)
    try:
        reads(json, expected)
    except MalformedRequest:
        pass
    finally:
        sys.setprofile(None)
        gc.enable()
    return len(calls)


@pytest.mark.parametrize(
    ("make", "expected", "broken"),
    [
        pytest.param(many, dict[str, dict[str, msgspec.Raw]], "the body[*] must be an object", id="groups"),
        pytest.param(wide, Node, "nodes[*].name must be a string", id="items"),
    ],
)
def test_naming_the_rule_is_no_more_work_for_more_members(
    make: Callable[[int], bytes], expected: Any, broken: str
) -> None:
    assert rule(make(10), expected) == rule(make(10_000), expected) == broken
    assert work(make(10), expected, read) == work(make(10_000), expected, read)


def test_work_for_each_member_would_be_counted() -> None:
    def one_by_one(json: bytes, _: Any) -> None:
        for member in msgspec.json.decode(json, type=dict[str, msgspec.Raw]).values():
            try_read(member, dict)

    assert work(many(100), None, one_by_one) > work(many(10), None, one_by_one) + 90


def test_the_path_of_what_is_read_comes_first() -> None:
    assert rule(b"{}", path="children[Box.v1][*]") == "children[Box.v1][*].metadata is missing"
    assert rule(b"[]", path="children[Box.v1][*]") == "children[Box.v1][*] must be an object"
    assert rule(b"[]") == "the body must be an object"


def test_what_can_be_read_is_returned() -> None:
    assert read(b'{"width": 1, "unit": "m", "later": 1}', Size) == try_read(b'{"width": 1, "unit": "m"}', Size)


def test_a_list_is_read_without_the_items_that_can_not_be_read_unless_it_is_so_long_that_this_takes_long() -> None:
    assert try_read_list(b'[0,{"width":1},{}]', Size) == [Size(1)]
    long = b'[{"width":1}' + b",0" * 500_000 + b"]"
    tracemalloc.start()
    assert try_read_list(long, Size) == []
    assert tracemalloc.get_traced_memory()[1] < 100_000
    tracemalloc.stop()


class Row(Observed, frozen=True):
    """All fields have a default."""

    size: Size | None = None
    sizes: list[Size] | None = None
    note: str = "none"


@pytest.mark.parametrize(
    ("json", "found"),
    [
        pytest.param(b'{"note":"a","size":{"width":1}}', Row(size=Size(1), note="a"), id="all"),
        pytest.param(b'{"note":1,"size":{"width":1}}', Row(size=Size(1)), id="a field that can't be read"),
        pytest.param(b'{"note":1,"sizes":[{"width":1},0]}', Row(sizes=[Size(1)]), id="an item of a list"),
        pytest.param(b"0", Row(), id="no object"),
    ],
)
def test_of_an_object_each_field_is_kept_that_can_be_read(json: bytes, found: Row) -> None:
    assert try_read_fields(json, Row) == found


def test_the_canary_would_be_seen_in_an_error_of_msgspec() -> None:
    class Strict(msgspec.Struct, forbid_unknown_fields=True):
        pass

    with pytest.raises(msgspec.ValidationError, match=CANARY):
        msgspec.json.decode(f'{{"{CANARY}": 1}}', type=Strict)

    assert rule(f'{{"{CANARY}": 1}}'.encode(), Strict) == "the body must be an object"
