"""A suspended MyResource: its children stay as they are, whoever changes them, until it is resumed."""

import pytest

from metahook.envtest.client import STRATEGIC
from metahook.envtest.process import Process
from metahook.protocol.observed.child import LAST_APPLIED
from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Json
from tests.e2e.fresh import differences
from tests.e2e.namespace import PORT, Namespace, child
from tests.e2e.statuses import condition
from tests.e2e.test_drift import OF_THE_POD, OURS


def content(item: Json) -> Json:
    """Return what a user would notice of *item*: all but its status and the records of writes."""
    metadata = {key: item["metadata"].get(key) for key in ("labels", "ownerReferences", "finalizers")}
    annotations = {key: text for key, text in item["metadata"]["annotations"].items() if key != LAST_APPLIED}
    annotations.pop("deployment.kubernetes.io/revision", None)
    return {**{key: value for key, value in item.items() if key != "status"}, "metadata": {**metadata, **annotations}}


def suspend(here: Namespace) -> None:
    here.change(suspend=True)
    here.wait_for_status("Suspended", "Suspended")
    here.wait_until_quiet()


def test_nothing_is_written_and_resume_applies_the_spec_that_is_then(here: Namespace) -> None:
    here.ready(**PORT)
    suspend(here)
    pods, done = here.pods(), here.since()

    here.change(image="nginx:1.28", replicas=3, ports=None)
    here.wait_for_status("Suspended", "Suspended")

    assert here.touched().writes == []
    assert done.children == []
    assert (here.pods(), here.main()["image"]) == (pods, "nginx:1.27")
    assert condition(here.get("MyResource", "web"), "Available")["status"] == "True"

    here.change(suspend=False)
    here.wait_until_ready()
    assert here.main()["image"] == "nginx:1.28"
    assert here.find("Service") is None
    assert here.touched().writes == []


@pytest.mark.each_mode
def test_each_change_by_others_stays_until_resume(here: Namespace, mode: Mode, metacontroller: Process) -> None:
    here.ready(**PORT, **OF_THE_POD)
    suspend(here)
    done, edited = here.since(), {}

    for kind, change, _ in OURS.values():
        edited[kind] = here.client.change(kind, here.name, child(kind), change, how=STRATEGIC, manager="kubectl-edit")
        here.wait_until_quiet()

        assert content(here.get(kind)) == content(edited[kind])
    writes = {str(request) for request in done.children}

    # Under dynamic-apply, Metacontroller's annotation on the child is a copy of the response.
    recorded = {"update deployments web-deployment", "update services web"}
    assert writes == (recorded if mode == "dynamic-apply" else set())
    assert len(done.children) <= len(OURS)
    metacontroller.restart()
    assert here.touched().writes == []
    assert content(here.get("Service")) == content(edited["Service"])

    here.change(suspend=None)
    here.wait_until_ready()
    assert differences(here) == []
    assert here.touched().writes == []


def test_a_deleted_child_is_recreated_only_after_resume(here: Namespace) -> None:
    here.ready(**PORT)
    suspend(here)
    done = here.since()

    for kind in ("Service", "Deployment"):
        here.delete(kind)
    here.eventually(lambda: not here.pods())
    here.wait_until_quiet()

    assert here.touched().writes == []
    assert done.children == []
    assert condition(here.get("MyResource", "web"), "Available")["status"] == "False"

    here.change(suspend=False)
    here.wait_until_ready()
    assert differences(here) == []


def test_one_that_is_created_suspended_creates_nothing_and_can_be_deleted(here: Namespace) -> None:
    here.make(suspend=True, **PORT)
    here.wait_for_status("Suspended", "Suspended")

    assert here.touched().writes == []
    assert "no object is created" in here.message()
    assert (here.find("Deployment"), here.find("Service")) == (None, None)

    here.delete("MyResource", "web")
    here.eventually(lambda: here.find("MyResource", "web") is None)
