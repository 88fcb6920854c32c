"""Overload: 500 clients that send requests as fast as they are answered."""

import asyncio
import re
import time

from bench.reliability.client import Client, Results, load
from bench.reliability.figures import Figure
from bench.reliability.targets import Target, plain, served

SENDERS = 500
SECONDS = 8.0
RETRY_AFTER = re.compile(rb"\r\nretry-after: [1-5]\r\n", re.IGNORECASE)


async def overloaded(target: Target, raw: bytes) -> tuple[Results, float]:
    """Return how the requests end, and after how many seconds a single client is served as before."""
    calm = await load(target.port, raw, 3, clients=1)
    results = await load(target.port, raw, SECONDS, clients=SENDERS, pause=0)
    begin = time.monotonic()
    client, usual = Client(target.port), max(calm.percentile(0.99), 5) / 1000
    while True:
        single = Results()
        await client.send(raw, single)
        if single.seconds and single.seconds[0] <= usual:
            return results, time.monotonic() - begin
        if time.monotonic() - begin > 30:
            return results, float("inf")


def figures(raw: bytes) -> list[Figure]:
    """Measure."""
    with served() as target:
        target.forget_peak()
        results, recovery = asyncio.run(overloaded(target, raw))
        peak = target.memory("VmHWM")
    with plain() as target:
        without, _ = asyncio.run(overloaded(target, raw))
    p99, p99_plain = results.percentile(0.99), without.percentile(0.99)
    others = {code: count for code, count in results.codes.items() if code not in {"200", "429"}}
    has_delay = all(RETRY_AFTER.search(head) for head in results.headers)
    codes = ", ".join(f"{count} x {code}" for code, count in sorted(results.codes.items()))
    return [
        Figure("500 senders: p99 of the 200s", "at most 250 ms", f"{p99:.0f} ms", f"{p99_plain:.0f} ms", p99 <= 250, p99_plain > 250),
        Figure("500 senders: answers", "200, or 429 with Retry-After; no time-outs", codes, "", not others and has_delay),
        Figure("500 senders: recovery", "at most 2 s", f"{recovery:.1f} s", "", recovery <= 2),
        Figure("500 senders: memory", "at most 200 MiB", f"{peak:.0f} MiB", "", peak <= 200),
    ]
