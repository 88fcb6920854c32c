"""A rollout that fails: the last image that was Ready comes back, and stays until the spec changes."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from metahook.envtest.process import Process
from metahook.simulator.objects import Json
from tests.api.examples.schedule import schedule
from tests.e2e.cluster import Cluster, stopped
from tests.e2e.namespace import Namespace
from tests.e2e.statuses import condition

LAST_READY: Json = {"progressDeadlineSeconds": 2, "rollback": {"mode": "LastReady"}}
READY_IMAGE, ROLLBACK = "mygroup.example.com/readyImage", "mygroup.example.com/rollback"


def remembered(here: Namespace) -> list[str]:
    """Return which of the two annotations the Deployment has."""
    annotations = here.get("Deployment")["metadata"]["annotations"]
    return [name for name in (READY_IMAGE, ROLLBACK) if name in annotations]


def rolled_back(here: Namespace) -> None:
    """Create a MyResource that is Ready, and set an image that can't be pulled; wait until it is rolled back."""
    here.ready(**LAST_READY)
    here.change(image="nginx:bad")
    here.wait_for_status("Failed", "RolledBack")
    here.wait_until_quiet()


def test_the_last_image_comes_back_without_a_restart_and_stays_until_the_spec_changes(
    here: Namespace, metacontroller: Process
) -> None:
    here.ready(**LAST_READY, replicas=2)
    pods, done = here.pods(), here.since()
    assert remembered(here) == [READY_IMAGE]
    assert here.touched().writes == []

    here.change(image="nginx:bad")
    here.wait_for_status("Failed", "RolledBack")
    here.eventually(lambda: here.pods() == pods)
    here.wait_until_quiet()

    assert here.main()["image"] == "nginx:1.27"
    assert here.get("MyResource", "web")["spec"]["image"] == "nginx:bad"
    assert condition(here.get("MyResource", "web"), "Available")["status"] == "True"
    assert here.message().startswith("Image nginx:bad failed (ImagePullFailed), so ")
    assert len(done.children) == 2  # the bad image, and the last one
    assert ("Ready", "Available") not in here.history()[here.history().index(("Building", "ImagePullFailed")) :]
    assert here.touched().writes == []
    metacontroller.restart()
    assert here.touched().writes == []

    here.change(replicas=3)
    here.wait_for_status("Failed", "RolledBack")
    here.eventually(lambda: len(here.pods()) == 3)
    here.wait_until_quiet()
    assert here.main()["image"] == "nginx:1.27"

    here.change(image="nginx:1.28")
    here.wait_until_ready()
    assert here.main()["image"] == "nginx:1.28"
    assert here.get("Deployment")["metadata"]["annotations"][READY_IMAGE] == "nginx:1.28"
    assert remembered(here) == [READY_IMAGE]
    assert here.touched().writes == []


def test_both_annotations_go_with_the_mode_and_the_image_of_the_spec_is_applied(here: Namespace) -> None:
    rolled_back(here)
    assert remembered(here) == [READY_IMAGE, ROLLBACK]

    here.change(rollback=None)
    here.eventually(lambda: here.main()["image"] == "nginx:bad")
    here.wait_for_status("Failed", "ImagePullFailed")
    here.wait_until_quiet()

    assert remembered(here) == []
    assert here.touched().writes == []


@contextmanager
def suspended(here: Namespace, cluster: Cluster) -> Iterator[None]:
    del cluster
    here.change(suspend=True)
    here.wait_for_status("Suspended", "Suspended")
    yield
    here.change(suspend=False)


@contextmanager
def invalid(here: Namespace, cluster: Cluster) -> Iterator[None]:
    del cluster
    here.change(**schedule(timeZone="Europe/Bonn"))
    here.wait_for_status("Failed", "InvalidSpec")
    yield
    here.change(schedule=None)


@contextmanager
def annotated_without_hook(here: Namespace, cluster: Cluster) -> Iterator[None]:
    with stopped(cluster.hook):
        yield
        here.wait_until_quiet(1.1)  # times are in whole seconds
        here.edit("Deployment", {"metadata": {"annotations": {"example.com/note": "b"}}})


@pytest.mark.parametrize("deciding_is_impossible", [suspended, invalid, annotated_without_hook])
def test_a_failure_that_nothing_decides_at_its_deadline_is_rolled_back_later(
    here: Namespace, cluster: Cluster, deciding_is_impossible: Callable[..., AbstractContextManager[None]]
) -> None:
    here.ready(**LAST_READY)
    here.change(image="nginx:bad")
    here.wait_for_status("Building", "ImagePullFailed")

    with deciding_is_impossible(here, cluster):
        here.eventually(
            lambda: condition(here.get("Deployment"), "Progressing")["reason"] == "ProgressDeadlineExceeded"
        )

    here.wait_for_status("Failed", "RolledBack")
    here.wait_until_quiet()
    assert here.main()["image"] == "nginx:1.27"
    assert here.touched().writes == []


def test_it_stays_rolled_back_when_suspended_and_resumed_and_repairs_what_others_change(here: Namespace) -> None:
    rolled_back(here)

    here.edit("Deployment", {"spec": {"replicas": 2}})
    here.wait_for_status("Failed", "RolledBack")
    here.eventually(lambda: here.get("Deployment")["spec"]["replicas"] == 1)
    here.wait_until_quiet()
    assert here.main()["image"] == "nginx:1.27"

    here.change(suspend=True)
    here.wait_for_status("Suspended", "Suspended")
    assert here.touched().writes == []
    assert here.main()["image"] == "nginx:1.27"

    here.change(suspend=False)
    here.wait_for_status("Failed", "RolledBack")
    here.wait_until_quiet()
    assert here.main()["image"] == "nginx:1.27"

    here.change(image="nginx:1.28")
    here.wait_until_ready()


def test_an_image_that_was_set_without_pods_is_replaced_once_it_fails(here: Namespace) -> None:
    here.ready(**LAST_READY)
    here.change(replicas=0, image="nginx:bad")
    here.wait_for_status("Ready", "ScaledToZero")
    here.wait_until_quiet()
    assert here.main()["image"] == "nginx:bad"

    here.change(replicas=1)
    here.wait_for_status("Failed", "RolledBack")
    here.wait_until_quiet()

    assert here.main()["image"] == "nginx:1.27"
    assert here.touched().writes == []


def test_an_image_does_not_come_back_for_a_missing_config_map_or_the_deadline_of_an_earlier_rollout(
    here: Namespace,
) -> None:
    here.ready(**LAST_READY)
    here.change(image="nginx:1.28")
    here.wait_until_ready()
    here.change(image="nginx:bad", envFrom=[{"configMapRef": {"name": "absent"}}])
    here.wait_for_status("Failed", "ConfigNotFound")
    here.wait_until_quiet()

    assert here.main()["image"] == "nginx:bad"
    assert remembered(here) == [READY_IMAGE]

    # Its ReplicaSet exists, so at first the Deployment still reports the deadline that nginx:bad exceeded.
    here.change(image="nginx:1.27", envFrom=None)
    here.wait_until_ready()
    assert ("Failed", "RolledBack") not in here.history()
