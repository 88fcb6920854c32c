"""Metacontroller's API server lags: an old spec undoes nothing newer, and an old status moves no transition time."""

import itertools
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest

from app.core.previous_status import REPEATED
from metahook.clock import utc_now
from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Json
from tests.api.examples.schedule import schedule, window
from tests.e2e.cluster import stopped
from tests.e2e.lagging import LaggingCluster, lagging_cluster
from tests.e2e.namespace import PORT, Namespace
from tests.e2e.statuses import condition
from tests.e2e.test_autoscaling import BY_MEMORY
from tests.e2e.test_drift import fight, reverts
from tests.e2e.test_watching import USES, mark, settings
from tests.e2e.truth import backward, moves, too_early, written

OLD, NEW = "nginx:1.27", "nginx:1.28"
NUMBERS = itertools.count(1)


@pytest.fixture(scope="module")
def scene(mode: Mode, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LaggingCluster]:
    """Return a new cluster, as its Metacontroller would disturb others."""
    with lagging_cluster(mode, tmp_path_factory.mktemp("stale")) as made:
        yield made


@pytest.fixture(name="here")
def _here(scene: LaggingCluster) -> Iterator[Namespace]:
    """Return a namespace; afterwards nothing lags."""
    here = Namespace(scene.cluster, f"lags{next(NUMBERS)}")
    yield here
    scene.api.catch_up()
    here.close()


def test_a_stale_request_changes_no_child_and_the_newer_spec_follows(scene: LaggingCluster, here: Namespace) -> None:
    here.ready(image=OLD)
    scene.api.remember()
    here.change(image=NEW, **PORT)
    here.wait_until_ready()
    done = here.since()

    scene.api.lag()
    scene.metacontroller.restart()
    here.eventually(lambda: here.get("MyResource", "web")["status"]["observedGeneration"] == 1)
    here.wait_until_quiet()
    assert done.children == []
    assert (here.main()["image"], here.message()) == (
        NEW,
        "Waiting for Metacontroller to send the generation that Deployment web-deployment was made for.",
    )

    scene.api.catch_up()
    here.wait_until_ready()
    assert done.children == []
    assert here.main()["image"] == NEW


TOUCHED = "example.com/touched"


def touch(here: Namespace) -> None:
    """Cause the event of the MyResource after which none is delivered any more."""
    here.edit("MyResource", {"metadata": {"annotations": {TOUCHED: "1"}}}, "web")
    here.wait_until_quiet()


def lose_pod(here: Namespace) -> None:
    """Let a Pod be unready for a while."""
    touch(here)
    pod = here.client.all("Pod", here.name)[0]
    for status in ("False", "True"):
        since = datetime.fromtimestamp(time.time(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        ready = {"type": "Ready", "status": status, "lastTransitionTime": since}
        change = {"status": {"conditions": [*pod["status"]["conditions"][:-1], ready]}}
        here.client.change("Pod", here.name, pod["metadata"]["name"], change, part="/status")
        wait_for_ready(here, status)


def wait_for_ready(here: Namespace, status: str) -> None:
    """Wait until Ready has this *status*."""
    here.eventually(lambda: condition(here.get("MyResource", "web"), "Ready")["status"] == status)


def wake(here: Namespace) -> None:
    """Let it fall asleep, and wake up by the clock alone."""
    now = utc_now()
    past = window(f"{now - timedelta(hours=2):%H:%M}", f"{now - timedelta(hours=1):%H:%M}")
    here.change(
        **schedule(past, overrideState="Asleep", overrideUntil=f"{now + timedelta(seconds=7):%Y-%m-%dT%H:%M:%SZ}")
    )
    here.wait_for_status("Sleeping", "Sleeping")
    touch(here)
    here.wait_for_status("Ready", "Available")


LAST_CHANGES: dict[str, tuple[Json, str, Callable[[Namespace], None]]] = {
    "another image": ({"replicas": 2}, '"generation":2', lambda here: here.change(image=NEW)),
    "a lost Pod with autoscaling": ({"autoscaling": {**BY_MEMORY, "minReplicas": 2}}, TOUCHED, lose_pod),
    "waking with autoscaling": ({"autoscaling": BY_MEMORY}, TOUCHED, wake),
}
"""The spec, the text of the last event of the MyResource that is delivered, and the change that causes it."""


@pytest.mark.parametrize("what", LAST_CHANGES)
def test_transition_times_stay_those_of_the_transitions_while_requests_have_an_old_status(
    scene: LaggingCluster, here: Namespace, what: str
) -> None:
    """Ready is False and True again before Metacontroller's cache has either."""
    spec, last_event, change = LAST_CHANGES[what]
    here.ready(image=OLD, **spec)
    here.wait_until_quiet(2.2)  # times are in whole seconds
    before = time.time()

    scene.api.hold_after(last_event)
    change(here)
    here.eventually(lambda: len(readiness(scene, here, before)) >= 2)
    here.wait_until_quiet(2.2)
    scene.api.catch_up()
    here.wait_until_ready()

    statuses = written(scene.cluster.record, before, here.name)
    assert readiness(scene, here, before)[-2:] == ["False", "True"]
    assert backward(statuses) == []
    # What the HorizontalPodAutoscaler reports has the time of the sync.
    assert [move for move in moves(statuses, scene.cluster.record) if move.condition != "AutoscalingActive"] == []


def test_a_changed_config_map_is_not_ready_before_a_pod_has_it(scene: LaggingCluster, here: Namespace) -> None:
    here.put(settings())
    here.ready(autoscaling=BY_MEMORY, **USES)
    before, since = mark(here), time.time()
    scene.api.hold_after(TOUCHED)
    touch(here)

    with stopped(scene.cluster.control_plane.controllers):
        here.edit("ConfigMap", {"data": {"level": "debug"}}, "settings")
        here.eventually(lambda: mark(here) != before)
        here.wait_until_quiet()
    scene.api.catch_up()
    here.wait_until_ready()

    statuses = written(scene.cluster.record, since, here.name)
    # At last it is True; a request that arrives then with an old Deployment can make it False for a moment.
    assert readiness(scene, here, since)[:2] == ["False", "True"]
    assert too_early(scene.cluster.record, statuses) == []


def test_replicas_that_others_set_again_and_again_are_reverted_three_times(
    scene: LaggingCluster, here: Namespace
) -> None:
    here.ready()
    scene.api.hold_after(TOUCHED)
    touch(here)

    fight(here)
    assert reverts(here) == REPEATED
    scene.api.catch_up()
    here.wait_for_status("Failed", "Overridden")
    here.wait_until_quiet()

    assert reverts(here) == REPEATED
    assert here.get("MyResource", "web")["status"]["override"]["count"] == REPEATED


def readiness(scene: LaggingCluster, here: Namespace, since: float) -> list[str]:
    """Return the sequence of statuses of Ready."""
    every = [condition(each.after.item, "Ready")["status"] for each in written(scene.cluster.record, since, here.name)]
    return [status for status, _ in itertools.groupby(every)]
