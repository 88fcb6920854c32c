"""Objects that are restored from a backup."""

from tests.e2e.fresh import differences
from tests.e2e.namespace import PORT, Namespace

GIVEN = ("uid", "resourceVersion", "creationTimestamp", "generation", "managedFields")
"""Metadata that a backup tool leaves out."""


def test_a_restored_myresource_recreates_its_children(here: Namespace) -> None:
    here.ready(**PORT)
    kept = here.get("MyResource")
    here.delete("MyResource")
    here.eventually(lambda: here.find("Deployment") is None)

    here.client.create({"metadata": {name: kept["metadata"][name] for name in ("name", "namespace")}, **_other(kept)})

    here.wait_until_ready(within=120)
    assert differences(here) == []


def test_a_restored_child_is_deleted_as_its_owner_has_another_uid(here: Namespace) -> None:
    here.ready(**PORT)
    service = here.get("Service")
    metadata = {name: value for name, value in service["metadata"].items() if name not in GIVEN}
    here.delete("MyResource")
    here.eventually(lambda: here.find("Service") is None)
    here.wait_until_quiet()  # Metacontroller may recreate it before its cache shows that the MyResource is deleted
    here.make()

    here.put({**service, "metadata": metadata, "spec": {"ports": service["spec"]["ports"]}})

    here.eventually(lambda: here.find("Service") is None)
    here.wait_until_ready(within=120)


def _other(item: dict[str, object]) -> dict[str, object]:
    return {name: item[name] for name in ("apiVersion", "kind", "spec")}
