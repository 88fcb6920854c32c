"""The objects that a MyResource watches: configuration that replaces Pods, and dependencies that it waits for."""

from app.core.child_metadata import CONFIG_HASH_ANNOTATIONS
from metahook import ConfigMap
from metahook.simulator.objects import Json
from tests.e2e.fresh import differences
from tests.e2e.namespace import Namespace
from tests.e2e.statuses import condition
from tests.e2e.watched import BACKUPS, GHOSTS, backup, told

USES: Json = {"env": [{"name": "LEVEL", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "level"}}}]}
WAITS: Json = {"dependencies": [{"apiVersion": BACKUPS.api_version, "resource": BACKUPS.plural, "name": "nightly"}]}


def settings() -> Json:
    """Return a ConfigMap with a used key and an unused one."""
    data = {"level": "info", "motd": "Hello"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": data}


def mark(here: Namespace) -> str | None:
    """Return the config hash in the Pod template."""
    template = here.get("Deployment")["spec"]["template"]["metadata"]
    found: str | None = template.get("annotations", {}).get(CONFIG_HASH_ANNOTATIONS[ConfigMap])
    return found


# Configuration


def test_a_changed_value_of_a_used_key_replaces_pods_by_one_write(here: Namespace) -> None:
    here.put(settings())
    here.ready(**USES, replicas=2)
    pods, done = here.pods(), here.since()

    here.edit("ConfigMap", {"data": {"level": "debug"}}, "settings")
    here.eventually(lambda: bool(done.children))
    here.wait_until_ready()

    assert not pods & here.pods()
    assert len(done.children) == 1
    assert here.touched().writes == []
    assert differences(here) == []


# Dependencies


def dependencies(here: Namespace) -> Json:
    """Return the condition DependenciesReady."""
    return condition(here.get("MyResource"), "DependenciesReady")


def tell(here: Namespace, status: Json) -> None:
    """Write the status of the MyBackup, as its operator does."""
    here.client.change("MyBackup", here.name, "nightly", status, part="/status")


def test_the_first_start_waits_until_its_dependencies_are_met(here: Namespace) -> None:
    here.make(**WAITS)
    here.wait_for_status("Building", "WaitingForDependencies")
    missing = here.message()
    here.wait_until_quiet()

    here.put(backup("nightly", here.name))
    here.eventually(lambda: "is not True" in here.message())
    tell(here, told("Ready", "False"))
    here.wait_until_quiet()
    waiting = here.state_and_reason(), here.find("Deployment")
    tell(here, told("Ready", "True"))
    here.wait_until_ready()

    assert "mybackups/nightly does not exist" in missing
    assert waiting == (("Building", "WaitingForDependencies"), None)
    assert dependencies(here)["status"] == "True"
    assert differences(here) == []
    assert here.touched().writes == []


def test_a_listed_kind_that_is_not_served_stops_the_sync_with_an_event(here: Namespace) -> None:
    here.ready()
    ghost = {"apiVersion": GHOSTS.api_version, "resource": GHOSTS.plural, "name": "boo"}

    here.change(image="nginx:1.28", dependencies=[ghost])
    here.eventually(lambda: any(event["reason"] == "SyncError" for event in here.client.all("Event", here.name)))
    here.wait_until_quiet()
    assert here.main()["image"] == "nginx:1.27"
    assert here.get("MyResource")["status"]["observedGeneration"] == 1

    here.change(dependencies=None)
    here.wait_until_ready()
    assert here.main()["image"] == "nginx:1.28"
