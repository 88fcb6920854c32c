"""Deletes MyResources, and recreates them with the same name."""

from typing import Any

import pytest

from tests.e2e.fresh import differences
from tests.e2e.namespace import PORT, Namespace

MINUTE = 60
"""The resyncAfterSeconds of the hook while a child is missing."""


def test_children_stay_and_run_after_an_orphan_delete(here: Namespace) -> None:
    here.ready(replicas=2, **PORT)
    pods = here.pods()

    here.delete("MyResource", policy="Orphan")
    here.eventually(lambda: here.find("MyResource") is None)
    here.wait_until_quiet()

    assert here.pods() == pods
    assert all("ownerReferences" not in here.get(kind)["metadata"] for kind in ("Deployment", "Service"))


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


def test_a_service_of_a_myresource_that_is_gone_is_terminating_not_a_conflict(here: Namespace) -> None:
    """A finalizer holds the Service of an earlier MyResource with the same name."""
    here.ready(**PORT)
    here.edit("Service", {"metadata": {"finalizers": ["example.com/hold"]}})
    here.delete("MyResource")
    here.eventually(lambda: not any(here.find(kind) for kind in ("MyResource", "Deployment")))

    here.make(**PORT)
    here.wait_for_status("Building", "ChildTerminating")
    here.edit("Service", {"metadata": {"finalizers": None}})

    here.wait_until_ready(within=2 * MINUTE)


def test_held_by_a_finalizer_it_is_terminating_and_keeps_its_children(here: Namespace) -> None:
    here.ready()
    here.edit("MyResource", {"metadata": {"finalizers": ["example.com/hold"]}}, "web")

    here.delete("MyResource")

    here.wait_for_status("Terminating", "Terminating")
    assert here.touched().writes == []
    assert here.find("Deployment") is not None


def test_it_is_deleted_with_its_namespace(elsewhere: Namespace) -> None:
    elsewhere.ready(**PORT)

    elsewhere.client.delete("Namespace", "", elsewhere.name)

    elsewhere.eventually(lambda: elsewhere.client.get("Namespace", "", elsewhere.name) is None)
