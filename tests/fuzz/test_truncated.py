"""Every truncation of a recorded request is malformed: none is taken for a request about less."""

from collections.abc import Iterator

import pytest

from metahook import MalformedRequest
from tests.recorded.traffic import Recorded, load
from tests.requests.builders import MYRESOURCE, NOW
from toolkit.slow import short_or_whole

REQUESTS = 50


def requests() -> list[Recorded]:
    """Return 50 of the recorded requests, some of each kind."""
    recorded = load()
    return recorded[:: len(recorded) // REQUESTS][:REQUESTS]


def taken(recorded: Recorded, step: int) -> Iterator[str]:
    """Yield each truncation of *recorded*, at every so many bytes, that is not malformed."""
    body = recorded.body
    for end in range(0, len(body), step):
        try:
            if recorded.path == "/sync":
                MYRESOURCE.handle_sync(body[:end], NOW)
            else:
                MYRESOURCE.handle_customize(body[:end])
        except MalformedRequest:
            continue
        yield f"{recorded.name} cut at {end}"


@pytest.mark.slow
def test_a_truncated_request_is_malformed() -> None:
    assert len(requests()) == REQUESTS
    assert [each for recorded in requests() for each in taken(recorded, short_or_whole(97, 1))] == []
