"""Measures what ``serve --record`` costs: ``make bench``.

The same requests are sent to a hook that records and to one that does not. The ratios of one run hold on any machine;
the time of the process includes what its recording thread takes after the responses were sent.
"""

import http.client
import secrets
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import quantiles
from typing import NamedTuple
from urllib.parse import urlsplit

from bench.process_tree import cpu
from metahook.protocol.sender import sync_request
from tests.build import child, grouped, my_resource, owned, rolled_out, sync
from tests.calling import JSON
from tests.large import KIB, config_maps, padded
from tests.pods import crashing, pod, shown
from tests.serving import served

WARM_UP = 4

IDLE = 0.5
"""Seconds without CPU time after which nothing waits to be recorded."""

TIMEOUT = 60
"""Seconds."""


class Cost(NamedTuple):
    """What a request costs; times in milliseconds."""

    cpu: float
    p99: float
    per_second: float
    recorded: int

    def over(self, other: "Cost") -> str:
        """Return this as text, with the ratios to the *other*."""
        cpu = f"{self.cpu:.2f} ms of CPU ({self.cpu / other.cpu:.1f}x)"
        p99 = f"p99 {self.p99:.0f} ms ({self.p99 / other.p99:.1f}x)"
        rate = f"{self.per_second:.0f} requests a second ({self.per_second / other.per_second:.2f}x)"
        return f"{cpu}, {p99}, {rate}, {self.recorded} recorded"


def body(pods: int, maps: int) -> bytes:
    """Return a sync request of a MyResource that uses values and ConfigMaps, with Pods of the size of real ones."""
    uses = [{"configMapRef": {"name": f"c{number}"}} for number in range(maps)]
    env = [{"name": f"V{number}", "value": "x" * 100} for number in range(20)]
    parent, found = my_resource(replicas=pods, env=env, envFrom=uses), config_maps(maps, 64 * KIB)
    desired = child(sync(parent, related=found), "Deployment")
    deployment = padded(rolled_out(owned(desired, parent)), 4 * KIB)
    made = [padded(pod(crashing(), name=f"web-deployment-{number}"), 10 * KIB) for number in range(pods)]
    return sync_request(parent, grouped(deployment), {**shown(*made), **found})


def measure(request: bytes, clients: int, number: int, folder: Path, *options: str) -> Cost:
    """Return what each of *number* requests costs a hook with *options*, which records into *folder* if at all."""
    with served(sys.executable, "-m", "app", "serve", *options) as hook, ThreadPoolExecutor(clients) as threads:
        _send(hook.url, request, WARM_UP)
        _wait_until_idle(hook.process.pid)
        before, start = cpu(hook.process.pid), time.monotonic()
        times = [
            each
            for sent in threads.map(lambda _: _send(hook.url, request, number // clients), range(clients))
            for each in sent
        ]
        took = time.monotonic() - start
        _wait_until_idle(hook.process.pid)
        used = cpu(hook.process.pid) - before
    recorded = max(0, len(list(folder.iterdir())) - WARM_UP)
    return Cost(1000 * used / len(times), 1000 * quantiles(times, n=100)[-1], len(times) / took, recorded)


def _send(url: str, request: bytes, number: int) -> list[float]:
    """Return the seconds that each of *number* responses took, over one connection."""
    address = urlsplit(url)
    connection = http.client.HTTPConnection(str(address.hostname), address.port, timeout=TIMEOUT)
    times = []
    for _ in range(number):
        start = time.monotonic()
        unique = request[:-1] + f',"unread":"{secrets.token_hex()}"}}'.encode()  # so that no answer is remembered
        connection.request("POST", "/sync", unique, JSON)
        response = connection.getresponse()
        response.read()
        times.append(time.monotonic() - start)
        if response.status != http.client.OK:
            message = f"the hook answered with {response.status}"
            raise RuntimeError(message)
    connection.close()
    return times


def _wait_until_idle(pid: int) -> None:
    """Wait until a process has written what waits to be recorded."""
    used = -1.0
    while used != (used := cpu(pid)):
        time.sleep(IDLE)


def main() -> None:
    """Print the costs for a usual and for a large request. Why one client for that: more would fill the memory."""
    for pods, maps, clients, number in ((3, 0, 4, 400), (300, 16, 1, 10)):
        request = body(pods, maps)
        print(f"{pods} Pods and {maps} ConfigMaps, {len(request) // KIB} KiB, sent {number} times, {clients} at once:")
        with tempfile.TemporaryDirectory() as parent:
            folders = [Path(parent) / name for name in ("none", "redacted", "values")]
            for folder in folders:
                folder.mkdir(mode=0o700)
            records = [("--record", str(folder), "--record-limit", "4000") for folder in folders]
            without = measure(request, clients, number, folders[0])
            print(f"  without --record: {without.over(without)}")
            redacted = measure(request, clients, number, folders[1], *records[1])
            print(f"  --record: {redacted.over(without)}")
            with_values = measure(request, clients, number, folders[2], *records[2], "--record-values")
            print(f"  --record --record-values: {with_values.over(without)}")


if __name__ == "__main__":
    main()
