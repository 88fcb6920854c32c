"""Hostile responses: the world raises nothing, an Event reports the error, and existing children stay."""

import json
from typing import Any

import pytest

from metahook import Controller
from metahook.protocol.bodies import MAX_BODY
from metahook.protocol.observed import LAST_APPLIED
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.clock import Clock
from metahook.simulator.controllers.pod_owners import MAX_PODS
from metahook.simulator.findings import findings
from metahook.simulator.hook import Reply, in_process
from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Key, key_of
from metahook.simulator.world import World
from toolkit.worlds import (
    DEPLOYMENT,
    SERVICE,
    WEB,
    Answers,
    both_modes,
    deployment,
    events,
    parent,
    service,
    settled,
    world,
)

Json = dict[str, Any]
Path = tuple[str | int, ...]
TEMPLATE: Path = ("spec", "template")
MAIN: Path = (*TEMPLATE, "spec", "containers", 0)


def changed(item: Json, path: Path, value: Any) -> Json:
    """Return *item* with *value* at *path*, in place."""
    inner: Any = item
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return item


def hostile() -> list[Any]:
    """Return responses, each with an invalid Deployment or Service."""
    deployments: list[tuple[str, Path, Any]] = [
        ("metadata", ("metadata",), "x"),
        ("labels", ("metadata", "labels"), "x"),
        ("label", ("metadata", "labels", "a"), 1),
        ("name", ("metadata", "name"), 5),
        ("annotations", ("metadata", "annotations"), [1]),
        ("ownerReferences", ("metadata", "ownerReferences"), "x"),
        ("ownerReference", ("metadata", "ownerReferences"), [5]),
        ("finalizers", ("metadata", "finalizers"), 7),
        ("kind", ("kind",), 5),
        ("spec", ("spec",), "x"),
        ("empty-spec", ("spec",), ""),
        ("replicas", ("spec", "replicas"), "x"),
        ("negative", ("spec", "replicas"), -5),
        ("true", ("spec", "replicas"), True),
        ("surge", ("spec", "strategy"), {"rollingUpdate": {"maxSurge": "abc"}}),
        ("strategy", ("spec", "strategy"), {"type": ["Recreate"]}),
        ("selector", ("spec", "selector"), "x"),
        ("template", TEMPLATE, "x"),
        ("no-template", TEMPLATE, None),
        ("pod", (*TEMPLATE, "spec"), "x"),
        ("containers", (*TEMPLATE, "spec", "containers"), "x"),
        ("container", MAIN, None),
        ("image", (*MAIN, "image"), 5),
        ("no-image", (*MAIN, "image"), None),
        ("ports", (*MAIN, "ports"), [5]),
        ("env", (*MAIN, "env"), [{"name": ["a"]}]),
        ("probe", (*MAIN, "readinessProbe"), {"initialDelaySeconds": "x"}),
        ("memory", (*MAIN, "resources"), {"limits": {"memory": "64Mib"}}),
        ("too-much-memory", (*MAIN, "resources"), {"limits": {"memory": "1e999999999"}}),
        ("negative-memory", (*MAIN, "resources"), {"requests": {"memory": "-64Mi"}}),
        ("no-port", (*MAIN, "ports"), [{"containerPort": 0}]),
        ("volumes", (*TEMPLATE, "spec", "volumes"), [{"name": "a", "projected": {"sources": [1]}}]),
    ]
    services: list[tuple[str, Path, Any]] = [
        ("service-ports", ("spec", "ports"), [{}]),
        ("service-port", ("spec", "ports"), 5),
        ("high-port", ("spec", "ports"), [{"port": 70000}]),
    ]
    return [
        *(pytest.param({"children": [service(), changed(deployment(), p, v)]}, id=name) for name, p, v in deployments),
        *(pytest.param({"children": [changed(service(), p, v), deployment()]}, id=name) for name, p, v in services),
        *(
            pytest.param({"status": {"conditions": conditions}, "children": [service(), deployment()]}, id=name)
            for name, conditions in [("conditions", "x"), ("condition", ["x"]), ("typeless", [{}])]
        ),
        pytest.param({"children": [service(), deployment(), None]}, id="null"),
        pytest.param(b"[" * 5000 + b"]" * 5000, id="deep"),
        pytest.param({"children": [service(), changed(deployment(), ("spec", "a"), nested(100))]}, id="nested"),
    ]


