"""The hook's replicas are replaced one by one while MyResources change, and Metacontroller sees no failure.

The replicas serve TLS, and ask for a client certificate and a token.
"""

import itertools
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from metahook.envtest.binaries import find_binaries
from metahook.envtest.process import Process
from metahook.simulator.metacontroller.settings import Mode
from tests.e2e.cluster import Cluster, started
from tests.e2e.figures import Figures
from tests.e2e.hook import Hook
from tests.e2e.namespace import Namespace
from tests.e2e.protection import Protection
from toolkit.balancer import Balancer

CHANGES = 150
NAMES = [f"web{number}" for number in range(30)]
AT_ONCE = 4
"""Changes, so that Metacontroller opens connections: it keeps only two that are idle."""
DRAIN = 1
REMOVED_AFTER = 0.3
"""Seconds from SIGTERM until a replica gets no more connections."""


class Rolling:
    """Two replicas of the hook with *options* behind *balancer*; their logs are in *folder*."""

    def __init__(self, balancer: Balancer, folder: Path, *options: str) -> None:
        self._balancer = balancer
        self._folder = folder
        self._options = (f"--drain={DRAIN}", *options)
        self._numbers = itertools.count(1)
        self._replicas: list[Hook] = []

    def start(self) -> None:
        """Add a replica."""
        replica = Hook(f"replica{next(self._numbers)}", self._folder, *self._options)
        self._replicas.append(replica)
        replica.start()
        self._balancer.add(replica.url)

    def replace(self) -> None:
        """Replace the oldest replica."""
        self.start()
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


@pytest.fixture(name="cluster", scope="module")
def _cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Return a cluster whose hook is not called, where Metacontroller can read Secrets."""
    made = Cluster(find_binaries(), tmp_path_factory.mktemp("rolls"), secrets=True)
    with started(made):
        yield made


@pytest.fixture(name="protection", scope="module")
def _protection(cluster: Cluster) -> Protection:
    """Return certificates and a token, of which Metacontroller has its Secrets."""
    made = Protection(cluster.folder / "protection")
    made.install(cluster.client)
    return made


@pytest.fixture(name="rolling", scope="module")
def _rolling(cluster: Cluster, protection: Protection, mode: Mode) -> Iterator[Rolling]:
    """Return two replicas, which Metacontroller calls; others for each mode."""
    del mode
    with Balancer() as balancer:
        made = Rolling(balancer, cluster.folder, *protection.options)
        try:
            for _ in range(2):
                made.start()
            cluster.client.apply(protection.controller(balancer.address))
            yield made
        finally:
            made.stop()


@pytest.fixture(name="metacontroller", scope="module")
def _metacontroller(cluster: Cluster, rolling: Rolling, mode: Mode) -> Iterator[Process]:
    """Return Metacontroller, which calls the replicas."""
    del rolling
    process = cluster.metacontroller(mode)
    with started(process):
        yield process


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


def test_a_rolling_restart_during_changes_fails_no_sync(
    here: Namespace, metacontroller: Process, rolling: Rolling, mode: Mode, figures: Figures
) -> None:
    changes = Changes(here)
    before = len(failures(metacontroller))

    with changes.during(CHANGES):
        for _ in range(2):
            rolling.replace()

    figures.note("changes during a rolling restart of the hook", mode, changes.count)
    assert failures(metacontroller)[before:] == []
    assert [event for event in here.client.all("Event", here.name) if event["reason"] == "SyncError"] == []

    rolling.kill()
    here.change(NAMES[0], memory="1Gi")

    here.eventually(lambda: failures(metacontroller)[before:] != [])  # so a failed call would have been seen
