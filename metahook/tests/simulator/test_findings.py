"""Findings: each real mistake of a careless hook is found, and a careful hook has none.

So are removed fields, and claims that the observed children do not meet.
"""

import json
from functools import cache
from typing import Any

import pytest
from msgspec.structs import replace

from metahook import ConfigMap, Kind
from metahook.simulator.apiserver.stored_object import stored_object
from metahook.simulator.findings import RULES, findings
from metahook.simulator.findings.evidence import answered_sync, first_missing_field, unmet_claim
from metahook.simulator.findings.loops import MOST_BYTES, REPEATED
from metahook.simulator.history import Call
from metahook.simulator.metacontroller.settings import MODES, Mode
from metahook.simulator.objects import Key, with_metadata
from metahook.simulator.world import NeverQuiet, World
from toolkit import careless
from toolkit.careless import answering
from toolkit.changes import TAKEN, run_changes
from toolkit.controllers import CONFIG_MAPS, Decides, cluster, composite, config_map as child, hooks, resource, room
from toolkit.hooks.raw import SELECTED, labelled
from toolkit.slow import short_or_whole
from toolkit.widgets import WIDGETS
from toolkit.worlds import CHILDREN, DEPLOYMENT, WEB, both_modes, deployment, parent, world

Json = dict[str, Any]


EMPTY: Any = answering(careless.empty_when_it_fails)
TIME: Any = answering(careless.time_in_a_child())


@cache
def found(called: Any, mode: Mode) -> dict[str, str]:
    """Return the rules that a hook breaks in a life, each with the message of its last finding."""
    return {finding.rule: finding.message for finding in findings(run_changes(world(mode, called)).history)}


@both_modes
def test_a_careful_hook_has_no_findings(mode: Mode) -> None:
    careful: Any = answering(careless.careful)

    assert found(careful, mode) == {}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("called", "rule", "modes"),
    [
        pytest.param(EMPTY, "WrongDelete", MODES, id="an empty answer"),
        pytest.param(EMPTY, "EmptiedStatus", MODES, id="an empty answer, the status"),
        pytest.param(answering(careless.null_child), "MetacontrollerCrash", MODES, id="a child that is null"),
        pytest.param(TIME, "RepeatedWrites", MODES, id="the time in a child"),
        pytest.param(answering(careless.new_transition_time()), "RepeatedWrites", MODES, id="a new transition time"),
        pytest.param(answering(careless.older_after_a_while()), "NeedsResync", MODES, id="the age in the status"),
        pytest.param(answering(careless.not_canonical), "NoOpWrites", MODES[:1], id="a quantity that is not canonical"),
        pytest.param(answering(careless.null_field), "NoOpWrites", MODES[:1], id="a field that is null"),
        pytest.param(answering(careless.only_once), "WrongDelete", MODES, id="a child that is listed once"),
        pytest.param(answering(careless.key_of_another_version), "ReadyTooEarly", MODES, id="keys of another version"),
        pytest.param(
            answering(careless.children_wait_for_a_config_map, careless.config_map_of_the_parent),
            "WrongDelete",
            MODES,
            id="children that wait for a ConfigMap",
        ),
        pytest.param(answering(careless.available_is_ready), "ReadyTooEarly", MODES, id="available means ready"),
        pytest.param(answering(careless.replicas_only_at_first), "RemovedField", MODES, id="replicas only at first"),
        pytest.param(answering(careless.generated_name), "GrowingChildren", MODES[:1], id="a generated name"),
        pytest.param(answering(careless.another_namespace), "GrowingChildren", MODES, id="another namespace"),
        pytest.param(
            answering(careless.selector_of_the_image), "UnreportedRefusal", MODES, id="a selector that changes"
        ),
        pytest.param(
            answering(careless.name_of_another_owner), "OverwrittenObject", MODES[1:], id="the name of another owner"
        ),
        pytest.param(
            answering(careless.copies_observed_children), "RepeatedWrites", MODES[:1], id="a copy of what is observed"
        ),
        pytest.param(answering(careless.listed_twice), "RepeatedChild", MODES, id="a child that is listed twice"),
        pytest.param(
            answering(careless.kind_that_nobody_watches), "UnwatchedChild", MODES, id="a kind that nobody watches"
        ),
        pytest.param(answering(careless.selects_nothing), "UselessSelector", MODES, id="a selector of nothing"),
        pytest.param(
            answering(careless.state_ready_at_once), "ReadyTooEarly", MODES, id="a state that is Ready at once"
        ),
        pytest.param(answering(careless.called_twice_a_second), "CallStorm", MODES, id="a resync in half a second"),
        pytest.param(careless.too_busy, "CallStorm", MODES, id="429 without Retry-After"),
        pytest.param(answering(careless.another_parents_label), "FailingSync", MODES, id="another parent's label"),
        pytest.param(careless.too_busy_to_customize, "CallStorm", MODES, id="429 to customize"),
        pytest.param(careless.error_page, "FailingSync", MODES, id="an error page with 200"),
    ],
)
def test_a_careless_hook_is_caught(called: Any, rule: str, modes: tuple[Mode, ...]) -> None:
    for mode in modes[: short_or_whole(1, len(MODES))]:
        assert rule in found(called, mode)