def nested(levels: int) -> Any:
    """Return nested lists."""
    found: Any = []
    for _ in range(levels):
        found = [found]
    return found


def without_times(item: Json) -> Json:
    """Return the spec and the uid of *item*."""
    return {"spec": item["spec"], "uid": item["metadata"]["uid"]}


def touched(made: World) -> None:
    """Sync the parent a few more times."""
    made.edit(WEB, lambda item: item["metadata"].update(annotations={"touched": "1"}))
    made.run(30)


@both_modes
@pytest.mark.parametrize("answer", hostile())
def test_an_invalid_response_is_an_error_and_keeps_the_children(mode: Mode, answer: Any) -> None:
    hook = Answers(deployment(), service())
    made = settled(mode, hook)
    before = {key: without_times(made.get(key)) for key in (DEPLOYMENT, SERVICE)}

    hook.says = Reply(200, answer if isinstance(answer, bytes) else json.dumps(answer).encode())
    touched(made)

    assert events(made) or events(made, "Crash")
    assert {key: without_times(made.get(key)) for key in (DEPLOYMENT, SERVICE)} == before
    findings(made.history)


@both_modes
@pytest.mark.parametrize("answer", hostile())
def test_an_invalid_response_is_an_error_without_children_too(mode: Mode, answer: Any) -> None:
    hook = Answers()
    hook.says = Reply(200, answer if isinstance(answer, bytes) else json.dumps(answer).encode())
    made = world(mode, hook, parent())
    made.run(30)

    assert events(made) or events(made, "Crash")
    findings(made.history)


@both_modes
def test_an_invalid_rule_is_an_error(mode: Mode) -> None:
    hook = Answers(deployment())
    hook.rules = [{"apiVersion": ["v1"], "resource": "pods"}]
    made = world(mode, hook, parent())
    made.run(5)

    assert events(made)
    assert made.api.get(DEPLOYMENT) is None


@both_modes
def test_null_metadata_is_the_same_as_none(mode: Mode) -> None:
    made = settled(mode, Answers(deployment()))

    made.metacontroller.hook = Answers(changed(deployment(), ("metadata", "ownerReferences"), None))
    made.run(601)

    assert events(made) == []
    assert made.get(DEPLOYMENT)["metadata"]["ownerReferences"]


@both_modes
def test_a_lone_surrogate_in_a_name_is_refused(mode: Mode) -> None:
    made = world(mode, Answers(changed(deployment(), ("metadata", "name"), "web-\ud800")), parent())
    made.run(5)

    assert "metadata.name" in events(made)[0]


@both_modes
@pytest.mark.parametrize("spec", [{"type": "ExternalName", "externalName": "a.b"}, {"clusterIP": "None"}])
def test_some_services_need_no_ports(mode: Mode, spec: Json) -> None:
    assert events(settled(mode, Answers(changed(service(), ("spec",), spec)))) == []


@both_modes
def test_a_lone_surrogate_is_stored_as_go_decodes_it(mode: Mode) -> None:
    child = changed(deployment(), (*MAIN, "env"), [{"name": "A", "value": "\ud800"}])
    made = settled(mode, Answers(child))

    assert made.get(DEPLOYMENT)["spec"]["template"]["spec"]["containers"][0]["env"][0]["value"] == "\ufffd"


@both_modes
@pytest.mark.parametrize("field", ["ports", "env"])
def test_a_field_that_its_kind_does_not_declare_is_dropped_or_refused(mode: Mode, field: str) -> None:
    child = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, field: [1, {"name": ["x"]}]}
    made = settled(mode, Answers(child))
    is_refused = mode == "server-side-apply"
    assert {"field not declared in schema" in event for event in events(made)} == ({True} if is_refused else set())
    assert is_refused or field not in made.get(Key("ConfigMap", "default", "a"))


def test_a_million_pods_do_not_fit_in_the_cluster() -> None:
    made = world("dynamic-apply", Answers(deployment(replicas=1_000_000)), parent())
    made.run(10)

    (found,) = made.api.all("ReplicaSet")
    assert len(made.api.all("Pod")) == MAX_PODS
    assert "room for 500 Pods" in found["status"]["conditions"][0]["message"]


