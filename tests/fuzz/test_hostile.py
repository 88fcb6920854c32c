"""Hostile requests on the wire, against the hook as it is served."""

import asyncio
import re
import sys
from collections import Counter

import httpx

from tests.fuzz.hostile import CASES, Ending, endings, wrong, wrong_of
from tests.served.process import served

SHORT = ("--head-timeout=1", "--body-timeout=1", "--idle-timeout=1", "--drain=0")

FAILING = """
import asyncio, socket, struct, sys

async def answer(reader, writer):
    head = await reader.readuntil()
    if b"PUT" in head:
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.close()
    elif b"PATCH" in head:
        await asyncio.sleep(60)
    else:
        writer.write(b"HTTP/1.1 500 Oops\\r\\nContent-Length: 0\\r\\n\\r\\n" if b"DELETE" in head else b"")
        writer.close()

async def main():
    port = next(word for word in sys.argv if word.startswith("--port=")).partition("=")[2]
    health = next(word for word in sys.argv if word.startswith("--health-port=")).partition("=")[2]
    await asyncio.start_server(answer, "127.0.0.1", int(port))
    async def ready(reader, writer):
        writer.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\nConnection: close\\r\\n\\r\\n")
        await writer.drain()
        writer.close()
    async with await asyncio.start_server(ready, "127.0.0.1", int(health)) as server:
        await server.serve_forever()

asyncio.run(main())
"""
"""A server that fails in each way: it resets, waits for ever, answers 500, and closes without an answer."""


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


def test_each_hostile_request_is_answered_and_none_makes_it_fail() -> None:
    with served(sys.executable, "-m", "app", "serve", *SHORT) as running:
        ended = asyncio.run(endings(port_of(running.url)))
        assert wrong_of(ended) == {}
        assert running.process.poll() is None
        # Why here: this request is complete, so the hook refuses it. The client has closed, and may get no response.
        ended["unfinished: a length that is too short"] = Ending((400,), is_reset=False)
        assert refusals(httpx.get(f"{running.health_url}/metrics").text) == refused(ended)

    assert len(CASES) > 200


def test_a_server_that_fails_would_be_found() -> None:
    with served(sys.executable, "-c", FAILING) as running:
        found = asyncio.run(wrong(port_of(running.url), within=3))

    assert found["lines: method PUT"].is_reset
    assert found["lines: method PATCH"].codes == (599,)
    assert found["lines: method DELETE"].codes == (500,)
    assert found["lines: method OPTIONS"].codes == ()
