"""Metacontroller's half of a request about objects in files: which children and which related objects it has."""

import json
from typing import Any

from metahook import (
    Absence,
    ConfigMap,
    Controller,
    CustomizeRequest,
    Deployment,
    Pod,
    RelatedRule,
    Service,
    SyncRequest,
    select_by_labels,
    select_by_name,
)
from metahook.cli.hooks.named_hook import LocalHook
from metahook.cli.hooks.requests import Requests
from metahook.protocol.objects import Json
from metahook.protocol.request_builder import customize_request
from metahook.simulator.metacontroller.settings import Settings
from toolkit.builders import NOW, owned
from toolkit.widgets import LABEL, WIDGET, WIDGETS, finished, widget


def customize(request: CustomizeRequest) -> list[RelatedRule]:
    namespace, name = request.parent.namespace, request.parent.name
    return [select_by_name(Service, namespace, name), select_by_labels(Pod, namespace, {LABEL: name})]


REQUESTS = Requests(
    LocalHook(Controller(WIDGETS.sync, WIDGETS.children, customize), "widgets"),
    Settings(WIDGET, tuple(kind.KIND for kind in WIDGETS.children)),
)


def made(kind: str, name: str = "web", *, namespace: str = "default", api_version: str = "v1", **labels: str) -> Json:
    metadata = {"name": name, "namespace": namespace, "labels": labels}
    return {"apiVersion": "apps/v1" if kind == "Deployment" else api_version, "kind": kind, "metadata": metadata}


def composed(parent: Json, observed: list[Json], *others: Json) -> Any:
    return json.loads(REQUESTS.compose(parent, observed, list(others), NOW, "file"))


def test_a_composed_request_is_read_as_it_was_meant() -> None:
    parent = widget(status={"state": "Ready"}, generation=4)
    (observed,) = finished(parent)
    request = SyncRequest.decode(REQUESTS.compose(parent, [observed], [made("Service")], NOW, "file"), WIDGETS.children)
    deployment = request.children.get(Deployment, "web-deployment")

    assert request.parent == CustomizeRequest.decode(customize_request(parent)).parent
    assert request.parent.generation == 4
    assert json.loads(request.parent.spec) == parent["spec"]
    assert json.loads(request.parent.status) == parent["status"]
    assert deployment is not None
    assert deployment.spec == observed["spec"]
    assert isinstance(request.related.get(Service, "web"), Service)
    assert request.related.get(Service, "gone") is Absence.MISSING
    assert request.related.get(ConfigMap, "web") is Absence.NOT_SELECTED


def test_only_what_the_parent_controls_in_its_namespace_is_its_child() -> None:
    parent = widget()
    own, others = owned(made("Deployment", "own"), parent), owned(made("Deployment", "b"), widget("b"))
    others["metadata"]["ownerReferences"][0]["uid"] = "u"
    follower = owned(made("Deployment", "follower"), parent, ownerReferences=[{"uid": parent["metadata"]["uid"]}])
    orphan = owned(made("Deployment", "orphan"), parent, ownerReferences=[])
    elsewhere, pod = owned(made("Deployment", namespace="other"), parent), owned(made("Pod"), parent)

    groups = composed(parent, [own, others, follower, orphan, elsewhere, pod])["children"]

    assert {kind: list(group) for kind, group in groups.items()} == {
        "Deployment.apps/v1": ["default/own"],
        "Service.v1": [],
    }


def test_related_objects_are_those_that_a_rule_names_or_whose_labels_it_selects() -> None:
    found, selected = made("Service"), made("Pod", "own", **{LABEL: "web", "more": "x"})
    others = [
        made("Service", namespace="other"),
        made("Service", "other"),
        made("Service", api_version="example.com/v2"),
        made("Pod", "another", **{LABEL: "other"}),
    ]

    related = composed(widget(), [], found, selected, *others)["related"]

    assert related == {"Service.v1": {"default/web": found}, "Pod.v1": {"default/own": selected}}
