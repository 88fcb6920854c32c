"""Memory of the operator: idle, and of hostile JSON and many different requests."""

import asyncio
import itertools
import time
from collections.abc import Callable
from contextlib import suppress

import httpx
import pytest

from metahook.protocol.request_builder import sync_request
from metahook.protocol.request_limits import MAX_DECODED, MAX_OBJECTS, decoded_size
from tests.requests.builders import grouped, my_resource
from tests.service.operator import SERVE, served
from toolkit.builders import MIB
from toolkit.served.asgi import JSON
from toolkit.served.process import Served
from toolkit.served.senders import request, send

pytestmark = pytest.mark.attacks

MOST_IDLE = 64
"""MiB."""
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


async def send_worst(hook: Served) -> float:
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
                return (await client.post(f"{hook.url}/sync", content=body, headers=JSON)).status_code
            return int(httpx.codes.REQUEST_TIMEOUT)

        sending = asyncio.gather(*map(send_twice, worst()))
        while not sending.done():
            begin = time.monotonic()
            (await client.get(f"{hook.health_url}/livez")).raise_for_status()
            slowest = max(slowest, time.monotonic() - begin)
            await asyncio.sleep(0.05)
        await sending
    return slowest


def test_an_idle_hook_takes_little_memory() -> None:
    with served(*SERVE) as hook:
        assert hook.memory() <= MOST_IDLE


def test_the_worst_json_takes_bounded_memory_and_health_is_answered_meanwhile() -> None:
    with served(*SERVE) as hook:
        slowest = asyncio.run(send_worst(hook))

        assert hook.memory("VmHWM") <= MOST_DECODED
        assert slowest <= PROBE_TIMEOUT


def test_many_requests_that_all_differ_leave_nothing_in_memory() -> None:
    numbers = itertools.count()
    body = sync_request(my_resource(), grouped(), {})

    def following() -> bytes:
        return request(body[:-1] + b',"unread":%d}' % next(numbers))

    with served(*SERVE) as hook:
        assert send(hook.port, following, senders=8, times=WARM_UP).codes.keys() == {"200"}
        before = hook.memory()
        assert send(hook.port, following, senders=8, times=REQUESTS).codes.keys() == {"200"}
        assert hook.memory() - before <= MOST_GROWTH
