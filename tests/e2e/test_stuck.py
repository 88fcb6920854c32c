"""Children that can't be applied: after a minute of Building the status explains why. All cases share the minute."""

import itertools
import time
from collections.abc import Iterator

import pytest

from metahook.envtest.process import Process
from metahook.protocol.drift.repair import RETRY
from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Json
from tests.e2e.admission import keep_service, remove, rewrite
from tests.e2e.cluster import Cluster
from tests.e2e.namespace import PORT, Namespace, hand_over
from tests.e2e.statuses import condition
from tests.simulated.worlds import deployment, foreign

MINUTE = 100.0
"""Timeout in seconds for something that takes a minute; long, because the machine is shared."""

SETTINGS: Json = {"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "1"}}

NUMBERS = itertools.count(1)


@pytest.fixture(name="there", scope="module")
def _there(cluster: Cluster, metacontroller: Process) -> Iterator[Namespace]:  # noqa: ARG001 - it must run
    """Return a namespace with all cases."""
    made = Namespace(cluster, f"stuck{next(NUMBERS)}")
    made.client.create(SETTINGS | {"metadata": {"name": "settings", "namespace": made.name}})
    made.ready("frozen", image="frozen:1", envFrom=[{"configMapRef": {"name": "settings"}}])
    made.forbid("forbidden", "frozen")
    rewrite(made, "rewritten", "mirror.example.com/nginx:1")
    for name in ("taken", "handed"):
        made.put(foreign(deployment(f"{name}-deployment")))
    for name in ("selected", "finalized", "undeleted"):
        made.ready(name, **PORT)
    made.edit("Service", {"metadata": {"finalizers": ["example.com/hold"]}}, "finalized")
    keep_service(made, "undeleted")
    made.ready("updated")
    made.ready("orphaned", replicas=2)
    made.delete("MyResource", "orphaned", policy="Orphan")
    made.eventually(lambda: made.find("MyResource", "orphaned") is None)
    made.wait_until_quiet(1.2)  # times are in whole seconds: its Pods must be older than its namesake by a second
    made.make("orphaned", replicas=2, image="nginx:1.28")
    hand_over(made, "handed")
    for name in ("taken", "rewritten"):
        made.make(name)
    made.make("refused", image="forbidden:1")
    made.change("updated", image="forbidden:1")
    made.edit("Service", {"spec": {"selector": {"extra": "x"}}}, "selected")
    for name in ("finalized", "undeleted"):
        made.change(name, ports=None)
    made.edit("ConfigMap", {"data": {"a": "2"}}, "settings")
    yield made
    remove(made)
    made.close()


def test_a_foreign_deployment_is_left_unchanged_and_the_status_is_not_applied(there: Namespace) -> None:
    there.wait_for_status("Failed", "NotApplied", "taken", MINUTE)

    assert there.get("Deployment", "taken-deployment")["spec"]["selector"] == {"matchLabels": {"app": "other"}}
    assert "ownerReferences" not in there.get("Deployment", "taken-deployment")["metadata"]


def test_a_foreign_deployment_that_is_handed_over_is_not_applied_and_deleted_with_the_myresource(
    there: Namespace,
) -> None:
    there.wait_for_status("Failed", "NotApplied", "handed", MINUTE)

    errors = [event for event in there.client.all("Event", there.name) if event["reason"] == "SyncError"]
    assert any("spec.selector" in each["message"] for each in errors if each["involvedObject"]["name"] == "handed")
    assert there.get("Deployment", "handed-deployment")["spec"]["selector"] == {"matchLabels": {"app": "other"}}

    there.delete("MyResource", "handed")
    there.eventually(lambda: there.find("Deployment", "handed-deployment") is None)


def test_an_orphan_is_unchanged_until_its_label_hands_it_to_a_namesake(there: Namespace) -> None:
    """Otherwise Metacontroller would take it over under server-side apply, and replace its Pods."""
    there.wait_for_status("Failed", "NameConflict", "orphaned", MINUTE)
    created = there.get("MyResource", "orphaned")["metadata"]["creationTimestamp"]
    pods = there.client.all("Pod", there.name, labelSelector="myresource=orphaned")
    assert [each["metadata"]["creationTimestamp"] < created for each in pods] == [True, True]
    assert there.main("orphaned")["image"] == "nginx:1.27"
    assert "ownerReferences" not in there.get("Deployment", "orphaned-deployment")["metadata"]

    there.change("orphaned", image="nginx:1.27")
    uid = there.get("MyResource", "orphaned")["metadata"]["uid"]
    there.edit("Deployment", {"metadata": {"labels": {"controller-uid": uid}}}, "orphaned-deployment")

    there.wait_until_ready("orphaned")
    assert there.pods("orphaned") == {each["metadata"]["uid"] for each in pods}
    assert there.get("Deployment", "orphaned-deployment")["metadata"]["ownerReferences"][0]["uid"] == uid


def test_a_deployment_that_a_policy_refuses_is_not_applied(there: Namespace) -> None:
    there.wait_for_status("Failed", "NotApplied", "refused", MINUTE)

    assert there.find("Deployment", "refused-deployment") is None


def test_an_update_that_a_policy_refuses_is_not_applied_and_old_pods_keep_serving(there: Namespace) -> None:
    there.wait_for_status("Failed", "NotApplied", "updated", MINUTE)

    assert condition(there.get("MyResource", "updated"), "Available")["status"] == "True"
    assert len(there.pods("updated")) == 1


def test_an_update_of_a_config_hash_that_a_policy_refuses_is_not_applied(there: Namespace) -> None:
    """It is not Overridden: no other client sets another hash; the policy rejects the update."""
    there.wait_for_status("Failed", "NotApplied", "frozen", MINUTE)

    assert "could not be updated within a minute: a quota or an admission policy rejects it, or" in there.message(
        "frozen"
    )


def test_an_image_that_a_policy_rewrites_is_overridden_and_the_message_names_the_path(there: Namespace) -> None:
    there.wait_for_status("Failed", "Overridden", "rewritten", MINUTE)

    assert "containers[main].image" in there.message("rewritten")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("finalized", "its finalizers are not removed: example.com/hold. See: kubectl describe service finalized -n "),
        (
            "undeleted",
            "an admission policy rejects it, or Metacontroller lacks the permission. See: kubectl describe ",
        ),
    ],
)
def test_a_service_that_is_no_longer_desired_and_stays_is_not_applied(there: Namespace, name: str, said: str) -> None:
    there.wait_for_status("Failed", "NotApplied", name, MINUTE)

    assert f"Service {name} could not be deleted within a minute: {said}" in there.message(name)
    assert ("Building", "Building") in there.history(name)
    assert condition(there.get("MyResource", name), "Progressing")["reason"] == "RolledOut"


def test_it_is_ready_once_the_service_is_gone(there: Namespace) -> None:
    there.wait_for_status("Failed", "NotApplied", "finalized", MINUTE)

    there.edit("Service", {"metadata": {"finalizers": None}}, "finalized")

    there.wait_until_ready("finalized")


def test_a_key_added_to_the_selector_is_removed_or_overridden(there: Namespace, mode: Mode) -> None:
    """Dynamic apply merges maps, so it keeps the key, with which the selector matches no Pod."""
    if mode == "server-side-apply":
        there.wait_for_status("Ready", "Available", "selected")
        assert there.get("Service", "selected")["spec"]["selector"] == {"myresource": "selected"}
    else:
        there.wait_for_status("Failed", "Overridden", "selected", MINUTE)
        assert "spec.selector" in there.message("selected")


def test_stuck_children_cause_no_writes(there: Namespace) -> None:
    there.wait_for_status("Failed", "Overridden", "rewritten", MINUTE)
    if (left := RETRY - time.time() % RETRY) < 10:  # a value that differs is sent again at each multiple of RETRY
        time.sleep(left + 2)
    there.wait_until_quiet(2)

    for name in ("rewritten", "undeleted"):
        assert there.touched(name).children == []
