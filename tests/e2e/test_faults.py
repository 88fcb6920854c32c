"""Faults strike during work; in the end all objects are as without faults."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from metahook.envtest.binaries import find_binaries
from metahook.simulator.metacontroller.settings import Mode
from tests.e2e.audit import deleted, stored
from tests.e2e.cluster import Cluster
from tests.e2e.ends import ended, moved, replaced, versions
from tests.e2e.faults import FAULTS, WRONG, Scene, ask, strike_all
from tests.e2e.hook import NEXT, Hook
from tests.e2e.namespace import Namespace
from tests.e2e.proxy import MISBEHAVIOURS, Proxy
from tests.e2e.statuses import condition
from tests.e2e.truth import incoherent, untrue, written
from tests.e2e.work import SPECS, Work
from toolkit.slow import short_or_whole

QUIET = 60.0
"""Seconds from the last fault until nothing changes."""

REST = short_or_whole(20.0, 60.0)
"""Seconds without a change after that."""

ROUGH, CALM = "rough", "calm"
"""Namespaces: for work with faults, and for the same work without faults."""


@dataclass(frozen=True)
class Endured:
    """The record of a run with faults, and its end."""

    cluster: Cluster
    scene: Scene
    before: dict[str, str]
    after: dict[str, str]
    """The resourceVersion of each object a minute after the last fault, and REST seconds later."""


@pytest.fixture(scope="module")
def endured(mode: Mode, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endured]:
    """Strike all faults in a new cluster, and wait for a time without a change."""
    cluster = Cluster(find_binaries(), tmp_path_factory.mktemp("faults"))
    metacontroller, other = cluster.metacontroller(mode), Hook("next-hook", cluster.folder, version=NEXT)
    try:
        cluster.start()
        other.start()
        with Proxy(cluster.url) as proxy:
            ask(cluster, proxy)
            metacontroller.start()
            scene = Scene(cluster, metacontroller, proxy, other, Work(Namespace(cluster, ROUGH), cluster.record))
            yield _endured(scene)
    finally:
        metacontroller.stop()
        other.stop()
        cluster.stop()


def _endured(scene: Scene) -> Endured:
    strike_all(scene)
    last = time.time()
    scene.work.is_done()
    _calm(scene)
    scene.work.there.eventually(lambda: time.time() > last + QUIET, within=2 * QUIET)
    before = versions(scene.cluster.client, ROUGH)
    end = time.time() + REST
    scene.work.there.eventually(lambda: time.time() > end, within=2 * REST)
    return Endured(scene.cluster, scene, before, versions(scene.cluster.client, ROUGH))


def _calm(scene: Scene) -> None:
    """Do the same work without faults."""
    work = Work(Namespace(scene.cluster, CALM), scene.cluster.record)
    for _ in range(scene.work.rounds):
        work.goes_on()
    work.is_done()


def test_every_fault_struck_during_work(endured: Endured) -> None:
    parents = endured.cluster.record.everything("MyResource", ROUGH).values()
    said = {condition(version.item, "Ready").get("message", "") for versions in parents for version in versions}
    assert any(message.endswith("Next.") for message in said)
    assert all(endured.scene.proxy.went_wrong[how] >= FAULTS[f"hook {how}"].times * WRONG for how in MISBEHAVIOURS)


def test_the_end_is_the_same_as_without_faults(endured: Endured) -> None:
    rough, calm = (ended(endured.cluster.client, namespace) for namespace in (ROUGH, CALM))

    assert len(calm) == 2 * len(SPECS) + 1  # one of them has a Service
    assert {name: item for name, item in rough.items() if calm.get(name) != item} == {}
    assert rough.keys() == calm.keys()


@pytest.mark.parametrize("kind", ["MyResource", "Deployment", "Service"])
def test_no_child_of_a_live_parent_is_deleted(endured: Endured, kind: str) -> None:
    assert deleted(endured.cluster.audit.requests) == []
    assert replaced(endured.cluster.record, kind, ROUGH) == []


def test_a_minute_after_the_last_fault_nothing_changes_any_more(endured: Endured) -> None:
    assert list(moved(endured.before, endured.after)) == []


def test_ready_is_never_early_whatever_breaks(endured: Endured) -> None:
    """It can be late while Metacontroller or the hook is down."""
    record = stored(endured.cluster.audit_log, endured.cluster.record)
    statuses = written(record, since=0)

    assert [each for each in untrue(record, statuses) if each.early] == []
    assert incoherent(statuses) == []