def test_every_rule_has_an_example() -> None:
    marks = [mark for mark in test_a_careless_hook_is_caught.pytestmark if mark.name == "parametrize"]
    assert {case.values[1] for mark in marks for case in mark.args[1]} | {"MixedParents"} == set(RULES)


@pytest.mark.parametrize(
    ("called", "rules"), [(careless.one_template_for_all(), ["MixedParents"]), (careless.careful, [])]
)
def test_a_parent_that_gets_the_data_of_another_one_is_found(called: careless.Decide, rules: list[str]) -> None:
    cluster = world("dynamic-apply", answering(called), parent())
    cluster.run(300)
    cluster.apply(parent() | {"metadata": {"name": "other"}, "spec": {"image": "redis:8"}})
    cluster.run(700)

    assert [finding.rule for finding in findings(cluster.history) if finding.key == WEB] == rules


def test_a_loop_that_grows_stops_the_world_early() -> None:
    config_maps = (ConfigMap.KIND,)
    cluster = world("dynamic-apply", answering(careless.more_and_more()), parent(), children=config_maps)

    with pytest.raises(NeverQuiet, match="GrowingChildren: Widget web: each response lists more children"):
        cluster.run(3600)

    assert sum(len(call.request) + len(call.response) for call in cluster.history.calls()) < 2 * MOST_BYTES


def test_a_repeated_write_names_the_path() -> None:
    message = found(TIME, "dynamic-apply")["RepeatedWrites"]

    assert "spec.template.metadata.annotations.rendered-at is another one each time" in message


@both_modes
def test_a_child_that_the_spec_no_longer_asks_for_may_be_deleted(mode: Mode) -> None:
    cluster = world(mode, WIDGETS)
    cluster.apply(parent(ports=[{"containerPort": 80}]))
    cluster.until_quiet(within=300)
    cluster.apply(parent())
    cluster.until_quiet(within=300)

    assert cluster.api.get(Key("Service", "default", "web")) is None
    assert findings(cluster.history) == []


@both_modes
def test_an_orphan_that_is_adopted_and_deleted_belongs_to_another_owner(mode: Mode) -> None:
    cluster = world(mode, WIDGETS)
    cluster.apply(parent())
    cluster.until_quiet(within=300)
    uid = cluster.parent("web")["metadata"]["uid"]
    other = {**TAKEN, "metadata": {"name": "other", "labels": {"controller-uid": uid}}}
    cluster.apply(other)
    cluster.until_quiet(within=300)

    (finding,) = findings(cluster.history)
    assert str(finding).startswith("WrongDelete: Service other: deleted, but no response ever listed it")


ROOM = Key("Room", "default", "a")


def stale(kind: str, hook: Decides) -> World:
    """Return a world with a Room in it, in which changes of *kind* arrive five seconds late."""
    children = resource("v1", "pods"), CONFIG_MAPS, resource("apps/v1", "replicasets")
    made = cluster(composite("rooms", *children), hook)
    cache = made.metacontroller.cache
    cache.delays = lambda write: [5.0 if write.key.kind == kind else cache.late]
    made.apply(room())
    made.run(60)
    return made


