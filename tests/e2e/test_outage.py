"""The hook was away, or its clock is wrong: when all statuses are true again, and what they say."""

import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from metahook.envtest.binaries import find_binaries
from metahook.simulator.metacontroller.settings import Mode
from tests.e2e.cluster import Cluster, started
from tests.e2e.hook import AHEAD, THIS
from tests.e2e.namespace import Namespace, child
from tests.e2e.real_kubectl import RealKubectl
from tests.e2e.statuses import condition
from tests.e2e.truth import times

NAMES = ("one", "two", "three")
NUMBERS = itertools.count(1)
SYNC_ALL = (
    "kubectl annotate myresources --all --all-namespaces --overwrite "
    'mygroup.example.com/sync-requested-at="$(date +%s)"'
)
"""The command of docs/clusters/operate.md."""

EVENTS = 10
RESYNC = 15
MARGIN = 6.0
"""Seconds that the syncs take, on a machine that is shared."""


@dataclass(frozen=True)
class Scene:
    """A cluster whose hook can be away."""

    cluster: Cluster

    def resync_every(self, seconds: int) -> None:
        """Change resyncPeriodSeconds, and wait for the sync of all MyResources that follows."""
        change = {"spec": {"resyncPeriodSeconds": seconds}}
        self.cluster.client.change("CompositeController", "", "myresource", change)
        time.sleep(2)

    def outage(self, here: Namespace) -> None:
        """Stop the hook, lose the Pods of all MyResources after many events, and start it again."""
        self.cluster.hook.stop()
        for number in range(EVENTS):
            for name in NAMES:
                change = {"metadata": {"annotations": {"example.com/event": str(number)}}}
                here.edit("Deployment", change, child("Deployment", name))
            time.sleep(0.5)
        for pod in here.client.all("Pod", here.name):
            status = {**pod["status"], "conditions": [{"type": "Ready", "status": "False"}]}
            here.client.change("Pod", here.name, pod["metadata"]["name"], {"status": status}, part="/status")
        here.eventually(lambda: all(not available(here, name) for name in NAMES))
        time.sleep(5)
        self.cluster.hook.start()


def available(here: Namespace, name: str) -> bool:
    status = here.get("Deployment", child("Deployment", name)).get("status", {})
    return bool(status.get("availableReplicas"))


def are_true(here: Namespace) -> bool:
    """Tell whether each status says that the Pods are lost."""
    return all(here.state_and_reason(name)[0] != "Ready" for name in NAMES)


@pytest.fixture(scope="module")
def scene(mode: Mode, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """Return a new cluster, as the hook of the others must not stop."""
    cluster = Cluster(find_binaries(), tmp_path_factory.mktemp("outage"), records=False)
    with started(cluster, cluster.metacontroller(mode)):
        yield Scene(cluster)


@pytest.fixture(name="here")
def _here(scene: Scene) -> Iterator[Namespace]:
    made = Namespace(scene.cluster, f"away{next(NUMBERS)}")
    for name in NAMES:
        made.make(name)
    for name in NAMES:
        made.wait_until_ready(name)
    yield made
    made.close()


def test_after_an_outage_every_status_is_true_within_the_resync_period(scene: Scene, here: Namespace) -> None:
    """Metacontroller has doubled the delay of each key with each failed event. A resync does not wait for it."""
    scene.resync_every(RESYNC)
    scene.outage(here)

    here.eventually(lambda: are_true(here), within=RESYNC + MARGIN)


def test_the_command_of_the_page_makes_every_status_true_at_once_and_changes_no_child(
    scene: Scene, here: Namespace
) -> None:
    scene.resync_every(600)
    scene.outage(here)
    time.sleep(MARGIN)
    assert not are_true(here)  # the negative control: without a resync they stay as they were

    done = here.since()
    RealKubectl(scene.cluster.control_plane.kubeconfig("admin")).run(SYNC_ALL, "")

    here.eventually(lambda: are_true(here), within=MARGIN)
    here.wait_until_quiet()
    assert done.children == []


def findings(here: Namespace) -> str:
    return str(condition(here.get("MyResource", NAMES[0]), "OperatorMisconfigured").get("reason", ""))


def test_a_clock_that_is_ahead_is_found_and_no_status_has_a_time_of_it(scene: Scene, here: Namespace) -> None:
    hook, since = scene.cluster.hook, time.time()
    usual = hook.command
    hook.stop()
    hook.command = [*AHEAD, *usual[len(THIS) :]]
    hook.start()
    try:
        for number in range(3):
            here.change(NAMES[0], image=f"nginx:{number}", rollback={"mode": "LastReady"})
            here.wait_until_ready(NAMES[0])
            assert findings(here) == "ClockSkewed"
        assert here.touched(NAMES[0]).writes == []
    finally:
        hook.stop()
        hook.command = usual
        hook.start()
    assert here.touched(NAMES[0]).writes == []

    here.change(NAMES[0], image="nginx:right")
    here.wait_until_ready(NAMES[0])

    assert findings(here) == ""
    assert times(scene.cluster.record, since).violations == []
