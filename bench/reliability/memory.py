"""Memory: bodies that are held, heads that do not end, hostile JSON, and 200,000 requests."""

import asyncio
from contextlib import suppress

from bench.reliability.client import GONE, Client, Results, request, slowest_answer
from bench.reliability.figures import Figure
from bench.reliability.targets import MIB, MOST_MEMORY, Target, plain, served
from metahook.protocol.extent import MAX_OBJECTS

HELD = 60
SHAPES = {
    "empty lists": b"[" + b"[]," * (10 * MIB) + b"[]]",
    "empty objects": b"[" + b"{}," * (10 * MIB) + b"{}]",
    "distinct keys": b"{" + b",".join(b'"%d":1' % number for number in range(2_500_000)) + b"}",
    "floats": b"[" + b"1.5," * (31 * MIB // 4) + b"1.5]",
    "levels": b"[" * (31 * MIB),
    "one string": b'"' + b"a" * (31 * MIB) + b'"',
}
"""Children that cost most to read, near the limit of 32 MiB."""
REQUESTS, WARM_UP = 200_000, 20_000


def with_children(children: bytes, uid: bytes = b'"1"') -> bytes:
    """Return a sync request with *children* in their group."""
    parent = b'{"metadata":{"name":"web","namespace":"default","uid":%s,"generation":1},"spec":{"image":"a"}}' % uid
    return b'{"parent":' + parent + b',"children":{"Deployment.apps/v1":{' + children + b'},"Service.v1":{}}}'


def worst() -> list[bytes]:
    """Return the requests that cost most to read: one of each shape, and two with as many objects as there may be."""
    item = b'"w%d":{"metadata":{"name":"w%d","namespace":"default"},"a":"' + b"a" * 550 + b'"}'
    objects = b",".join(item % (number, number) for number in range(MAX_OBJECTS - 2))
    shapes = [with_children(b'"web":' + shape) for shape in SHAPES.values()]
    return [*shapes, with_children(objects), with_children(objects, uid=b"1")]


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
    writers = await asyncio.gather(*(send_head(target.port) for _ in range(10)))
    for writer in writers:
        writer.close()


async def send_head(port: int) -> asyncio.StreamWriter:
    """Send 20 MB of headers on a new connection, and return it."""
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"POST /sync HTTP/1.1\r\nHost: hook\r\n")
    with suppress(*GONE):
        for number in range(20_000):
            writer.write(b"X-%d: " % number + b"a" * 1000 + b"\r\n")
            await writer.drain()
    return writer


async def send_shapes(target: Target) -> float:
    """Send the worst requests at once, and twice; return the slowest answer of ``/livez`` in seconds."""
    results, requests = Results(), [request(body) for body in worst()]
    asking = asyncio.create_task(slowest_answer(target.health_port, 20))
    for _ in range(2):
        await asyncio.gather(*(Client(target.port).send(each, results) for each in requests))
    return await asking


async def send_many(target: Target, raw: bytes) -> float:
    """Send 200,000 requests; return by how many MiB the memory grew after a warm-up."""
    results, clients = Results(), [Client(target.port) for _ in range(8)]

    async def run(client: Client, number: int) -> None:
        for _ in range(number // len(clients)):
            await client.send(raw, results)

    await asyncio.gather(*(run(client, WARM_UP) for client in clients))
    before = target.memory()
    await asyncio.gather(*(run(client, REQUESTS) for client in clients))
    return target.memory() - before


def peak(target: Target, attack: object) -> float:
    """Return the peak of memory in MiB while *attack*, a coroutine, runs."""
    target.forget_peak()
    asyncio.run(attack)  # type: ignore[arg-type] # a coroutine
    return target.memory("VmHWM")


def figures(raw: bytes) -> list[Figure]:
    """Measure."""
    with served() as target:
        held, heads = peak(target, hold(target)), peak(target, send_heads(target))
        target.forget_peak()
        slowest = asyncio.run(send_shapes(target))
        shapes = target.memory("VmHWM")
        growth = asyncio.run(send_many(target, raw))
    with plain() as target:
        held_plain = peak(target, hold(target))
    with plain() as target:
        heads_plain = peak(target, send_heads(target))
    return [
        Figure("60 connections that hold 4 MiB each: memory", "MiB", MOST_MEMORY, held, held_plain),
        Figure("10 connections that send 20 MB of headers each: memory", "MiB", MOST_MEMORY, heads, heads_plain),
        Figure("the worst JSON of 31 MiB, eight at once: memory", "MiB", MOST_MEMORY, shapes),
        Figure("the worst JSON of 31 MiB, eight at once: slowest answer of `/livez`", "s", 1, slowest),
        Figure("200,000 requests: growth of memory", "MiB", 5, growth),
    ]
