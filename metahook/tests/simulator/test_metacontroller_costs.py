"""Metacontroller alone: the cost of responses that are careless, or that change."""

from typing import Any

import pytest

from metahook.simulator.metacontroller.settings import Mode
from toolkit.worlds import (
    CHANGES,
    DEPLOYMENT,
    Answers,
    Since,
    both_modes,
    calls,
    deployment,
    events,
    parent,
    synced,
    with_main,
    without_controllers,
    world,
)

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
"""Children that are never stored as desired."""


@pytest.mark.parametrize("careless", CARELESS)
def test_under_dynamic_apply_a_careless_child_costs_a_useless_request_at_every_sync(careless: Json) -> None:
    made = without_controllers("dynamic-apply", Answers(careless))

    for _ in range(2):
        done = synced(made)
        assert (done.requests, done.writes) == (["update Deployment web-deployment"], [])


@pytest.mark.parametrize("careless", CARELESS)
def test_under_server_side_apply_a_careless_child_costs_nothing(careless: Json) -> None:
    assert synced(without_controllers("server-side-apply", Answers(careless))).requests == []


def test_under_dynamic_apply_projected_sources_must_contain_the_defaults_of_the_server() -> None:
    hook = Answers(deployment())
    files = {"items": [{"path": "name", "fieldRef": {"fieldPath": "metadata.name"}}]}
    volumes = [{"name": "a", "projected": {"sources": [{"downwardAPI": files}], "defaultMode": 420}}]
    hook.answer["children"][0]["spec"]["template"]["spec"]["volumes"] = volumes
    made = without_controllers("dynamic-apply", hook)

    assert synced(made).requests == ["update Deployment web-deployment"]

    files["items"][0]["fieldRef"] = {"apiVersion": "v1", "fieldPath": "metadata.name"}
    synced(made)

    assert synced(made).requests == []


@both_modes
def test_a_response_that_differs_each_time_is_a_write_each_time(mode: Mode) -> None:
    hook = Answers(deployment())
    made = without_controllers(mode, hook)

    for place in range(3):
        hook.answer["children"] = [with_main(args=[str(place)])]
        done = synced(made)

        assert done.requests == done.writes == [CHANGES[mode]]


class NeverTheSame(Answers):
    """A hook whose child differs in every response."""

    def __call__(self, hook: str, body: bytes) -> Any:
        """Return the next response."""
        place = self.answer.get("place", 0)
        self.answer = {"status": {"a": 1}, "children": [with_main(args=[str(place)])]}
        reply = super().__call__(hook, body)
        self.answer["place"] = place + 1
        return reply


@both_modes
def test_a_hook_that_never_repeats_a_response_syncs_in_a_loop(mode: Mode) -> None:
    made = world(mode, NeverTheSame(), parent(), controllers=False, has_customize=False)

    made.run(1)

    assert calls(made) > 100
    assert not made.until_quiet(within=1)


@both_modes
def test_a_status_that_differs_each_time_syncs_in_a_loop_unless_status_changes_are_ignored(mode: Mode) -> None:
    class Counting(Answers):
        def __call__(self, hook: str, body: bytes) -> Any:
            self.answer["status"] = {"calls": self.answer["status"].get("calls", 0) + 1}
            return super().__call__(hook, body)

    ignoring, open_eyed = (
        world(mode, Counting(), parent(), has_customize=False, ignore_status_changes=ignore) for ignore in (True, False)
    )
    ignoring.run(1)
    open_eyed.run(1)

    assert calls(ignoring) == 1
    assert calls(open_eyed) > 100


@both_modes
def test_tolerations_in_another_order_are_written_once(mode: Mode) -> None:
    hook = Answers(deployment())
    pod = hook.answer["children"][0]["spec"]["template"]["spec"]
    pod["tolerations"] = [{"key": "a", "operator": "Exists"}, {"key": "b", "operator": "Exists"}]
    made = without_controllers(mode, hook)

    pod["tolerations"].reverse()

    assert synced(made).requests == [CHANGES[mode]]
    assert synced(made).requests == []
    assert made.get(DEPLOYMENT)["metadata"]["generation"] == 2


@pytest.mark.parametrize(("mode", "order"), [("dynamic-apply", "AB"), ("server-side-apply", "BA")])
def test_variables_in_another_order_follow_only_under_server_side_apply(mode: Mode, order: str) -> None:
    hook = Answers(with_main(env=[{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]))
    made = without_controllers(mode, hook)

    hook.answer["children"][0]["spec"]["template"]["spec"]["containers"][0]["env"].reverse()

    assert len(synced(made).requests) == 1
    (main,) = made.get(DEPLOYMENT)["spec"]["template"]["spec"]["containers"]
    assert "".join(variable["name"] for variable in main["env"]) == order


def test_under_dynamic_apply_one_port_with_two_protocols_is_written_at_every_sync() -> None:
    ports = [{"containerPort": 53, "protocol": "TCP"}, {"containerPort": 53, "protocol": "UDP"}]
    made = without_controllers("dynamic-apply", Answers(with_main(ports=ports)))
    synced(made)

    (main,) = made.get(DEPLOYMENT)["spec"]["template"]["spec"]["containers"]
    assert [port["protocol"] for port in main["ports"]] == ["UDP", "UDP"]


def test_under_dynamic_apply_a_field_that_is_left_out_is_removed() -> None:
    hook = Answers(deployment(replicas=3))
    made = without_controllers("dynamic-apply", hook)

    hook.answer["children"] = [deployment()]
    synced(made)

    assert made.get(DEPLOYMENT)["spec"]["replicas"] == 1


def test_under_server_side_apply_control_characters_are_refused_and_a_next_line_becomes_a_space() -> None:
    refused, folded = (
        world("server-side-apply", Answers(with_main(args=[text])), controllers=False) for text in ("a\x7fb", "a\x85b")
    )
    done = Since(refused)
    for each in (refused, folded):
        each.apply(parent())
        each.until_quiet()

    assert set(done.refusals) == {"BadRequest: control characters are not allowed"}
    assert folded.get(DEPLOYMENT)["spec"]["template"]["spec"]["containers"][0]["args"] == ["a b"]


def test_under_dynamic_apply_a_generated_name_creates_a_child_at_every_sync() -> None:
    child = deployment()
    child["metadata"] = {"generateName": "web-", "labels": {"widget": "web"}}
    made = world("dynamic-apply", Answers(child), parent(), controllers=False)
    done = Since(made)

    made.run(1)

    assert len(done.requests) > 100
    assert {request.split()[0] for request in done.requests} >= {"create", "delete"}


@both_modes
def test_a_child_without_a_name_is_refused(mode: Mode) -> None:
    child = deployment()
    del child["metadata"]["name"]
    made = world(mode, Answers(child), parent(), controllers=False)
    made.until_quiet()

    assert made.api.all("Deployment") == []
    assert "name" in events(made)[0]
