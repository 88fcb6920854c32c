"""Convergence: answers lead somewhere, cost nothing once there, and where they lead does not depend on the way."""

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.core.controller import MYRESOURCE
from app.simulator.objects import text
from tests.build import NOW, condition, my_resource, rolled_out
from tests.cluster.api_server import ApiServer
from tests.given.observed import Situation, situations
from tests.metacontroller import MODES, Metacontroller, Mode
from tests.strategies import specs

Json = dict[str, Any]

both_modes = pytest.mark.parametrize("mode", MODES)


def started(mode: Mode, *objects: Json) -> Metacontroller:
    """Return a Metacontroller with our hook, in a cluster that holds *objects*."""
    api = ApiServer()
    for item in objects:
        api.put(item)
    return Metacontroller(api, mode, lambda body: MYRESOURCE.answer_sync(body, NOW), MYRESOURCE.answer_customize)


def roll_out(api: ApiServer) -> None:
    """Let the Deployment controller finish."""
    for deployment in api.all("Deployment"):
        if deployment.get("spec"):
            api.put_status(rolled_out(deployment))


def children(api: ApiServer) -> list[Json]:
    """Return the children as they are stored."""
    return [*api.all("Deployment"), *api.all("Service")]


def settle(metacontroller: Metacontroller, parent: Json) -> None:
    """Store *parent* and sync it until it has had every chance to come to rest."""
    metacontroller.api.put(parent)
    for _ in range(2):
        metacontroller.sync(parent["metadata"]["name"])
    roll_out(metacontroller.api)
    for _ in range(2):
        metacontroller.sync(parent["metadata"]["name"])


@both_modes
@settings(max_examples=300)
@given(spec=specs())
def test_a_new_parent_comes_to_rest_and_is_ready(mode: Mode, spec: Json) -> None:
    metacontroller = started(mode)

    settle(metacontroller, my_resource(spec=spec))

    parent = metacontroller.api.get("MyResource", "web") or {}
    assert condition(parent)["status"] == "True"
    assert metacontroller.sync("web") == []
    assert metacontroller.refusals == []


@both_modes
@pytest.mark.parametrize("character", ["\x7f", "\x80", "\x85", "\x9f", "\uffff"], ids=ascii)
def test_a_character_that_can_not_be_applied_is_an_invalid_spec(mode: Mode, character: str) -> None:
    metacontroller = started(mode)

    settle(metacontroller, my_resource(args=[f"a{character}b"]))

    parent = metacontroller.api.get("MyResource", "web") or {}
    assert condition(parent)["reason"] in ("Available", "InvalidSpec")
    assert metacontroller.refusals == []


@both_modes
@settings(max_examples=500)
@given(situation=situations())
def test_whatever_is_found_the_third_sync_changes_nothing(mode: Mode, situation: Situation) -> None:
    held = (item for group in (situation.related or {}).values() for item in group.values())
    metacontroller = started(mode, *held, *situation.children, situation.parent)
    name = situation.parent["metadata"]["name"]
    metacontroller.sync(name)
    metacontroller.sync(name)
    done = len(metacontroller.changes)

    requests = metacontroller.sync(name)

    assert metacontroller.changes[done:] == []
    assert [request for request in requests if request not in _refused(metacontroller)] == []


def _refused(metacontroller: Metacontroller) -> set[str]:
    """Return the requests that were refused: a name that is taken is asked for again each time."""
    return {refusal.split(":")[0] for refusal in metacontroller.refusals}


@both_modes
@settings(max_examples=300)
@given(before=specs(), after=specs())
@example(before={"image": "nginx:1", "serviceAccountName": "robot"}, after={"image": "nginx:1"})
@example(before={"image": "nginx:1"}, after={"image": "nginx:latest"})
@example(
    before={"image": "nginx:1", "strategy": {"rollingUpdate": {"maxSurge": 2}}},
    after={"image": "nginx:1", "strategy": {"type": "Recreate"}},
)
def test_the_spec_from_before_leaves_nothing_behind(mode: Mode, before: Json, after: Json) -> None:
    changed, fresh = started(mode), started(mode)

    settle(changed, my_resource(spec=before))
    settle(changed, my_resource(spec=after, generation=2))
    settle(fresh, my_resource(spec=after, generation=2))

    assert [_in_any_order(child["spec"]) for child in children(changed.api)] == [
        _in_any_order(child["spec"]) for child in children(fresh.api)
    ]


_NAMED = {"env", "ports", "volumes", "volumeMounts", "imagePullSecrets", "httpHeaders", "items"}
"""Lists that dynamic-apply merges item by item, and leaves in the order that they had."""


def _in_any_order(value: Any, field: str = "") -> Any:
    """Return *value* with such lists sorted, and without the node ports that are given at random."""
    if isinstance(value, dict):
        return {key: _in_any_order(inner, key) for key, inner in value.items() if key != "nodePort"}
    if isinstance(value, list):
        items = [_in_any_order(item) for item in value]
        return sorted(items, key=text) if field in _NAMED else items
    return value


BREAKS: dict[str, Json] = {
    "no-image": {"image": ""},
    "negative-replicas": {"replicas": -1},
    "no-quantity": {"memory": "some"},
    "unknown-volume": {"volumes": [], "volumeMounts": [{"name": "nowhere", "mountPath": "/a"}]},
    "unknown-port": {"ports": [], "livenessProbe": {"httpGet": {"port": "nowhere"}}},
    "not-an-object": {"strategy": "Recreate"},
}


@both_modes
@settings(max_examples=300)
@given(spec=specs(), broken=st.sampled_from(sorted(BREAKS)))
def test_an_invalid_spec_changes_no_child(mode: Mode, spec: Json, broken: str) -> None:
    metacontroller = started(mode)
    settle(metacontroller, my_resource(spec=spec))
    before, done = children(metacontroller.api), len(metacontroller.changes)

    metacontroller.api.put(my_resource(spec={**spec, **BREAKS[broken]}, generation=2))
    metacontroller.sync("web")

    parent = metacontroller.api.get("MyResource", "web") or {}
    assert condition(parent)["reason"] == "InvalidSpec"
    assert metacontroller.changes[done:] == ["PUT status MyResource web"]
    assert children(metacontroller.api) == before
    assert metacontroller.sync("web") == []


@both_modes
def test_an_invalid_spec_changes_no_child_after_a_restart_of_metacontroller(mode: Mode) -> None:
    metacontroller = started(mode)
    spec = {"image": "nginx", "env": [{"name": "B", "value": "1"}, {"name": "A", "value": "2"}]}
    settle(metacontroller, my_resource(spec=spec))
    before = children(metacontroller.api)
    done = len(metacontroller.changes)

    metacontroller.restart()
    settle(metacontroller, my_resource(spec={**spec, "replicas": -1}, generation=2))

    assert metacontroller.changes[done:] == ["PUT status MyResource web"]
    assert [child["spec"] for child in children(metacontroller.api)] == [child["spec"] for child in before]
