"""Faults strike during work; in the end all objects are as without faults."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from metahook.envtest.binaries import find_binaries
from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Key
from tests.e2e.audit import deleted, stored
from tests.e2e.cluster import Cluster
from tests.e2e.ends import ended, moved, replaced, versions
from tests.e2e.faults import FAULTS, WRONG, Scene, ask, strike_all
from tests.e2e.figures import Figures
from tests.e2e.fresh import differences
from tests.e2e.hook import NEXT, Hook
from tests.e2e.namespace import Namespace
from tests.e2e.proxy import MISBEHAVIOURS, Proxy
from tests.e2e.record import Version
from tests.e2e.statuses import condition, state_and_reason
from tests.e2e.truth import incoherent, untrue, written
from tests.e2e.work import SPECS, Work
from toolkit.slow import short_or_whole

MANY = short_or_whole(30, 200)
QUIET = 60.0
"""Seconds from the last fault until nothing changes."""

REST = short_or_whole(20.0, 60.0)
"""Seconds without a change after that."""

ROUGH, CALM, CROWD = "rough", "calm", "crowd"
"""Namespaces: for work with faults, for the same work without faults, and for many parents."""


@dataclass(frozen=True)
class Endured:
    """The record of a run with faults, and its end."""

    cluster: Cluster
    scene: Scene
    crowd_after: float
    """Seconds until all parents that were created at once were Ready."""
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
    crowd_after = _many_at_once(scene)
    last = time.time()
    scene.work.is_done()
    _calm(scene)
    scene.work.there.eventually(lambda: time.time() > last + QUIET, within=2 * QUIET)
    before = versions(scene.cluster.client, ROUGH, CROWD)
    end = time.time() + REST
    scene.work.there.eventually(lambda: time.time() > end, within=2 * REST)
    return Endured(scene.cluster, scene, crowd_after, before, versions(scene.cluster.client, ROUGH, CROWD))


def _many_at_once(scene: Scene) -> float:
    """Create many parents; kill Metacontroller when some have a child; return the seconds until all are Ready."""
    start = time.time()
    crowd, record = Namespace(scene.cluster, CROWD), scene.cluster.record
    for number in range(MANY):
        crowd.make(f"web{number}")
    crowd.eventually(lambda: len(record.everything("Deployment", CROWD)) > MANY / 4)
    FAULTS["Metacontroller killed"].happen(scene)
    crowd.eventually(lambda: _ready(record.everything("MyResource", CROWD)) == MANY, within=180)
    return time.time() - start


def _calm(scene: Scene) -> None:
    """Do the same work without faults."""
    work = Work(Namespace(scene.cluster, CALM), scene.cluster.record)
    for _ in range(scene.work.rounds):
        work.goes_on()
    work.is_done()


def _ready(parents: dict[Key, list[Version]]) -> int:
    return sum(state_and_reason(versions[-1].item) == ("Ready", "Available") for versions in parents.values())


def test_every_fault_struck_during_work(endured: Endured, mode: Mode, figures: Figures) -> None:
    figures.note("faults without lasting effect", mode, sum(fault.times for fault in FAULTS.values()) + 1)
    figures.note("rounds of changes during faults", mode, endured.scene.work.rounds)

    parents = endured.cluster.record.everything("MyResource", ROUGH).values()
    said = {condition(version.item, "Ready").get("message", "") for versions in parents for version in versions}
    assert any(message.endswith("Next.") for message in said)
    assert all(endured.scene.proxy.went_wrong[how] >= FAULTS[f"hook {how}"].times * WRONG for how in MISBEHAVIOURS)


def test_the_end_is_the_same_as_without_faults(endured: Endured) -> None:
    rough, calm = (ended(endured.cluster.client, namespace) for namespace in (ROUGH, CALM))

    assert len(calm) == 2 * len(SPECS) + 1  # one of them has a Service
    assert {name: item for name, item in rough.items() if calm.get(name) != item} == {}
    assert rough.keys() == calm.keys()


def test_all_children_equal_fresh_ones_in_the_end(endured: Endured) -> None:
    assert [line for name in SPECS for line in differences(endured.scene.work.there, name)] == []


@pytest.mark.parametrize("kind", ["MyResource", "Deployment", "Service"])
def test_no_child_of_a_live_parent_is_deleted(endured: Endured, kind: str) -> None:
    assert deleted(endured.cluster.audit.requests) == []
    assert replaced(endured.cluster.record, kind, ROUGH) == []
    assert replaced(endured.cluster.record, kind, CROWD) == []


def test_many_parents_at_once_get_ready(endured: Endured, mode: Mode, figures: Figures) -> None:
    figures.note(f"seconds until {MANY} MyResources were Ready", mode, f"{endured.crowd_after:.0f}")

    assert len(endured.cluster.record.everything("Deployment", CROWD)) == MANY


def test_a_minute_after_the_last_fault_nothing_changes_any_more(endured: Endured) -> None:
    assert list(moved(endured.before, endured.after)) == []


def test_ready_is_never_early_whatever_breaks(endured: Endured, mode: Mode, figures: Figures) -> None:
    """It can be late while Metacontroller or the hook is down."""
    record = stored(endured.cluster.audit_log, endured.cluster.record)
    statuses = written(record, since=0)

    found = untrue(record, statuses)

    figures.note("statuses under faults", mode, len(statuses))
    figures.note("statuses with Ready too early under faults", mode, sum(each.early for each in found))
    figures.note("statuses with Ready too late under faults", mode, sum(not each.early for each in found))
    assert [each for each in found if each.early] == []
    assert incoherent(statuses) == []