@both_modes
@pytest.mark.parametrize("version", ["apps/v1beta1", ["apps/v1"], None])
def test_another_version_is_another_child_and_if_it_is_not_served_an_error(mode: Mode, version: Any) -> None:
    hook = Answers(deployment())
    made = settled(mode, hook)

    hook.answer["children"][0]["apiVersion"] = version
    touched(made)

    assert "can't find kind Deployment" in events(made)[0]
    assert made.api.get(DEPLOYMENT) is None


def test_a_child_of_an_undeclared_version_is_not_observed() -> None:
    made = settled("dynamic-apply", Answers(deployment()))
    made.edit(DEPLOYMENT, lambda item: item.update(apiVersion="apps/v1beta1"))
    touched(made)

    request = json.loads(list(made.history.calls())[-1].request)
    assert {"Deployment.apps/v1", "Service.v1"} <= set(request["children"])
    assert not any(request["children"].values())


@pytest.mark.parametrize("record", ["{", "[" * 100_000, "5"])
def test_an_unreadable_last_applied_annotation_is_an_error(record: str) -> None:
    hook = Answers(deployment())
    made = settled("dynamic-apply", hook)

    made.edit(DEPLOYMENT, lambda item: item["metadata"]["annotations"].update({LAST_APPLIED: record}))
    made.run(5)

    assert LAST_APPLIED in events(made)[0]


@pytest.mark.parametrize(("after", "calls"), [(1, 90), (0, 10)])
def test_a_refused_status_does_not_prevent_the_resync(after: int, calls: int) -> None:
    hook = Answers()
    hook.answer = {"status": {"conditions": "x"}, "resyncAfterSeconds": after}
    made = world("dynamic-apply", hook, parent())
    made.run(100)

    assert calls <= len(list(made.history.calls())) < calls + 30


@pytest.mark.parametrize(
    ("key", "path", "value"),
    [
        (DEPLOYMENT, ("metadata",), 5),
        (DEPLOYMENT, ("metadata", "labels"), [1]),
        (DEPLOYMENT, ("metadata", "ownerReferences"), [5]),
        (DEPLOYMENT, ("metadata", "finalizers"), "x"),
        (DEPLOYMENT, ("kind",), []),
        (DEPLOYMENT, ("spec",), 5),
        (DEPLOYMENT, ("spec", "replicas"), "abc"),
        (DEPLOYMENT, ("spec", "replicas"), -5),
        (DEPLOYMENT, ("spec", "a"), {1: 2}),
        (DEPLOYMENT, ("spec", "a"), {1, 2}),
        (DEPLOYMENT, ("spec", "a"), float("nan")),
        (DEPLOYMENT, ("spec", "a"), "\ud800"),
        (WEB, ("spec", "a"), nested(5000)),
        (SERVICE, ("spec", "ports"), 5),
    ],
)
def test_an_invalid_edit_is_refused(key: Key, path: Path, value: Any) -> None:
    made = settled("dynamic-apply", Answers(deployment(), service()))

    with pytest.raises(ApiError):
        made.edit(key, lambda item: changed(item, path, value))
    touched(made)


@pytest.mark.parametrize("kind", ["ReplicaSet", "Pod"])
def test_an_invalid_edit_of_a_child_is_refused(kind: str) -> None:
    made = settled("dynamic-apply", Answers(deployment()))
    key = key_of(made.api.all(kind)[0])

    with pytest.raises(ApiError):
        made.edit(key, lambda item: item.update(spec={}))
    made.edit(key, lambda item: item["metadata"].update(annotations=None))
    touched(made)


def test_names_are_lower_case() -> None:
    with pytest.raises(ApiError, match=r"metadata.name"):
        world("dynamic-apply", Answers(), parent("Web"))


def test_a_bug_of_the_hook_is_a_500_and_a_request_that_is_too_large_is_not_read() -> None:
    def bug(*_: object) -> Any:
        raise LookupError

    hook = in_process(Controller(sync=bug, customize=bug, children=()), Clock().time)
    item = parent()
    item["metadata"].update(uid="1", generation=1, resourceVersion="1")
    body = json.dumps({"controller": {}, "finalizing": False, "parent": item, "children": {}, "related": {}}).encode()

    assert hook("customize", body).status == 500
    assert hook("sync", b" " * (MAX_BODY + 1)).status == 413
