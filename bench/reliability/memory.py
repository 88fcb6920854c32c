"""Memory: bodies that are held, heads that do not end, hostile JSON, and 200,000 requests."""

import asyncio
from contextlib import suppress

from bench.reliability.client import GONE, Client, Results, load, request, slowest_answer
from bench.reliability.figures import Figure
from bench.reliability.targets import MIB, Target, plain, served

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
        slowest_plain = asyncio.run(send_shapes(target))
    return [
        Figure("60 connections that hold 4 MiB each: memory", "at most 200 MiB", f"{held:.0f} MiB", f"{held_plain:.0f} MiB", held <= 200, None),
        Figure("20 MB of headers: memory", "at most 200 MiB", f"{heads:.0f} MiB", f"{heads_plain:.0f} MiB", heads <= 200, None),
        Figure("the worst JSON of 32 MiB: memory", "at most 200 MiB", f"{shapes:.0f} MiB", "", shapes <= 200),
        Figure("the worst JSON of 32 MiB: `/livez`", "at most 1 s", f"{slowest:.2f} s", f"{slowest_plain:.2f} s", slowest <= 1, None),
        Figure("200,000 requests: memory", "at most 5 MiB more", f"{growth:.1f} MiB more", "", growth <= 5),
    ]
