"""One MyResource's life in a cluster of the reader's own, in this order: it says whether the operator works there."""

import pytest

from app.core.child_metadata import GENERATION_STAMP
from tests.e2e.namespace import PORT, Place
from tests.e2e.truth import untrue, written
from tests.own.conftest import OwnCluster

pytestmark = pytest.mark.own

QUIET = 5.0
"""Seconds without a change after which nothing more is expected."""


def test_it_gets_ready(here: Place, images: tuple[str, str], patience: float) -> None:
    here.make(image=images[0])

    here.wait_for_status("Ready", "Available", within=patience)

    assert here.main()["image"] == images[0]


def test_a_sync_at_rest_writes_nothing(own: OwnCluster, here: Place) -> None:
    here.wait_until_quiet(QUIET)
    parents, children = (len(own.record.of(*each)) for each in _web(here))

    here.edit("MyResource", {"metadata": {"annotations": {"example.com/touched": "1"}}}, "web")
    here.wait_until_quiet(QUIET)

    assert [len(own.record.of(*each)) for each in _web(here)] == [parents + 1, children]


def _web(here: Place) -> list[tuple[str, str, str]]:
    return [("MyResource", here.name, "web"), ("Deployment", here.name, "web-deployment")]


def test_every_change_is_carried_out(here: Place, images: tuple[str, str], patience: float) -> None:
    here.change(image=images[1], replicas=2, **PORT)

    here.wait_for_status("Ready", "Available", within=patience)

    assert here.main()["image"] == images[1]
    assert here.get("Deployment")["status"]["updatedReplicas"] == 2
    assert here.get("Service")["spec"]["ports"][0]["port"] == PORT["ports"][0]["containerPort"]


def test_what_is_ours_is_put_back(here: Place, patience: float) -> None:
    here.edit("Deployment", {"spec": {"replicas": 3}, "metadata": {"labels": {"myresource": None}}})
    here.eventually(lambda: here.get("Deployment")["spec"]["replicas"] == 2, within=patience)
    here.eventually(lambda: here.get("Deployment")["metadata"]["labels"].get("myresource") == "web", within=patience)
    gone = here.get("Deployment")["metadata"]["uid"]
    here.delete("Deployment")

    here.eventually(
        lambda: (here.find("Deployment") or {"metadata": {"uid": gone}})["metadata"]["uid"] != gone, patience
    )
    here.wait_for_status("Ready", "Available", within=patience)

    assert here.get("Deployment")["metadata"]["annotations"][GENERATION_STAMP]


def test_an_image_that_can_not_be_pulled_is_said(here: Place, images: tuple[str, str], patience: float) -> None:
    here.change(image="registry.invalid/none:bad")

    here.wait_for_status("Building", "ImagePullFailed", within=patience)
    here.change(image=images[1])

    here.wait_for_status("Ready", "Available", within=patience)


def test_ready_was_never_early(own: OwnCluster, here: Place) -> None:
    here.wait_until_quiet(QUIET)
    statuses = written(own.record, since=0)

    found = untrue(own.record, statuses)

    assert len(statuses) > 5
    assert [each for each in found if each.early] == []


def test_what_it_made_goes_with_it(here: Place, patience: float) -> None:
    here.delete("MyResource", "web")

    for kind in ("Deployment", "Service"):
        here.eventually(lambda kind=kind: here.find(kind) is None, within=patience)  # type: ignore[misc]  # a lambda's default has no type
