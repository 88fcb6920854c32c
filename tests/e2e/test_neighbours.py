"""Objects of other owners with the names or labels of children."""

import pytest

from metahook.simulator.objects import Json
from tests.e2e.namespace import PORT, Namespace
from tests.worlds import deployment, foreign, service


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


def test_a_service_created_just_before_is_left_unchanged(here: Namespace) -> None:
    """Metacontroller's cache does not contain it yet when the hook is called."""
    for number in range(10):
        made = foreign(service(app="other"))
        here.client.create({**made, "metadata": {**made["metadata"], "name": f"web{number}", "namespace": here.name}})
        here.make(f"web{number}", **PORT)

    for number in range(10):
        here.wait_for_status("Failed", "NameConflict", f"web{number}")
        assert here.get("Service", f"web{number}")["spec"]["selector"] == {"app": "other"}


def test_our_service_is_created_when_the_foreign_one_is_deleted(here: Namespace) -> None:
    strangers(service(app="other"), here)
    here.make(**PORT)
    here.wait_for_status("Failed", "NameConflict")

    here.delete("Service")

    here.wait_until_ready()
    assert here.get("Service")["spec"]["selector"] == {"myresource": "web"}


def test_a_foreign_service_stays_when_the_myresource_is_deleted(here: Namespace) -> None:
    before = strangers(service(app="other"), here)
    here.make(**PORT)
    here.wait_for_status("Failed", "NameConflict")

    here.delete("MyResource")
    here.eventually(lambda: here.find("Deployment") is None)
    here.wait_until_quiet()

    assert here.get("Service") == before


def test_the_command_of_the_message_hands_a_foreign_service_over(here: Namespace) -> None:
    strangers(service(app="other"), here)
    here.make(**PORT)
    here.wait_for_status("Failed", "NameConflict")
    message, uid = here.message(), here.get("MyResource")["metadata"]["uid"]
    assert f"kubectl label --overwrite service web -n {here.name} controller-uid={uid}" in message

    here.edit("Service", {"metadata": {"labels": {"controller-uid": uid}}})
    here.eventually(lambda: "ownerReferences" in here.get("Service")["metadata"])

    assert here.get("Service")["metadata"]["ownerReferences"][0]["uid"] == uid


def test_without_a_service_of_ours_a_foreign_one_is_no_conflict(here: Namespace) -> None:
    before = strangers(service(app="other"), here)

    here.ready(**PORT, service={"mode": "Disabled"})

    assert here.get("Service") == before


def test_a_deployment_with_only_our_user_facing_labels_is_not_adopted(here: Namespace) -> None:
    before = strangers(deployment("stray"), here, labels={"myresource": "web"})

    here.ready()
    here.delete("MyResource")
    here.eventually(lambda: here.find("Deployment") is None)
    here.wait_until_quiet()

    after = here.get("Deployment", "stray")
    assert (after["spec"], after["metadata"]["labels"]) == (before["spec"], before["metadata"]["labels"])
    assert "ownerReferences" not in after["metadata"]


def test_a_deployment_with_the_controllers_own_label_is_adopted_and_deleted(here: Namespace) -> None:
    """The README warns of this."""
    here.ready()
    uid = here.get("MyResource")["metadata"]["uid"]

    stray = foreign(deployment("stray"))
    labels = {"controller-uid": uid}

    here.client.create({**stray, "metadata": {**stray["metadata"], "namespace": here.name, "labels": labels}})

    here.eventually(lambda: here.find("Deployment", "stray") is None)
    here.wait_until_ready()


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
