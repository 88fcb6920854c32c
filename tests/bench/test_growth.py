"""The measure of growth: made-up points show what it finds; requests are those of a MyResource at rest."""

import json

import pytest

from bench.growth.cost import MAX_BEND, MAX_SLOPE, Growth, Point
from bench.growth.memory import MAX_GROWTH, NAMES, Memory, bodies
from bench.growth.picture import picture
from bench.growth.requests import PARTS, Part, crashing_pods
from bench.growth.results import Results, goals, table
from tests.build import MYRESOURCE, NOW

SAMPLES = 80


def grown(*sync: float, part: str = "things") -> Growth:
    """Return the growth of a part whose syncs take so many microseconds, while parsing takes 10, 20, 30, ..."""
    points = [Point(count, 100 * count, each, 10.0 * (count + 1)) for count, each in enumerate(sync)]
    return Growth(part, points)


LINEAR = grown(200, 210, 220, 230, 240)
STEEP = grown(200, 220, 240, 260, 280)
SQUARE = grown(0, 1, 4, 9, 16)
FLAT = Memory(1000, [60.0] * SAMPLES, failed=0)


def test_what_grows_as_parsing_does_is_within() -> None:
    assert (LINEAR.slope, LINEAR.bend, LINEAR.is_within) == (1, 0, True)


def test_a_slope_that_is_too_steep_is_found() -> None:
    assert (STEEP.slope, STEEP.bend) == (2, 0)
    assert STEEP.slope > MAX_SLOPE
    assert not STEEP.is_within


def test_a_square_is_found_however_flat() -> None:
    assert SQUARE.slope < MAX_SLOPE
    assert SQUARE.bend == pytest.approx(0.25)
    assert SQUARE.bend > MAX_BEND
    assert not SQUARE.is_within


def test_memory_that_grows_in_the_warm_up_alone_is_flat() -> None:
    warm = [float(min(at, SAMPLES // 4)) for at in range(SAMPLES)]

    assert Memory(1000, warm, failed=0).growth == 0
    assert Memory(1000, warm, failed=0).is_within


def test_a_leak_is_found() -> None:
    leaking = [60 + at * 3 * MAX_GROWTH / SAMPLES for at in range(SAMPLES)]

    assert Memory(1000, leaking, failed=0).growth > MAX_GROWTH
    assert not Memory(1000, leaking, failed=0).is_within


def test_requests_that_fail_are_not_within() -> None:
    assert not Memory(1000, [60.0] * SAMPLES, failed=1).is_within


def test_the_results_name_the_worst_part_first() -> None:
    results = Results([LINEAR, grown(200, 220, 240, 260, 280, part="others")], FLAT)

    assert table(results).splitlines()[2].startswith("| others |")
    assert goals(results)[0] == "steepest: others, 2.00 x json.loads, NOT within 1.5"
    assert not results.is_within


def test_the_picture_describes_its_charts() -> None:
    drawn = picture(Results([grown(1, 2, 3, 4, 5, part="<things>")], FLAT))

    assert "&lt;things&gt; 0.10" in drawn.partition("</desc>")[0]
    assert drawn.count("<polyline") == 3


AT_REST = [part for part in PARTS if part.make is not crashing_pods]


@pytest.mark.parametrize("part", AT_REST, ids=lambda part: part.name)
def test_a_request_is_one_of_a_parent_at_rest(part: Part) -> None:
    few, more = part.make(2), part.make(5)
    answer = json.loads(part.controller.answer_sync(more, NOW))

    assert answer["status"] == json.loads(more)["parent"]["status"]
    assert answer["status"]["state"] == "Ready"
    assert len(more) > len(few)


def test_the_requests_for_the_memory_all_differ() -> None:
    found = list(bodies(NAMES + 1))
    first, again = json.loads(found[0])["parent"], json.loads(found[NAMES])["parent"]

    assert len(set(found)) == NAMES + 1
    assert first["metadata"]["uid"] == again["metadata"]["uid"]
    assert len({json.loads(body)["parent"]["metadata"]["uid"] for body in found[:50]}) == 50
    assert json.loads(MYRESOURCE.answer_sync(found[7], NOW))["status"]["state"] == "Ready"
