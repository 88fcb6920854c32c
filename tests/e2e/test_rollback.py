"""A rollout that fails: the last image that was Ready comes back, and stays until the spec changes."""

from metahook.envtest.process import Process
from metahook.simulator.objects import Json
from tests.e2e.cluster import Cluster, stopped
from tests.e2e.namespace import Namespace
from tests.e2e.statuses import condition

LAST_READY: Json = {"progressDeadlineSeconds": 2, "rollback": {"mode": "LastReady"}}
READY_IMAGE, ROLLBACK = "mygroup.example.com/readyImage", "mygroup.example.com/rollback"


def remembered(here: Namespace) -> list[str]:
    """Return which of the two annotations the Deployment has."""
    annotations = here.get("Deployment")["metadata"]["annotations"]
    return [name for name in (READY_IMAGE, ROLLBACK) if name in annotations]


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


def test_a_failure_that_nothing_decides_at_its_deadline_is_rolled_back_later(here: Namespace, cluster: Cluster) -> None:
    here.ready(**LAST_READY)
    here.change(image="nginx:bad")
    here.wait_for_status("Building", "ImagePullFailed")

    with stopped(cluster.hook):
        here.eventually(
            lambda: condition(here.get("Deployment"), "Progressing")["reason"] == "ProgressDeadlineExceeded"
        )
        here.wait_until_quiet(1.1)  # times are in whole seconds
        here.edit("Deployment", {"metadata": {"annotations": {"example.com/note": "b"}}})

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
