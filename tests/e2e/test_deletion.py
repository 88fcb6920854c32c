"""The end of a MyResource, and a new beginning under the same name."""

from typing import Any

import pytest

from tests.e2e.fresh import differences
from tests.e2e.namespace import PORT, Namespace

MINUTE = 60
"""Seconds after which the hook asks to be asked again while a child is missing."""


@pytest.mark.parametrize("policy", ["Background", "Foreground"])
def test_all_that_it_made_goes_with_it(here: Namespace, policy: str) -> None:
    here.ready(replicas=2, **PORT)
    done = here.since()

    here.delete("MyResource", policy=policy)

    here.eventually(lambda: not any(here.find(kind) for kind in ("MyResource", "Deployment", "Service")))
    here.eventually(lambda: not here.pods())
    assert done.children == []


def test_deleted_as_orphan_its_children_stay_and_run(here: Namespace) -> None:
    here.ready(replicas=2, **PORT)
    pods = here.pods()

    here.delete("MyResource", policy="Orphan")
    here.eventually(lambda: here.find("MyResource") is None)
    here.is_still()

    assert here.pods() == pods
    assert all("ownerReferences" not in here.get(kind)["metadata"] for kind in ("Deployment", "Service"))


def test_an_orphan_is_left_unchanged_by_a_namesake_until_it_is_handed_over_by_the_label(here: Namespace) -> None:
    """Under server-side apply, Metacontroller would take it over and replace its Pods."""
    here.ready(replicas=2)
    pods = here.pods()
    here.delete("MyResource", policy="Orphan")
    here.eventually(lambda: here.find("MyResource") is None)

    here.is_still(1.2)  # times are whole seconds: Pods of the same second do not tell that they are older
    here.make(replicas=2, image="nginx:1.28")
    here.is_said("Failed", "NameConflict", within=2 * MINUTE)
    assert here.pods() == pods
    assert here.main()["image"] == "nginx:1.27"
    assert "ownerReferences" not in here.get("Deployment")["metadata"]

    here.change(image="nginx:1.27")
    uid = here.get("MyResource")["metadata"]["uid"]
    here.edit("Deployment", {"metadata": {"labels": {"controller-uid": uid}}})

    here.is_ready()
    assert here.pods() == pods
    assert here.get("Deployment")["metadata"]["ownerReferences"][0]["uid"] == uid


@pytest.mark.parametrize("ports", [{}, PORT], ids=["without a Service", "with a Service"])
def test_made_again_at_once_it_gets_ready_with_children_of_its_own(here: Namespace, ports: dict[str, Any]) -> None:
    """Under dynamic apply it may take a minute: the old Deployment still has the name, and its end wakes nobody."""
    here.ready(replicas=3, **ports)
    before = here.get("MyResource")["metadata"]["uid"]

    here.delete("MyResource")
    here.eventually(lambda: here.find("MyResource") is None)
    here.make(replicas=3, **ports)
    here.is_ready(within=2 * MINUTE)

    uid = here.get("MyResource")["metadata"]["uid"]
    assert uid != before
    assert differences(here) == []
    assert [owner["uid"] for owner in here.get("Deployment")["metadata"]["ownerReferences"]] == [uid]


def test_a_child_held_by_a_finalizer_is_terminating_and_is_created_again_once_it_is_gone(here: Namespace) -> None:
    """C3: nothing has taken its name, and nobody refuses anything."""
    here.ready(**PORT)
    here.edit("Service", {"metadata": {"finalizers": ["example.com/hold"]}})

    here.delete("Service")
    here.is_said("Degraded", "ChildTerminating")
    assert here.message().endswith("as soon as its finalizers are removed: example.com/hold.")
    assert here.touched().writes == []
    here.edit("Service", {"metadata": {"finalizers": None}})

    here.is_ready()


def test_a_service_of_a_myresource_that_is_gone_is_terminating_not_a_conflict(here: Namespace) -> None:
    """C3: a finalizer holds the Service of an earlier MyResource of the name."""
    here.ready(**PORT)
    here.edit("Service", {"metadata": {"finalizers": ["example.com/hold"]}})
    here.delete("MyResource")
    here.eventually(lambda: not any(here.find(kind) for kind in ("MyResource", "Deployment")))

    here.make(**PORT)
    here.is_said("Building", "ChildTerminating")
    here.edit("Service", {"metadata": {"finalizers": None}})

    here.is_ready(within=2 * MINUTE)


def test_held_by_a_finalizer_it_says_so_and_keeps_its_children(here: Namespace) -> None:
    here.ready()
    here.edit("MyResource", {"metadata": {"finalizers": ["example.com/hold"]}}, "web")

    here.delete("MyResource")

    here.is_said("Terminating", "Terminating")
    assert here.touched().writes == []
    assert here.find("Deployment") is not None


def test_it_goes_with_its_namespace(elsewhere: Namespace) -> None:
    elsewhere.ready(**PORT)

    elsewhere.client.delete("Namespace", "", elsewhere.name)

    elsewhere.eventually(lambda: elsewhere.client.get("Namespace", "", elsewhere.name) is None)
