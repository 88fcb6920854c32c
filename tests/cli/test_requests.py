"""Metacontroller's half: what is composed is what the hook reads, and what a real Metacontroller sent."""

import json

from app.cli.bound import settings
from app.core.controller import controller
from app.core.desired.children import CHILDREN
from app.core.watch import Watch
from metahook import Absence, ConfigMap, CustomizeRequest, Deployment, Pod, Service, SyncRequest
from metahook.cli.hooks.named_hook import LocalHook
from metahook.cli.hooks.requests import Requests
from metahook.protocol.request_builder import customize_request
from metahook.simulator.metacontroller.settings import MODES
from tests.requests.builders import NOW, Json, finished, my_resource, owned
from tests.requests.watched_objects import BACKUP, backup

WITH_SERVICE = my_resource(ports=[{"containerPort": 80}])


def made(kind: str, name: str = "web", *, namespace: str = "default", **fields: object) -> Json:
    version = "apps/v1" if kind == "Deployment" else "v1"
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": namespace}, **fields}


def compose(parent: Json, observed: list[Json], others: list[Json], watch: Watch) -> bytes:
    requests = Requests(LocalHook(controller(watch), "myresource"), settings(MODES[0], watch))
    return requests.compose(parent, observed, others, NOW, "file")


def composed(parent: Json, observed: list[Json], *others: Json, watch: Watch | None = None) -> Json:
    request: Json = json.loads(compose(parent, observed, list(others), watch or Watch()))
    return request


def children(parent: Json, *observed: Json) -> list[str]:
    """Return the children, of all kinds, for which the request has a group."""
    groups = composed(parent, list(observed))["children"]
    assert groups.keys() == {kind.KIND.group_key for kind in CHILDREN}
    return [name for group in groups.values() for name in group]


def test_a_composed_request_is_read_as_it_was_meant() -> None:
    parent = my_resource(status={"state": "Ready"}, generation=4, ports=[{"containerPort": 80}])
    observed = next(each for each in finished(parent) if each["kind"] == "Deployment")
    request = SyncRequest.decode(compose(parent, [observed], [made("Service")], Watch()), CHILDREN)
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


def test_a_dependency_is_known_by_its_version_and_resource() -> None:
    wanted = {"apiVersion": BACKUP.api_version, "resource": BACKUP.plural, "name": "a"}
    found = backup("a")
    parent = my_resource(dependencies=[wanted])
    related = composed(
        parent, [], found, {**found, "apiVersion": "example.com/v2"}, watch=Watch(dependencies=(BACKUP,))
    )

    assert related["related"][BACKUP.group_key] == {"default/a": found}
