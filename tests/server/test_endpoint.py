"""Endpoints: what a hook decides about a body."""

from datetime import datetime

import pytest

from metahook.protocol import Body
from metahook.protocol.controller import Answer
from metahook.server.endpoint import Endpoint
from metahook.server.refusal import FAILED
from tests.build import NOW
from tests.tiny import sync_body


class Panic(BaseException):
    """As a library in Rust raises it."""


@pytest.mark.parametrize("error", [Panic, SystemExit, MemoryError])
def test_an_error_of_any_kind_is_a_refusal(error: type[BaseException]) -> None:
    def panic(_: Body, __: datetime) -> Answer:
        raise error

    decision = Endpoint("/sync", panic, lambda: NOW).decide(sync_body())

    assert decision.outcome is FAILED
