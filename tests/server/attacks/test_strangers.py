"""Callers without a token: nothing that they send is answered, or takes memory."""

import asyncio
import socket
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from tests.fuzz.hostile import endings
from tests.requests.large import MIB
from tests.server.attacks.target import served, unprotected

pytestmark = pytest.mark.attacks

SHORT = ("--head-timeout=1", "--body-timeout=1", "--idle-timeout=1")
REFUSED = {400, 401, 408, 414, 431}
"""What a caller without a token gets: 401, unless its request is not even HTTP."""
LARGE = b"POST /sync HTTP/1.1\r\nHost: hook\r\nContent-Type: application/json\r\nContent-Length: 104857600\r\n\r\n"
MOST_GROWTH = 4
"""MiB."""


def codes(port: int) -> Counter[int]:
    return Counter(code for ending in asyncio.run(endings(port)).values() for code in ending.codes)


def send_100_mib(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port)) as connection, suppress(ConnectionError):
        connection.sendall(LARGE)
        for _ in range(100):
            connection.sendall(b"[" * MIB)


@pytest.fixture(name="token")
def _token(tmp_path: Path) -> Path:
    file = tmp_path / "token"
    file.write_text("a-token")
    return file


def test_each_hostile_request_without_a_token_is_refused(token: Path) -> None:
    with served(f"--tokens={token}", *SHORT) as target:
        assert codes(target.port).keys() <= REFUSED


def test_hostile_requests_are_accepted_where_none_is_needed() -> None:
    with unprotected() as target:
        assert codes(target.port)[200] > 0


def test_a_body_of_100_mib_without_a_token_takes_no_memory(token: Path) -> None:
    with served(f"--tokens={token}") as target:
        before = target.memory()
        target.forget_peak()
        send_100_mib(target.port)

        assert target.memory("VmHWM") - before <= MOST_GROWTH
