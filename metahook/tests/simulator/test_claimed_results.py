"""The results that responses claim: removed fields, and claims that the observed children do not meet."""

import json
from dataclasses import replace
from typing import Any

import pytest

from metahook.simulator.apiserver.stored_object import stored_object
from metahook.simulator.findings.evidence import answered_sync, first_missing_field, unmet_claim
from metahook.simulator.history import Call
from metahook.simulator.objects import with_metadata
from toolkit.worlds import DEPLOYMENT, WEB, deployment, parent

Json = dict[str, Any]


@pytest.mark.parametrize(
    ("new", "old", "path"),
    [
        ({"a": 1}, {"a": 2}, None),
        ({"a": 1, "b": 1}, {"a": 1}, None),
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": 1}}, "spec.a.c"),
        ({"a": {"b": {}}, "z": 1}, {"a": {"b": {"c": 1}}, "z": 1}, "spec.a.b.c"),
        ({}, {"a": 1}, "spec.a"),
        ([1], [1, 2], None),
        ([{"name": "b"}, {"name": "a"}], [{"name": "a", "x": 1}, {"name": "b"}], "spec[a].x"),
        ([{"name": "a"}], [{"name": "a"}, {"name": "b"}], "spec[b]"),
        ("a", {"a": 1}, None),
        (None, None, None),
    ],
)
def test_a_missing_field_is_named_by_its_path(new: object, old: object, path: str | None) -> None:
    assert first_missing_field(new, old, "spec") == path


def call(answer: bytes, status: int | None = 200) -> Call:
    metadata = {**parent()["metadata"], "uid": "1", "generation": 2}
    request = {"parent": {**parent(), "metadata": metadata}, "children": {"Deployment.apps/v1": {}}}
    return Call(0.0, "sync", WEB, json.dumps(request).encode(), status, answer)


@pytest.mark.parametrize(
    ("answer", "status"), [(b"{}", 500), (b"{}", None), (b"no JSON", 200), (b"[]", 200), (b'{"children": [null]}', 200)]
)
def test_an_unusable_response_claims_nothing(answer: bytes, status: int | None) -> None:
    assert answered_sync(call(answer, status)) is None


@pytest.mark.parametrize("answer", [b"{}", b"null"])
def test_an_empty_response_desires_no_children(answer: bytes) -> None:
    answered = answered_sync(call(answer))

    assert answered
    assert (answered.children, answered.ready, answered.generation) == ({}, None, 2)


def test_a_parent_owns_an_object_by_reference_or_by_label() -> None:
    answered = answered_sync(call(json.dumps({"children": [deployment()]}).encode()))
    labelled: Json = {"metadata": {"labels": {"controller-uid": "1"}}}
    controlled: Json = {"metadata": {"ownerReferences": [{"uid": "1", "controller": True}]}}

    assert answered
    assert answered.keys == {DEPLOYMENT}
    assert answered.owns(labelled)
    assert answered.owns(controlled)
    assert not answered.owns({"metadata": {}})
    assert not answered.owns(None)


def test_a_response_that_the_api_server_refuses_is_an_unmet_claim() -> None:
    child = deployment(replicas="x")
    body = json.dumps({"status": {"conditions": ["x"]}, "children": [child]}).encode()
    request = json.loads(call(body).request)
    request["children"]["Deployment.apps/v1"]["default/web-deployment"] = with_metadata(
        deployment(), namespace="default"
    )
    answered = answered_sync(replace(call(body), request=json.dumps(request).encode()))

    assert answered
    assert unmet_claim(answered) == "Deployment web-deployment differs from the response"
    assert answered.ready is None


@pytest.mark.parametrize(("available", "claim"), [(2, None), (1, "Deployment web-deployment is not rolled out")])
def test_with_an_autoscaler_the_pods_that_it_keeps_are_enough(available: int, claim: str | None) -> None:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web-deployment"}
    scaler: Json = {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"scaleTargetRef": target, "minReplicas": 2, "maxReplicas": 9},
    }
    child = deployment()
    status = {"replicas": 5, "updatedReplicas": 5, "availableReplicas": available}
    live = {**stored_object(with_metadata(child, namespace="default", generation=1)), "status": status}
    live["spec"]["replicas"] = 5
    children = {
        "Deployment.apps/v1": {"default/web-deployment": live},
        "HorizontalPodAutoscaler.autoscaling/v2": {"default/web": stored_object(scaler)},
    }
    sent = call(json.dumps({"status": {}, "children": [child, scaler]}).encode())
    request = {**json.loads(sent.request), "children": children}
    answered = answered_sync(replace(sent, request=json.dumps(request).encode()))

    assert answered
    assert unmet_claim(answered) == claim
    assert unmet_claim(answered, ("StatefulSet",)) is None
