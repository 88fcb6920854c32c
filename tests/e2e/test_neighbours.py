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
