"""Deletes MyResources, and recreates them with the same name."""

from typing import Any

import pytest

from tests.e2e.fresh import differences
from tests.e2e.namespace import PORT, Namespace

MINUTE = 60
"""The resyncAfterSeconds of the hook while a child is missing."""


@pytest.mark.parametrize("ports", [{}, PORT], ids=["without a Service", "with a Service"])
def test_recreated_at_once_it_becomes_ready_with_new_children(here: Namespace, ports: dict[str, Any]) -> None:
    """Under dynamic apply this can take a minute: the old Deployment has the name, and its deletion causes no sync."""
    here.ready(replicas=3, **ports)
    before = here.get("MyResource")["metadata"]["uid"]

    here.delete("MyResource")
    here.eventually(lambda: here.find("MyResource") is None)
    here.make(replicas=3, **ports)
    here.wait_until_ready(within=2 * MINUTE)

    uid = here.get("MyResource")["metadata"]["uid"]
    assert uid != before
    assert differences(here) == []
    assert [owner["uid"] for owner in here.get("Deployment")["metadata"]["ownerReferences"]] == [uid]


def test_it_is_deleted_with_its_namespace(here: Namespace) -> None:
    here.ready(**PORT)

    here.client.delete("Namespace", "", here.name)

    here.eventually(lambda: here.client.get("Namespace", "", here.name) is None)


def test_a_restored_child_is_deleted_as_its_owner_has_another_uid(here: Namespace) -> None:
    here.ready(**PORT)
    service = here.get("Service")
    here.delete("MyResource")
    here.eventually(lambda: here.find("Service") is None)
    here.wait_until_quiet()  # Metacontroller may recreate it before its cache shows that the MyResource is deleted
    here.make()

    kept = ("name", "labels", "annotations", "ownerReferences")  # a backup tool leaves out all else
    metadata = {field: value for field, value in service["metadata"].items() if field in kept}
    here.put({**service, "metadata": metadata, "spec": {"ports": service["spec"]["ports"]}})

    here.eventually(lambda: here.find("Service") is None)
    here.wait_until_ready(within=2 * MINUTE)
