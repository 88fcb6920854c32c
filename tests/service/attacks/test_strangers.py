"""Callers without a token: nothing that they send is answered, or takes memory."""

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest

from tests.service.attacks.target import served
from toolkit.builders import KIB
from toolkit.served.tls import Pki

pytestmark = pytest.mark.attacks

LARGE = b"POST /sync HTTP/1.1\r\nHost: hook\r\nContent-Type: application/json\r\nContent-Length: 104857600\r\n\r\n"
STRANGERS, ROUNDS = 800, 3
MOST_OVER_TLS = 350
"""MiB. A connection over TLS takes memory before its request is read."""


def connect_over_tls(port: int, pki: Pki) -> int:
    """Send a part of a body on each of STRANGERS connections over TLS, at once; return how many got a 401."""
    client, raw = pki.client(), LARGE + b"[" * (400 * KIB)

    async def send() -> bytes:
        with suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=client)
            writer.write(raw)
            response = await reader.read(4096)
            await asyncio.sleep(1)
            writer.transport.abort()
            return response
        return b""

    async def send_all() -> list[bytes]:
        return await asyncio.gather(*(send() for _ in range(STRANGERS)))

    return sum(response.startswith(b"HTTP/1.1 401 ") for response in asyncio.run(send_all()))


@pytest.fixture(name="token")
def _token(tmp_path: Path) -> Path:
    file = tmp_path / "token"
    file.write_text("a-token")
    return file


def test_strangers_over_tls_take_bounded_memory(token: Path, tmp_path: Path) -> None:
    pki = Pki(tmp_path)
    options = (f"--tls-cert={pki.cert}", f"--tls-key={pki.key}", f"--tokens={token}")
    with served(*options, handshake_timeout=60) as target:
        answered = sum(connect_over_tls(target.port, pki) for _ in range(ROUNDS))

        assert answered > STRANGERS
        assert target.memory("VmHWM") <= MOST_OVER_TLS
