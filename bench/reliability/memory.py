"""Memory: bodies that are held, heads that do not end, hostile JSON, and 200,000 requests."""

import asyncio
from contextlib import suppress

from bench.reliability.client import GONE, Client, Results, request, slowest_answer
from bench.reliability.figures import Figure
from bench.reliability.targets import MIB, MOST_MEMORY, Target, plain, served

HELD = 60
SHAPES = {
    "empty lists": b"[" + b"[]," * (10 * MIB) + b"[]]",
    "empty objects": b"[" + b"{}," * (10 * MIB) + b"{}]",
    "distinct keys": b"{" + b",".join(b'"%d":1' % number for number in range(2_500_000)) + b"}",
    "floats": b"[" + b"1.5," * (8 * MIB - 2) + b"1.5]",
    "levels": b"[" * (31 * MIB),
    "one string": b'"' + b"a" * (31 * MIB) + b'"',
}
"""Bodies that cost most to read, near the limit of 32 MiB."""
REQUESTS, WARM_UP = 200_000, 20_000


def wrapped(shape: bytes) -> bytes:
    """Return a sync request that has *shape* in its children."""
    parent = b'{"metadata":{"name":"web","namespace":"default","uid":"1","generation":1},"spec":{"image":"a"}}'
    return b'{"parent":' + parent + b',"children":{"Deployment.apps/v1":{"web":' + shape + b"}}}"


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


async def send_head(target: Target) -> None:
    """Send 20 MB of headers on each of 10 connections."""
    for _ in range(10):
        _, writer = await asyncio.open_connection("127.0.0.1", target.port)
        writer.write(b"POST /sync HTTP/1.1\r\nHost: hook\r\n")
        with suppress(*GONE):
            for number in range(20_000):
                writer.write(b"X-%d: " % number + b"a" * 1000 + b"\r\n")
                await writer.drain()
        writer.close()


async def send_shapes(target: Target) -> float:
    """Send all shapes at once, and twice; return the slowest answer of ``/livez`` in seconds."""
    results = Results()
    asking = asyncio.create_task(slowest_answer(target.health_port, 20))
    for _ in range(2):
        await asyncio.gather(*(Client(target.port).send(request(wrapped(shape)), results) for shape in SHAPES.values()))
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
        held, heads = peak(target, hold(target)), peak(target, send_head(target))
        target.forget_peak()
        slowest = asyncio.run(send_shapes(target))
        shapes = target.memory("VmHWM")
        growth = asyncio.run(send_many(target, raw))
    with plain() as target:
        held_plain, heads_plain = peak(target, hold(target)), peak(target, send_head(target))
    return [
        Figure("60 connections that hold 4 MiB each: memory", "MiB", MOST_MEMORY, held, held_plain),
        Figure("10 connections that send 20 MB of headers each: memory", "MiB", MOST_MEMORY, heads, heads_plain),
        Figure("the worst JSON of 31 MiB, six at once: memory", "MiB", MOST_MEMORY, shapes),
        Figure("the worst JSON of 31 MiB, six at once: slowest answer of `/livez`", "s", 1, slowest),
        Figure("200,000 requests: growth of memory", "MiB", 5, growth),
    ]
