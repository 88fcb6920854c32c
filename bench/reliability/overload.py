"""Overload: 500 clients that send requests as fast as they are answered."""

import asyncio
import re
import time

from bench.reliability.client import Client, Results, load
from bench.reliability.figures import Figure
from bench.reliability.senders import flood
from bench.reliability.targets import MOST_MEMORY, Target, plain, served

SENDERS = 500
SECONDS = 8.0
PATIENCE = 30.0
RETRY_AFTER = re.compile(rb"\r\nretry-after: [1-5]\r\n", re.IGNORECASE)


async def overloaded(target: Target, raw: bytes) -> tuple[Results, float]:
    """Return how the requests end, and after how many seconds a single client is served as before."""
    calm = await load(target.port, raw, 3, clients=1)
    results = await asyncio.to_thread(flood, target.port, raw, SECONDS, SENDERS)
    begin = time.monotonic()
    client, usual = Client(target.port), max(calm.percentile(0.99), 5) / 1000
    while True:
        single = Results()
        await client.send(raw, single)
        if single.seconds and single.seconds[0] <= usual:
            return results, time.monotonic() - begin
        if time.monotonic() - begin > PATIENCE:
            return results, float("inf")


def figures(raw: bytes) -> list[Figure]:
    """Measure."""
    with served() as target:
        target.forget_peak()
        results, recovery = asyncio.run(overloaded(target, raw))
        peak = target.memory("VmHWM")
    with plain() as target:
        without, _ = asyncio.run(overloaded(target, raw))
    failed = results.codes.total() - results.codes["200"] - results.codes["429"]
    undelayed = sum(not RETRY_AFTER.search(head) for head in results.headers)
    return [
        Figure("500 senders: p99 of the 200s", "ms", 80, results.percentile(0.99), without.percentile(0.99)),
        Figure("500 senders: responses that are neither 200 nor 429, and time-outs", "", 0, failed),
        Figure("500 senders: 429s without a Retry-After of 1 to 5 s", "", 0, undelayed),
        Figure("500 senders: until a request takes as long as before", "s", 2, recovery),
        Figure("500 senders: memory", "MiB", MOST_MEMORY, peak),
    ]