def test_a_status_that_follows_a_stale_child_is_no_loop() -> None:
    """Every write of the status has a cause, a change of a child that arrives late."""
    pod = {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "main", "image": "nginx:1"}]}}
    spec = {"selector": {"matchLabels": {"app": "a"}}, "minReadySeconds": 10, "template": pod}
    desired = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "a"}, "spec": spec}

    def copy_status(request: Json) -> Json:
        (observed,) = request["children"]["ReplicaSet.apps/v1"].values() or [{}]
        return {"children": [desired], "status": {"exists": bool(observed), **(observed.get("status") or {})}}

    made = stale("ReplicaSet", Decides(sync=copy_status))

    assert made.parent("a")["status"]["availableReplicas"] == 1
    assert findings(made.history) == []


def touched(request: Json) -> Json:
    """Desire a ConfigMap, and write another status whenever the annotation changes."""
    annotations = request["parent"]["metadata"].get("annotations")
    return {"children": [child("a", "default", word="hi")], "status": {"annotations": annotations}}


def test_a_child_that_a_stale_cache_lacks_is_created_again_without_a_finding() -> None:
    made = stale("ConfigMap", Decides(sync=touched))
    made.delete(Key("ConfigMap", "default", "a"))
    made.run(6)
    for number in range(6):
        made.edit(ROOM, lambda item, number=number: item["metadata"].update(annotations={"n": str(number)}))  # type: ignore[misc] # a default argument
        made.run(0.1)

    refused = [write for write in made.history.writes("metacontroller") if write.refused]
    assert len(refused) > REPEATED
    assert findings(made.history) == []


def test_two_parents_that_list_one_child_are_found() -> None:
    """The negative control: only one of them gets the child."""
    made = cluster(composite("rooms", CONFIG_MAPS), Decides(sync=touched), room("a"), room("b"))
    for number in range(6):
        for name in ("a", "b"):
            made.edit(
                Key("Room", "default", name),
                lambda item, number=number: item["metadata"].update(annotations={"n": str(number)}),  # type: ignore[misc] # a default argument
            )
        made.until_quiet()

    (finding,) = findings(made.history)
    assert str(finding).startswith("UnreportedRefusal: ConfigMap a: the API server keeps refusing it")


def test_a_sync_that_fails_before_the_hook_is_called_is_not_a_mistake_of_its_responses() -> None:
    """The finalizer that Metacontroller adds before is no write to an object of another owner."""
    selected = composite("rooms", CONFIG_MAPS, generateSelector=False, hooks=hooks("sync", "finalize"))
    made = cluster(selected, Decides(sync=touched, finalize=touched))
    made.apply(room(selector={}))
    made.run(60)

    assert made.parent("a")["metadata"]["finalizers"]
    assert [str(finding) for finding in findings(made.history)] == [
        "FailingSync: Room a: every sync fails, before the hook is called"
    ]


@both_modes
def test_a_child_that_its_update_method_deletes_is_no_wrong_delete(mode: Mode) -> None:
    def named(request: Json) -> Json:
        return {"children": [child("a", "default", word=request["parent"]["spec"]["word"])], "status": {}}

    recreated = composite("rooms", resource("v1", "configmaps", "Recreate"))
    made = cluster(recreated, Decides(sync=named), room(word="one"), mode=mode)
    made.edit(ROOM, lambda item: item["spec"].update(word="two"))
    made.until_quiet()

    assert made.get(Key("ConfigMap", "default", "a"))["data"] == {"word": "two"}
    assert findings(made.history) == []


def test_beside_a_child_of_another_api_a_service_may_select_pods_that_are_not_seen() -> None:
    kind = Kind("example.com/v1", "Gadget", "gadgets")
    gadget = {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": {"name": "web"}}

    def beside(request: Json) -> Json:
        answer = careless.selects_nothing(request)
        return {**answer, "children": [*answer["children"], gadget]}

    made = world("dynamic-apply", answering(beside), parent(replicas=1), children=(*CHILDREN, kind))
    made.run(300)

    assert findings(made.history) == []


def test_a_child_that_is_released_is_not_overwritten() -> None:
    made = cluster(SELECTED, Decides(sync=labelled), room(word="hi", selector={"matchLabels": {"room": "a"}}))
    owner = {"apiVersion": "example.com/v1", "kind": "Room", "name": "a", "uid": made.get(ROOM)["metadata"]["uid"]}
    other = child("other", "default") | {
        "metadata": {"name": "other", "namespace": "default", "ownerReferences": [{**owner, "controller": True}]}
    }

    made.apply(other)
    made.until_quiet()

    assert "ownerReferences" not in made.get(Key("ConfigMap", "default", "other"))["metadata"]
    assert findings(made.history) == []


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
