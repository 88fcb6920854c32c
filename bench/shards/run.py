"""One run: a number of shards, from the first MyResource to a restart of all Metacontrollers."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from bench.shards.crowd import Crowd, wait_until_quiet
from bench.shards.load import Load, load_of, memory
from metahook.envtest.binaries import Binaries
from metahook.simulator.metacontroller.settings import Mode
from tests.e2e.cluster import Cluster
from tests.e2e.sharded import metacontrollers, split

MODE: Mode = "server-side-apply"
EVENTS = 1000
"""Changes of a ConfigMap that no MyResource uses."""


@dataclass(frozen=True)
class Result:
    """The figures of a run.

    *created*, *restarted*: seconds until all are Ready, and until the hook is called no more. *creation*, *restart*:
    the load of these; *few*, *many*: the load of EVENTS with one MyResource for each shard, and with all. *memory*: MiB
    of each Metacontroller, after the restart; *empty*: before the creation. *related*: events of Pods and Services, the
    kinds that rules select, during the creation.
    """

    shards: int
    size: int
    created: float
    restarted: float
    creation: Load
    restart: Load
    few: Load
    many: Load
    memory: tuple[int, ...]
    empty: tuple[int, ...]
    related: int


def run(binaries: Binaries, shards: int, size: int) -> Result:
    """Measure *size* MyResources in so many *shards*."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cluster = Cluster(binaries, folder, records=False)
        try:
            cluster.start()
            split(cluster, shards)
            return _measure(cluster, shards, size, folder)
        finally:
            cluster.stop()


def _measure(cluster: Cluster, shards: int, size: int, folder: Path) -> Result:
    crowd = Crowd(cluster, size, shards)
    with metacontrollers(cluster, MODE, shards, folder) as processes:
        loads: list[Load] = []

        def used() -> Load:
            """Return the load since the last call."""
            wait_until_quiet(processes)
            loads.append(load_of(cluster, processes))
            return loads[-1].since(loads[-2]) if len(loads) > 1 else loads[-1]

        crowd.prepare()
        used()
        crowd.events(EVENTS)
        few = used()
        empty, related = tuple(map(memory, processes)), crowd.related()
        created = crowd.create()
        creation = used()
        related = crowd.related() - related
        crowd.events(EVENTS)
        many = used()
        before = load_of(cluster, processes)
        for process in processes:
            process.restart()
        restarted = wait_until_quiet(processes)
        after = load_of(cluster, processes)
        none = (0.0,) * shards  # Why here: a new process has used nothing yet
        restart = after.since(Load(none, before.hook, before.apiserver, 0, 0))
        sizes = tuple(map(memory, processes))
        return Result(shards, size, created, restarted, creation, restart, few, many, sizes, empty, related)
