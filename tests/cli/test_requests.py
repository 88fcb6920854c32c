"""Metacontroller's half: what is composed is what the hook reads, and what a real Metacontroller sent."""

import json

from app.cli.bound import settings
from app.core.controller import controller
from app.core.desired.children import CHILDREN
from app.core.watch import Watch
from metahook import Pod, Service
from metahook.cli.hooks.named_hook import LocalHook
from metahook.cli.hooks.requests import Requests
from metahook.simulator.metacontroller.settings import MODES
from tests.requests.builders import NOW, Json, my_resource, owned

WITH_SERVICE = my_resource(ports=[{"containerPort": 80}])


def made(kind: str, name: str = "web", *, namespace: str = "default", **fields: object) -> Json:
    version = "apps/v1" if kind == "Deployment" else "v1"
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": namespace}, **fields}


def composed(parent: Json, observed: list[Json], *others: Json) -> Json:
    requests = Requests(LocalHook(controller(Watch()), "myresource"), settings(MODES[0], Watch()))
    request: Json = json.loads(requests.compose(parent, observed, list(others), NOW, "file"))
    return request


def children(parent: Json, *observed: Json) -> list[str]:
    """Return the children, of all kinds, for which the request has a group."""
    groups = composed(parent, list(observed))["children"]
    assert groups.keys() == {kind.KIND.group_key for kind in CHILDREN}
    return [name for group in groups.values() for name in group]


def test_only_what_the_parent_controls_in_its_namespace_is_its_child() -> None:
    parent = my_resource()
    own, others = owned(made("Deployment", "own"), parent), owned(made("Deployment", "b"), my_resource("b", uid="u"))
    follower = owned(made("Deployment", "follower"), parent, ownerReferences=[{"uid": parent["metadata"]["uid"]}])
    orphan = owned(made("Deployment", "orphan"), parent, ownerReferences=[])
    elsewhere, pod = owned(made("Deployment", namespace="other"), parent), owned(made("Pod"), parent)

    assert children(parent, own, others, follower, orphan, elsewhere, pod) == ["default/own"]


def test_related_objects_are_those_that_a_rule_names_or_whose_labels_it_selects() -> None:
    found, elsewhere, other = made("Service"), made("Service", namespace="other"), made("Service", "other")
    pods = [made("Pod", name) for name in ("own", "another")]
    pods[0]["metadata"]["labels"] = {"myresource": "web", "more": "x"}
    pods[1]["metadata"]["labels"] = {"myresource": "other"}
    related = composed(WITH_SERVICE, [], found, elsewhere, other, *pods)["related"]

    assert related == {Service.KIND.group_key: {"default/web": found}, Pod.KIND.group_key: {"default/own": pods[0]}}
