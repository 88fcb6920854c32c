"""The hostile corpus on the wire, see tests/fuzz/hostile.py."""

import asyncio

from bench.reliability.figures import Figure
from bench.reliability.targets import plain, served
from tests.fuzz.hostile import Ending, wrong

FAILURE = 500


def figures(_: bytes) -> list[Figure]:
    """Measure."""
    with served() as target:
        found = list(asyncio.run(wrong(target.port)).values())
    with plain() as target:
        without = list(asyncio.run(wrong(target.port)).values())
    return [
        Figure("200 hostile requests: not answered, or with a 5xx, or reset", "", 0, len(found), len(without)),
        Figure("200 hostile requests: 5xx", "", 0, _failures(found)),
    ]


def _failures(endings: list[Ending]) -> int:
    return sum(any(code >= FAILURE for code in ending.codes) for ending in endings)
