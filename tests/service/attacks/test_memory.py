"""Memory: an idle hook, held bodies, heads without an end, hostile JSON, many different requests, and 800 strangers."""

import asyncio
import itertools
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from metahook.protocol.bodies.request_limits import MAX_DECODED, MAX_OBJECTS, decoded_size
from tests.service.attacks.senders import request, send
from tests.service.attacks.target import MOST_MEMORY, REQUEST, Target, served, unprotected
from toolkit.builders import KIB, MIB
from toolkit.served.asgi import JSON
from toolkit.served.tls import Pki

pytestmark = pytest.mark.attacks

MOST_IDLE = 64
"""MiB."""
HELD = 60
SHAPES: dict[str, Callable[[], bytes]] = {
    "empty lists": lambda: b"[" + b"[]," * (10 * MIB) + b"[]]",
    "empty objects": lambda: b"[" + b"{}," * (10 * MIB) + b"{}]",
    "distinct keys": lambda: b"{" + b",".join(b'"%d":1' % number for number in range(2_500_000)) + b"}",
    "floats": lambda: b"[" + b"1.5," * (31 * MIB // 4) + b"1.5]",
    "levels": lambda: b"[" * (31 * MIB),
    "one string": lambda: b'"' + b"a" * (31 * MIB) + b'"',
}
"""Make children that cost most to read, near the limit of 32 MiB."""
ITEMS = (b"{},", b"[[]],", b'{"a":1},', b'"a",')
"""Items of a spec that take most memory for their length."""
MOST_DECODED = 450
"""MiB, with a margin below the memory that the chart gives to a Pod: of the largest bodies, decoded."""
REQUESTS, WARM_UP = 50_000, 15_000
MOST_GROWTH = 5
"""MiB."""
PROBE_TIMEOUT = 3
"""Seconds that the chart gives to the probe of health."""
LATER = {httpx.codes.TOO_MANY_REQUESTS, httpx.codes.REQUEST_TIMEOUT}
PATIENCE = 60
"""Seconds."""


def with_children(children: bytes, uid: bytes = b'"1"') -> bytes:
    """Return a sync request with *children* in their group."""
    parent = b'{"metadata":{"name":"web","namespace":"default","uid":%s,"generation":1},"spec":{"image":"a"}}' % uid
    return b'{"parent":' + parent + b',"children":{"Deployment.apps/v1":{' + children + b'},"Service.v1":{}}}'


def with_deployment(items: bytes) -> bytes:
    """Return a sync request of 31 MiB that keeps a Deployment with *items* in its spec, and has to decode it twice."""
    owned = b'{"f:metadata":{"f:ownerReferences":{"k:{\\"uid\\":\\"1\\"}":{}}},"f:spec":{}}'
    metadata = (
        b'{"name":"web-deployment","namespace":"default","annotations":{"mygroup.example.com/applied":"9-1"},'
        b'"managedFields":[{"operation":"Apply","manager":"metacontroller","fieldsV1":' + owned + b"}]}"
    )
    body = with_children(b'"web":{"metadata":' + metadata + b',"spec":{"env":[' + items + b"0]}}")
    return body[:-1] + b',"later":"' + b"x" * (31 * MIB - len(body)) + b'"}'


def deployments(share: float) -> list[bytes]:
    """Return requests with a Deployment that takes this *share* of the memory that it may take, decoded."""
    return [with_deployment(item * int(share * MAX_DECODED / decoded_size(item * 1000) * 1000)) for item in ITEMS]


def worst() -> list[bytes]:
    """Return the requests that cost most to read: one of each shape, and two with as many objects as there may be.

    A Deployment costs most where it takes just as much memory as it may. With all of 31 MiB it is refused.
    """
    item = b'"w%d":{"metadata":{"name":"w%d","namespace":"default"},"a":"' + b"a" * 550 + b'"}'
    objects = b",".join(item % (number, number) for number in range(MAX_OBJECTS - 2))
    shapes = [with_children(b'"web":' + make()) for make in SHAPES.values()]
    refused = [with_deployment(item * (30 * MIB // len(item))) for item in ITEMS]
    return [*shapes, with_children(objects), with_children(objects, uid=b"1"), *deployments(0.98), *refused]


async def hold(target: Target) -> None:
    """Send 4 MiB of a longer body on each of 60 connections, and keep them."""
    raw = request(b"[" * (4 * MIB)).replace(b"Content-Length: 4194304", b"Content-Length: 4194305")
    writers = []
    for _ in range(HELD):
        _, writer = await asyncio.open_connection("127.0.0.1", target.port)
        writer.write(raw)
        writers.append(writer)
    await asyncio.sleep(4)
    for writer in writers:
        writer.close()


async def send_heads(target: Target) -> None:
    """Send 20 MB of headers on each of 10 connections at the same time, and keep those."""
    for writer in await asyncio.gather(*(send_head(target.port) for _ in range(10))):
        writer.close()


async def send_head(port: int) -> asyncio.StreamWriter:
    """Send 20 MB of headers on a new connection, and return it."""
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"POST /sync HTTP/1.1\r\nHost: hook\r\n")
    with suppress(ConnectionError):
        for number in range(20_000):
            writer.write(b"X-%d: " % number + b"a" * 1000 + b"\r\n")
            await writer.drain()
    return writer


async def send_worst(target: Target) -> float:
    """Send the worst requests, four at once, and twice; each again until it is decided about.

    Return the seconds of the slowest answer of ``/livez`` meanwhile.
    """
    slowest, at_once = 0.0, asyncio.Semaphore(4)
    async with httpx.AsyncClient(trust_env=False, timeout=PATIENCE) as client:

        async def send_twice(body: bytes) -> None:
            async with at_once:
                for _ in range(2):
                    while await post(body) in LATER:  # noqa: ASYNC110 - as Metacontroller sends it again
                        await asyncio.sleep(0.5)

        async def post(body: bytes) -> int:
            with suppress(httpx.TransportError):
                return (
                    await client.post(f"http://127.0.0.1:{target.port}/sync", content=body, headers=JSON)
                ).status_code
            return int(httpx.codes.REQUEST_TIMEOUT)

        sending = asyncio.gather(*map(send_twice, worst()))
        while not sending.done():
            begin = time.monotonic()
            (await client.get(f"http://127.0.0.1:{target.health_port}/livez")).raise_for_status()
            slowest = max(slowest, time.monotonic() - begin)
            await asyncio.sleep(0.05)
        await sending
    return slowest


def peak(target: Target, attack: Coroutine[Any, Any, object]) -> float:
    """Return the peak of memory in MiB during *attack*."""
    target.forget_peak()
    asyncio.run(attack)
    return target.memory("VmHWM")


def test_an_idle_hook_takes_little_memory() -> None:
    with served() as target:
        assert target.memory() <= MOST_IDLE


@pytest.mark.parametrize("attack", [hold, send_heads], ids=["held bodies", "heads without an end"])
def test_what_is_sent_and_not_finished_takes_bounded_memory(attack: Any) -> None:
    with served() as target:
        assert peak(target, attack(target)) <= MOST_MEMORY
    with unprotected() as target:
        assert peak(target, attack(target)) > MOST_MEMORY


def test_the_worst_json_takes_bounded_memory_and_health_is_answered_meanwhile() -> None:
    with served() as target:
        target.forget_peak()
        slowest = asyncio.run(send_worst(target))

        assert target.memory("VmHWM") <= MOST_DECODED
        assert slowest <= PROBE_TIMEOUT


def test_many_requests_that_all_differ_leave_nothing_in_memory() -> None:
    numbers = itertools.count()
    body = REQUEST.partition(b"\r\n\r\n")[2]

    def following() -> bytes:
        return request(body[:-1] + b',"unread":%d}' % next(numbers))

    with served() as target:
        assert send(target.port, following, senders=8, times=WARM_UP).codes.keys() == {"200"}
        before = target.memory()
        assert send(target.port, following, senders=8, times=REQUESTS).codes.keys() == {"200"}
        assert target.memory() - before <= MOST_GROWTH


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


def test_strangers_over_tls_take_bounded_memory(tmp_path: Path) -> None:
    pki = Pki(tmp_path)
    (tmp_path / "token").write_text("a-token")
    options = (f"--tls-cert={pki.cert}", f"--tls-key={pki.key}", f"--tokens={tmp_path / 'token'}")
    with served(*options, handshake_timeout=60) as target:
        answered = sum(connect_over_tls(target.port, pki) for _ in range(ROUNDS))

        assert answered > STRANGERS
        assert target.memory("VmHWM") <= MOST_OVER_TLS
