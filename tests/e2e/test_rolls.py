"""The hook's replicas are replaced one by one while MyResources change, and Metacontroller sees no failure."""

import itertools
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from metahook.envtest.binaries import find_binaries
from metahook.envtest.process import Process
from metahook.simulator.metacontroller.settings import Mode
from tests.e2e.cluster import Cluster, started
from tests.e2e.hook import Hook
from tests.e2e.installed import controller
from tests.e2e.namespace import Namespace
from toolkit.balancer import Balancer

CHANGES = 150
NAMES = [f"web{number}" for number in range(30)]
AT_ONCE = 4
"""Changes, so that Metacontroller opens connections: it keeps only two that are idle."""
DRAIN = 1
REMOVED_AFTER = 0.3
"""Seconds from SIGTERM until a replica gets no more connections."""


class Rolling:
    """Two replicas of the hook behind *balancer*; their logs are in *folder*."""

    def __init__(self, balancer: Balancer, folder: Path) -> None:
        self._balancer = balancer
        self._folder = folder
        self._numbers = itertools.count(1)
        self._replicas: list[Hook] = []

    def start(self) -> None:
        """Start both replicas."""
        self._add()
        self._add()

    def _add(self) -> None:
        replica = Hook(f"replica{next(self._numbers)}", self._folder, f"--drain={DRAIN}")
        self._replicas.append(replica)
        replica.start()
        self._balancer.add(replica.url)

    def replace(self) -> None:
        """Replace the oldest replica."""
        self._add()
        old = self._replicas.pop(0)
        removed = threading.Timer(REMOVED_AFTER, self._balancer.remove, [old.url])
        removed.start()
        old.stop()
        removed.join()

    def kill(self) -> None:
        """Kill all replicas, which stay endpoints."""
        for replica in self._replicas:
            replica.stop(signal.SIGKILL)

    def stop(self) -> None:
        """Stop all replicas."""
        for replica in self._replicas:
            replica.stop(signal.SIGINT)


class Changes:
    """Changes of MyResources in *here*."""

    def __init__(self, here: Namespace) -> None:
        self._here = here
        self.count = 0
        for name in NAMES:
            here.make(name, replicas=0)
        self._settle()

    @contextmanager
    def during(self, least: int) -> Iterator[None]:
        """Change MyResources until the block ends, and at *least* so many times; then wait until all are applied."""
        done = threading.Event()
        with ThreadPoolExecutor(AT_ONCE) as threads:
            shares = [NAMES[turn::AT_ONCE] for turn in range(AT_ONCE)]
            changed = [threads.submit(self._change, names, done, least) for names in shares]
            try:
                yield
            finally:
                done.set()
        for each in changed:
            each.result()
        self._settle()

    def _change(self, names: list[str], done: threading.Event, least: int) -> None:
        while self.count < least or not done.is_set():
            for name in names:
                self.count += 1
                self._here.change(name, memory=f"{64 + self.count}Mi")

    def _settle(self) -> None:
        for name in NAMES:
            self._here.wait_for_status("Ready", "ScaledToZero", name)


def failures(metacontroller: Process) -> list[str]:
    """Return what Metacontroller has logged about calls of the hook that failed."""
    lines = metacontroller.text().splitlines()
    return [line for line in lines if "http error" in line or "unsupported status code" in line]


def test_a_rolling_restart_during_changes_fails_no_sync(mode: Mode, tmp_path: Path) -> None:
    cluster = Cluster(find_binaries(), tmp_path)
    metacontroller = cluster.metacontroller(mode)
    with started(cluster), Balancer() as balancer, started(rolling := Rolling(balancer, tmp_path), metacontroller):
        cluster.client.apply(controller(f"http://{balancer.address}"))
        here = Namespace(cluster, "rolls")
        changes = Changes(here)
        before = len(failures(metacontroller))

        with changes.during(CHANGES):
            for _ in range(2):
                rolling.replace()

        assert failures(metacontroller)[before:] == []
        assert [event for event in here.client.all("Event", here.name) if event["reason"] == "SyncError"] == []

        rolling.kill()
        here.change(NAMES[0], memory="1Gi")

        here.eventually(lambda: failures(metacontroller)[before:] != [])  # so a failed call would have been seen
