"""Objects of other owners with the names or labels of children."""

from tests.e2e.namespace import PORT, Namespace
from tests.simulated.worlds import deployment, foreign, service


def test_a_foreign_service_of_our_name_is_left_unchanged_and_reported(here: Namespace) -> None:
    here.put(foreign(service(app="other")))
    here.wait_until_quiet()
    before = here.get("Service")

    here.make(**PORT)
    here.wait_for_status("Failed", "NameConflict")
    here.wait_until_quiet()

    assert here.touched().writes == []
    assert here.get("Service") == before
    assert here.get("Deployment")["status"]["availableReplicas"] == 1


def test_owners_say_what_is_adopted_and_deleted_or_left_alone(here: Namespace) -> None:
    here.ready()
    here.ready("again", **PORT)
    restored = here.get("Service", "again")
    labels = {"controller-uid": here.get("MyResource")["metadata"]["uid"]}
    here.put({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "boss"}})
    boss = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "name": "boss",
        "uid": here.get("ConfigMap", "boss")["metadata"]["uid"],
    }
    of_another = foreign(service(app="other"))
    of_another["metadata"] |= {"labels": labels, "ownerReferences": [{**boss, "controller": True}]}
    here.put(of_another)
    here.wait_until_quiet()
    before = here.get("Service")

    stray = foreign(deployment("stray"))
    here.put({**stray, "metadata": {**stray["metadata"], "labels": labels}})
    here.eventually(lambda: here.find("Deployment", "stray") is None)
    here.eventually(lambda: not here.client.all("Pod", here.name, labelSelector="app=other"))
    here.wait_until_ready()
    events = here.client.all("Event", here.name)
    assert [event for event in events if event["involvedObject"]["kind"] == "MyResource"] == []

    here.change(**PORT)
    here.wait_for_status("Failed", "NameConflict")
    here.wait_until_quiet()
    assert here.get("Service") == before

    here.delete("MyResource", "again")
    here.eventually(lambda: here.find("Service", "again") is None)
    here.wait_until_quiet()  # Metacontroller may recreate it before its cache shows that the MyResource is deleted
    here.make("again")
    kept = ("name", "labels", "annotations", "ownerReferences")  # a backup tool leaves out all else
    metadata = {field: value for field, value in restored["metadata"].items() if field in kept}
    here.put({**restored, "metadata": metadata, "spec": {"ports": restored["spec"]["ports"]}})
    here.eventually(lambda: here.find("Service", "again") is None)


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
