"""Normalisation takes chance out of a recording, and nothing else."""

import json

import pytest

from tests.recorded.normalization import TOUCHED, Normaliser, chance
from tests.requests.builders import Json, my_resource

LAST_APPLIED = "metacontroller.k8s.io/last-applied-configuration"
STARTS = [1_790_000_000, 1_790_000_007]
"""Two steps: 2026-09-21T14:13:20Z and seven seconds later."""


def exchange(
    uid: str = "a0000000-1111-4222-8333-444444444444",
    *,
    version: str = "17",
    made: str = "2026-09-21T14:13:21Z",
    changed: str = "2026-09-21T14:13:27Z",
    address: str = "10.0.7.3",
    image: str = "nginx:1.27",
) -> Json:
    """Return an exchange as it is recorded; all but the image is chance."""
    mark = {"mygroup.example.com/applied": f"1-{uid[:8]}"}
    applied = {"manager": "metacontroller", "operation": "Apply", "time": made}
    status = {"manager": "kube-controller-manager", "operation": "Update", "time": changed}
    metadata = {
        "name": "web",
        "uid": "b" + uid[1:],
        "resourceVersion": version,
        "annotations": {**mark, LAST_APPLIED: json.dumps({"metadata": {"labels": {"controller-uid": uid}}})},
        "managedFields": [status, applied],
    }
    service = {"metadata": metadata, "spec": {"clusterIP": address}}
    parent = my_resource(uid=uid, image=image)
    parent["metadata"] |= {"creationTimestamp": made, "annotations": {TOUCHED: version}, "managedFields": [status]}
    return {
        "version": version,
        "time": changed.replace("Z", ".123456+00:00"),
        "request": {
            "controller": {"metadata": {"uid": uid[::-1]}},
            "parent": parent,
            "children": {"Service.v1": {"default/web": service}},
            "related": {},
        },
        "response": {"status": {"since": changed}, "children": [{"metadata": {"annotations": mark}}]},
    }


@pytest.mark.parametrize(
    "other",
    [
        {"uid": "c0000000-1111-4222-8333-444444444444"},
        {"version": "99999"},
        {"made": "2026-09-21T14:13:26Z"},
        {"changed": "2026-09-21T14:20:00Z"},
        {"address": "10.0.255.9"},
    ],
    ids=lambda other: next(iter(other)),
)
def test_two_recordings_that_chance_made_differ_are_equal(other: dict[str, str]) -> None:
    assert exchange(**other) != exchange()
    assert Normaliser(STARTS)(exchange(**other)) == Normaliser(STARTS)(exchange())


def test_nothing_of_chance_is_left() -> None:
    assert chance(json.dumps(Normaliser(STARTS)(exchange()))) == []


def test_what_chance_decided_is_found() -> None:
    uids = {"a0000000-1111-4222-8333-444444444444", "b0000000-1111-4222-8333-444444444444"}
    times = {"2026-09-21T14:13:21Z", "2026-09-21T14:13:27Z", "2026-09-21T14:13:27.123456+00:00"}
    others = {'"resourceVersion": "17"', "127.0.0.1:8080"}

    assert set(chance(json.dumps(exchange()) + "http://127.0.0.1:8080/sync")) == uids | times | others


def test_a_difference_of_the_product_stays() -> None:
    assert Normaliser(STARTS)(exchange(image="nginx:1.28")) != Normaliser(STARTS)(exchange())


def test_a_time_of_another_step_is_another_time() -> None:
    early, late = (Normaliser(STARTS)(exchange(changed=f"2026-09-21T14:13:{second}Z")) for second in (26, 27))

    assert early["time"] == "2026-01-01T00:01:00Z"
    assert late["time"] == "2026-01-01T00:02:00Z"


def test_uids_that_differ_go_on_to_differ_and_those_that_are_equal_stay_equal() -> None:
    request = Normaliser(STARTS)(exchange())["request"]
    uid = request["parent"]["metadata"]["uid"]
    metadata = request["children"]["Service.v1"]["default/web"]["metadata"]

    assert uid == "00000001-0000-4000-8000-000000000000"
    assert metadata["uid"] != uid
    assert json.loads(metadata["annotations"][LAST_APPLIED])["metadata"]["labels"]["controller-uid"] == uid
    assert metadata["annotations"]["mygroup.example.com/applied"] == "1-00000001"


def test_of_managed_fields_what_was_applied_is_left() -> None:
    request = Normaliser(STARTS)(exchange())["request"]
    (applied,) = request["children"]["Service.v1"]["default/web"]["metadata"]["managedFields"]

    assert applied["operation"] == "Apply"
    assert {"managedFields", "annotations"} & request["parent"]["metadata"].keys() == set()
