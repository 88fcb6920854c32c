"""Objects of other owners with the names or labels of children."""

import time

import pytest

from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Json
from tests.docs.documents import ROOT
from tests.e2e.namespace import PORT, Namespace
from tests.e2e.real_kubectl import RealKubectl
from tests.simulated.worlds import deployment, foreign, service


def strangers(item: Json, here: Namespace, **metadata: object) -> Json:
    """Create *item* as another user, and return it when nothing changes it any more."""
    made = foreign(item)
    made["metadata"] = {**made["metadata"], "namespace": here.name, **metadata}
    here.client.create(made)
    here.wait_until_quiet()
    return here.get(item["kind"], item["metadata"]["name"])


def test_a_foreign_service_of_our_name_is_left_unchanged_and_reported(here: Namespace) -> None:
    before = strangers(service(app="other"), here)

    here.make(**PORT)
    here.wait_for_status("Failed", "NameConflict")
    here.wait_until_quiet()

    assert here.touched().writes == []
    assert here.get("Service") == before
    assert here.get("Deployment")["status"]["availableReplicas"] == 1


@pytest.mark.each_mode
def test_a_service_created_just_before_is_left_unchanged(here: Namespace, mode: Mode) -> None:
    """Server-side apply overwrites it if Metacontroller's cache does not contain it yet, so the cache gets a second."""
    for number in range(5):
        made = foreign(service(app="other"))
        here.client.create({**made, "metadata": {**made["metadata"], "name": f"web{number}", "namespace": here.name}})
        time.sleep(1 if mode == "server-side-apply" else 0)
        here.make(f"web{number}", **PORT)

    for number in range(5):
        here.wait_for_status("Failed", "NameConflict", f"web{number}")
        assert here.get("Service", f"web{number}")["spec"]["selector"] == {"app": "other"}


def test_a_deployment_with_the_controllers_own_label_is_adopted_and_deleted(here: Namespace) -> None:
    """The README warns of this."""
    here.ready()
    uid = here.get("MyResource")["metadata"]["uid"]

    stray = foreign(deployment("stray"))
    labels = {"controller-uid": uid}

    here.client.create({**stray, "metadata": {**stray["metadata"], "namespace": here.name, "labels": labels}})

    here.eventually(lambda: here.find("Deployment", "stray") is None)
    here.eventually(lambda: not here.client.all("Pod", here.name, labelSelector="app=other"))
    here.wait_until_ready()
    assert [event for event in here.client.all("Event", here.name) if event["involvedObject"]["name"] == "web"] == []


@pytest.mark.parametrize("kind", ["Deployment", "Service"])
def test_an_object_of_another_controller_is_left_unchanged(here: Namespace, kind: str) -> None:
    here.client.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "boss", "namespace": here.name}})
    uid = here.get("ConfigMap", "boss")["metadata"]["uid"]
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "boss", "uid": uid, "controller": True}
    before = strangers(deployment() if kind == "Deployment" else service(app="other"), here, ownerReferences=[owner])

    here.make(**PORT)
    here.eventually(lambda: here.state_and_reason()[0] != "")
    here.wait_until_quiet()

    after = here.get(kind)
    assert (after["spec"], after["metadata"]["ownerReferences"]) == (
        before["spec"],
        before["metadata"]["ownerReferences"],
    )
    assert here.state_and_reason() in [("Building", "Building"), ("Failed", "NameConflict")]


def selected(here: Namespace) -> int:
    """Return the number of Pods that the Service selects."""
    selector = ",".join(f"{key}={value}" for key, value in here.get("Service")["spec"]["selector"].items())
    return len(here.client.all("Pod", here.name, labelSelector=selector))


def test_deployments_with_the_same_selector_keep_their_own_pods_and_the_service_selects_both(here: Namespace) -> None:
    here.ready(replicas=2, **PORT)
    ours = here.pods()

    here.put(deployment("stray"))
    here.eventually(lambda: here.get("Deployment", "stray").get("status", {}).get("availableReplicas") == 1)

    assert ours < here.pods()
    assert selected(here) == 3
    assert here.get("Deployment")["status"]["replicas"] == here.get("MyResource")["status"]["replicas"] == 2
    assert here.state_and_reason() == ("Ready", "Available")
    assert here.touched().writes == []


def test_kubectl_lists_the_objects_with_our_labels_and_their_owners(here: Namespace, kubectl: RealKubectl) -> None:
    here.ready(**PORT)
    here.put(deployment("stray"))
    here.eventually(lambda: len(here.pods()) == 2)
    here.wait_until_quiet()
    page = (ROOT / "docs/reference/children.md").read_text()
    by_label, by_uid = (line.strip() for line in page.splitlines() if "custom-columns=KIND" in line)

    (_, *all_rows), (_, *children) = (kubectl.run(command, here.name).splitlines() for command in (by_label, by_uid))

    found = [(kind, name.startswith("stray"), owner) for kind, name, owner in map(str.split, all_rows)]
    (ours,) = (name for kind, name, _ in map(str.split, all_rows) if (kind, name[:4]) == ("ReplicaSet", "web-"))
    assert ("Pod", False, ours) in found
    assert ("ReplicaSet", False, "web-deployment") in found
    assert ("Deployment", True, "<none>") in found
    assert [row.split() for row in children] == [["Deployment", "web-deployment", "web"], ["Service", "web", "web"]]
