"""The model of Metacontroller: what answers cost that are careless, or that change."""

from typing import Any

import pytest

from tests.metacontroller import Mode
from tests.small import WRITES, Hook, both_modes, deployment, seen, synced, with_main

Json = dict[str, Any]

CARELESS = [
    pytest.param(with_main(resources={"limits": {"memory": "1024Mi"}}), id="not-canonical"),
    pytest.param(with_main(args=None), id="null"),
    pytest.param(with_main(env=[{"name": "A", "value": ""}]), id="empty-value"),
    pytest.param(with_main(resources={"limits": {}}), id="empty-map"),
    pytest.param(with_main(ports=[]), id="empty-list"),
    pytest.param(deployment(replicas=1.0), id="float"),
    pytest.param(deployment(minReadySeconds=0), id="zero"),
]
"""Children that are never stored as they are asked for."""


@pytest.mark.parametrize("careless", CARELESS)
def test_under_dynamic_apply_a_careless_child_costs_a_useless_request_at_every_sync(careless: Json) -> None:
    metacontroller = synced("dynamic-apply", Hook(careless))
    done = len(metacontroller.changes)

    assert metacontroller.sync("web") == metacontroller.sync("web") == ["PUT Deployment web-deployment"]
    assert metacontroller.changes[done:] == []


@pytest.mark.parametrize("careless", CARELESS)
def test_under_server_side_apply_a_careless_child_costs_nothing(careless: Json) -> None:
    assert synced("server-side-apply", Hook(careless)).sync("web") == []


def test_under_dynamic_apply_projected_sources_must_say_the_defaults_of_the_server() -> None:
    hook = Hook(deployment())
    files = {"items": [{"path": "name", "fieldRef": {"fieldPath": "metadata.name"}}]}
    volumes = [{"name": "a", "projected": {"sources": [{"downwardAPI": files}], "defaultMode": 420}}]
    hook.answer["children"][0]["spec"]["template"]["spec"]["volumes"] = volumes
    metacontroller = synced("dynamic-apply", hook)

    assert metacontroller.sync("web") == ["PUT Deployment web-deployment"]

    files["items"][0]["fieldRef"] = {"apiVersion": "v1", "fieldPath": "metadata.name"}
    metacontroller.sync("web")

    assert metacontroller.sync("web") == []


@both_modes
def test_an_answer_that_differs_each_time_writes_each_time(mode: Mode) -> None:
    hook = Hook(deployment())
    metacontroller = synced(mode, hook)

    for place in range(3):
        hook.answer["children"] = [with_main(args=[str(place)])]

        assert metacontroller.sync("web") == [f"{WRITES[mode][1]} Deployment web-deployment"]
    assert len(metacontroller.changes) == 5


@both_modes
def test_tolerations_in_another_order_are_written_once(mode: Mode) -> None:
    hook = Hook(deployment())
    pod = hook.answer["children"][0]["spec"]["template"]["spec"]
    pod["tolerations"] = [{"key": "a", "operator": "Exists"}, {"key": "b", "operator": "Exists"}]
    metacontroller = synced(mode, hook)

    pod["tolerations"].reverse()

    assert metacontroller.sync("web") == [f"{WRITES[mode][1]} Deployment web-deployment"]
    assert metacontroller.sync("web") == []
    assert seen(metacontroller)["metadata"]["generation"] == 2


@pytest.mark.parametrize(("mode", "order"), [("dynamic-apply", "AB"), ("server-side-apply", "BA")])
def test_variables_in_another_order_follow_only_under_server_side_apply(mode: Mode, order: str) -> None:
    hook = Hook(with_main(env=[{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]))
    metacontroller = synced(mode, hook)

    hook.answer["children"][0]["spec"]["template"]["spec"]["containers"][0]["env"].reverse()

    assert len(metacontroller.sync("web")) == 1
    (main,) = seen(metacontroller)["spec"]["template"]["spec"]["containers"]
    assert "".join(variable["name"] for variable in main["env"]) == order


def test_under_dynamic_apply_one_port_with_two_protocols_never_comes_to_rest() -> None:
    ports = [{"containerPort": 53, "protocol": "TCP"}, {"containerPort": 53, "protocol": "UDP"}]
    metacontroller = synced("dynamic-apply", Hook(with_main(ports=ports)))
    metacontroller.sync("web")

    (main,) = seen(metacontroller)["spec"]["template"]["spec"]["containers"]
    assert [port["protocol"] for port in main["ports"]] == ["UDP", "UDP"]


def test_under_dynamic_apply_a_field_that_is_left_out_is_taken_away() -> None:
    hook = Hook(deployment(replicas=3))
    metacontroller = synced("dynamic-apply", hook)

    hook.answer["children"] = [deployment()]
    metacontroller.sync("web")

    assert seen(metacontroller)["spec"]["replicas"] == 1


@both_modes
def test_a_rolling_update_that_was_never_said_keeps_recreate_away_for_ever(mode: Mode) -> None:
    hook = Hook(deployment())
    metacontroller = synced(mode, hook)

    hook.answer["children"] = [deployment(strategy={"type": "Recreate"})]
    metacontroller.sync("web")
    metacontroller.sync("web")

    assert len(metacontroller.refusals) == 2
    assert seen(metacontroller)["spec"]["strategy"]["type"] == "RollingUpdate"


def test_under_server_side_apply_control_characters_are_refused_and_a_next_line_becomes_a_space() -> None:
    refused, folded = (synced("server-side-apply", Hook(with_main(args=[text]))) for text in ("a\x7fb", "a\x85b"))

    assert len(refused.refusals) == 1
    assert seen(folded)["spec"]["template"]["spec"]["containers"][0]["args"] == ["a b"]
