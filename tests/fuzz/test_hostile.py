"""Hostile requests on the wire, against the hook as it is served: tests/service/recorded_answers has its answers."""

import asyncio
import re
from collections import Counter

import httpx

from metahook.server.refusal import LEFT
from tests.service.operator import serve_with, served
from toolkit.hostile import CASES, Ending, endings

SHORT = serve_with(head_timeout=1, idle_timeout=1)


def port_of(url: str) -> int:
    return int(url.rpartition(":")[2])


def refusals(metrics: str) -> Counter[int]:
    """Return how many refusals *metrics* counts, by status code."""
    found: Counter[int] = Counter()
    for code, count in re.findall(r'^metahook_refusals_total{code="(\d+)".*} (\d+)', metrics, re.MULTILINE):
        found[int(code)] += int(count)
    return found


def refused(ended: dict[str, Ending]) -> Counter[int]:
    """Return how many refusals were sent, by status code."""
    return Counter(code for ending in ended.values() for code in ending.codes if code != 200)


def test_each_refusal_of_a_hostile_request_is_counted_once() -> None:
    with served(*SHORT, "--body-timeout=1", "--drain=0") as running:
        ended = asyncio.run(endings(port_of(running.url)))
        assert running.process.poll() is None
        counted = refusals(httpx.get(f"{running.health_url}/metrics").text)

    assert counted.pop(LEFT.status) > 0  # what is unfinished ends with the client's side, and gets no response
    assert counted == refused(ended)
    assert len(CASES) > 200
