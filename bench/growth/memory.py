"""The memory of a served hook over many requests, each of which differs from all others.

They are about more MyResources than the hook can remember, so what it remembers reaches its bound first; after that,
memory must not grow.
"""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import mean

from bench.growth.requests import at_rest
from bench.reliability.client import Client, Results, request
from bench.reliability.targets import Target, served
from tests.build import UID

REQUESTS = 200_000
WARM_UP = 0.25
"""Share of the requests."""

MAX_GROWTH = 4.0
"""MiB, from the first half of the requests after the warm-up to the second."""

SAMPLES = 80
NAMES = 4000
CLIENTS = 5

_NAME, _VERSION = "web-00000", "000000000"


@dataclass(frozen=True)
class Memory:
    """The memory of a hook in MiB, sampled at equal distances over so many *requests*; *failed* were not answered."""

    requests: int
    samples: list[float]
    failed: int

    @property
    def growth(self) -> float:
        """MiB from the first half after the warm-up to the second."""
        after = self.samples[int(len(self.samples) * WARM_UP) :]
        half = len(after) // 2
        return mean(after[half:]) - mean(after[:half])

    @property
    def is_within(self) -> bool:
        """Whether the goal is met."""
        return self.growth <= MAX_GROWTH and not self.failed


def memory(requests: int = REQUESTS) -> Memory:
    """Send so many *requests* to a served hook."""
    with served() as target:
        return asyncio.run(_send(target, requests))


async def _send(target: Target, requests: int) -> Memory:
    every, results, clients = bodies(requests), Results(), [Client(target.port) for _ in range(CLIENTS)]
    samples = [target.memory()]

    async def run(client: Client, number: int) -> None:
        for _ in range(number):
            await client.send(request(next(every)), results)

    for _ in range(SAMPLES):
        await asyncio.gather(*(run(client, requests // SAMPLES // CLIENTS) for client in clients))
        samples.append(target.memory())
    sent = requests // SAMPLES // CLIENTS * SAMPLES * CLIENTS
    return Memory(sent, samples, sent - results.codes["200"])


def bodies(number: int) -> Iterator[bytes]:
    """Yield so many different requests about MyResources at rest, with other names, uids and resource versions."""
    spec = {"env": [{"name": f"VARIABLE_{each}", "value": "a value"} for each in range(10)]}
    whole = json.loads(at_rest(spec, name=_NAME))
    whole["parent"]["metadata"]["resourceVersion"] = _VERSION
    template = json.dumps(whole).encode()
    for each in range(number):
        number_of_name = each % NAMES
        named = template.replace(_NAME.encode(), b"web-%05d" % number_of_name)
        # Why a part of the uid: the generation stamp of a child has the first part alone.
        identified = named.replace(UID[:8].encode(), b"%08d" % number_of_name)
        yield identified.replace(_VERSION.encode(), b"%09d" % each)
