"""What can't be applied: for a minute the status says Building, then why. All of it waits in the same minute."""

import itertools
from collections.abc import Iterator

import pytest

from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Json
from tests.e2e.admission import removed, rewrite
from tests.e2e.cluster import Cluster
from tests.e2e.namespace import PORT, Namespace
from tests.e2e.processes import Process
from tests.e2e.said import condition
from tests.worlds import deployment, foreign

MINUTE = 100.0
"""Seconds in which a minute has passed, also on a busy machine."""

SETTINGS: Json = {"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "1"}}

NUMBERS = itertools.count(1)


@pytest.fixture(name="there", scope="module")
def _there(cluster: Cluster, metacontroller: Process) -> Iterator[Namespace]:  # noqa: ARG001 - it runs
    """Return a namespace in which everything gets stuck at once."""
    made = Namespace(cluster, f"stuck{next(NUMBERS)}")
    made.client.create(SETTINGS | {"metadata": {"name": "settings", "namespace": made.name}})
    made.ready("frozen", image="frozen:1", envFrom=[{"configMapRef": {"name": "settings"}}])
    made.forbid("forbidden", "frozen")
    rewrite(made, "rewritten", "mirror.example.com/nginx:1")
    made.put(foreign(deployment("taken-deployment")))
    made.ready("selected", **PORT)
    made.ready("updated")
    made.is_still()
    for name in ("taken", "rewritten"):
        made.make(name)
    made.make("refused", image="forbidden:1")
    made.change("updated", image="forbidden:1")
    made.edit("Service", {"spec": {"selector": {"extra": "x"}}}, "selected")
    made.edit("ConfigMap", {"data": {"a": "2"}}, "settings")
    yield made
    removed(made)
    made.close()


def test_a_foreign_deployment_is_left_alone_and_the_status_says_not_applied(there: Namespace) -> None:
    there.is_said("Failed", "NotApplied", "taken", MINUTE)

    assert there.get("Deployment", "taken-deployment")["spec"]["selector"] == {"matchLabels": {"app": "other"}}
    assert "ownerReferences" not in there.get("Deployment", "taken-deployment")["metadata"]


def test_a_deployment_that_a_policy_refuses_is_not_applied(there: Namespace) -> None:
    there.is_said("Failed", "NotApplied", "refused", MINUTE)

    assert there.find("Deployment", "refused-deployment") is None


def test_an_update_that_a_policy_refuses_is_not_applied_and_the_old_pods_serve_on(there: Namespace) -> None:
    there.is_said("Failed", "NotApplied", "updated", MINUTE)

    assert condition(there.get("MyResource", "updated"), "Available")["status"] == "True"
    assert len(there.pods("updated")) == 1


def test_an_update_of_a_config_hash_that_a_policy_refuses_is_not_applied(there: Namespace) -> None:
    """C2: nobody else sets another hash; the write never arrives."""
    there.is_said("Failed", "NotApplied", "frozen", MINUTE)

    assert "could not be updated within a minute: an admission policy refuses it" in there.message("frozen")


def test_an_event_says_why_a_policy_refuses(there: Namespace) -> None:
    there.is_said("Failed", "NotApplied", "refused", MINUTE)

    events = there.client.all("Event", there.name)
    said = [event["message"] for event in events if event["involvedObject"]["name"] == "refused"]
    assert any("forbidden by a policy" in message for message in said)


def test_an_image_that_a_policy_rewrites_is_overridden_and_the_message_says_where(there: Namespace) -> None:
    there.is_said("Failed", "Overridden", "rewritten", MINUTE)

    assert "containers[main].image" in there.message("rewritten")


def test_a_key_added_to_the_selector_goes_or_is_overridden(there: Namespace, mode: Mode) -> None:
    """Dynamic apply merges maps, so it leaves the key there; the selector would find no Pod."""
    if mode == "server-side-apply":
        there.is_said("Ready", "Available", "selected")
        assert there.get("Service", "selected")["spec"]["selector"] == {"myresource": "selected"}
    else:
        there.is_said("Failed", "Overridden", "selected", MINUTE)
        assert "spec.selector" in there.message("selected")


def test_a_spec_that_the_policy_takes_gets_ready(there: Namespace) -> None:
    there.is_said("Failed", "NotApplied", "updated", MINUTE)

    there.change("updated", image="nginx:1.28")

    there.is_ready("updated")


def test_what_is_stuck_is_quiet(there: Namespace) -> None:
    there.is_said("Failed", "Overridden", "rewritten", MINUTE)
    there.is_still(2)

    done = there.touched("rewritten")

    assert done.children == []


def test_when_the_foreign_deployment_goes_ours_is_made_within_a_minute(there: Namespace) -> None:
    """No event tells of its deletion, so the hook requests a resync each minute while a child is missing."""
    there.is_said("Failed", "NotApplied", "taken", MINUTE)

    there.delete("Deployment", "taken-deployment")
    there.eventually(lambda: there.find("Deployment", "taken-deployment") is None)

    there.is_ready("taken", MINUTE)
