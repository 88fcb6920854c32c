"""Scenarios: what is one, and how what is not as expected is told."""

from typing import Any

import pytest

from metahook.simulator.objects import Key
from metahook.simulator.play import Outcome, play
from metahook.simulator.scenario import BadScenario, Step, key, scenario, seconds
from tests.build import MYRESOURCE
from tests.simulator.careless import too_busy
from tests.worlds import WEB, parent, world

Json = dict[str, Any]

MAKE: Json = {"apply": parent()}


def told(*steps: Json) -> Json:
    return {"title": "a test", "steps": list(steps)}


def played(*steps: Json) -> list[Outcome]:
    return list(play(scenario(told(*steps)), world("dynamic-apply", MYRESOURCE)))


def problem(*steps: Json) -> str | None:
    """Return the problem of the last step; those before it must have none."""
    outcomes = played(*steps)
    assert [outcome.problem for outcome in outcomes[:-1]] == [None] * (len(steps) - 1)
    return outcomes[-1].problem


@pytest.mark.parametrize(
    ("document", "words"),
    [
        pytest.param([], "Expected `object`", id="a list"),
        pytest.param({"title": "a"}, "steps", id="no steps"),
        pytest.param(told({"wiat": "3s"}), "unknown field", id="a typing mistake"),
        pytest.param(told({"wait": "soon"}), r"steps\[0\].wait", id="no duration"),
        pytest.param(told({"wait": "3s", "fail": "crash"}), "step 1 does 2 things", id="two things"),
        pytest.param(told(MAKE, {}), "step 2 does 0 things", id="nothing"),
        pytest.param(told({"fail": "badly"}), r"steps\[0\].fail", id="no way to fail"),
        pytest.param(told({"apply": {"kind": "MyResource"}}), "no apiVersion, kind or metadata.name", id="no object"),
        pytest.param(told({"delete": {"object": "web"}}), r"steps\[0\].delete.object", id="no identity"),
        pytest.param(told({"expect": {}}), "step 1 must expect one of", id="nothing expected"),
        pytest.param(told({"expect": {"state": "Ready", "still": True}}), "must expect one of", id="two kinds"),
        pytest.param(told({"expect": {"gone": True}}), "must expect one of", id="what is gone"),
        pytest.param(told({"expect": {"writes": -1}}), "writes", id="fewer writes than none"),
        pytest.param(told({"edit": {"object": "a/b", "set": {"[": 1}}}), r"step 1: \[ is no path", id="no path"),
        pytest.param(told({"wait": "1001h"}), "1000h", id="too long"),
        pytest.param({**told(MAKE), "mode": "kubectl-apply"}, "mode", id="no way to apply"),
    ],
)
def test_what_is_no_scenario_is_refused_with_the_place(document: object, words: str) -> None:
    with pytest.raises(BadScenario, match=words):
        scenario(document)


def test_a_step_may_only_say_something() -> None:
    assert played({"say": "hello"})[0].problem is None


@pytest.mark.parametrize(("duration", "count"), [("90s", 90), ("1.5m", 90), ("2h", 7200)])
def test_a_duration_is_seconds(duration: str, count: float) -> None:
    assert seconds(duration) == count


@pytest.mark.parametrize("duration", ["", "5", "s", "5 s", "-5s", "5d", "5s5s"])
def test_what_is_no_duration_is_refused(duration: str) -> None:
    with pytest.raises(BadScenario, match="90s, 10m or 1h"):
        seconds(duration)


def test_an_identity_names_a_namespace_or_the_default_one() -> None:
    assert key("Deployment/team-a/web") == Key("Deployment", "team-a", "web")
    assert key("MyResource/web") == WEB


@pytest.mark.parametrize(
    ("step", "words"),
    [
        ({"expect": {"state": "Ready"}}, "state is None, not Ready"),
        ({"expect": {"reason": "Available", "within": "1s"}}, "Ready's reason is RollingOut, not Available"),
        ({"expect": {"message": "Pods are gone", "within": "1s"}}, "it lacks 'Pods are gone'"),
        ({"expect": {"object": "Service/web"}}, "Service/web is not there"),
        ({"expect": {"object": "MyResource/web", "gone": True}}, "MyResource/web is there"),
        ({"expect": {"object": "MyResource/web", "has": {"spec.replicas": 5}}}, "spec.replicas is None, not 5"),
        ({"expect": {"writes": 0, "within": "5s"}}, "Metacontroller wrote 6 times: create Deployment"),
        ({"expect": {"still": True, "within": "1s"}}, "something still happens after 1s"),
        ({"expect": {"of": "MyResource/other", "state": "Ready"}}, "state is None, not Ready"),
        ({"edit": {"object": "Service/web", "set": {"a": 1}}}, "there is no Service web"),
        ({"delete": {"object": "Service/web"}}, "the API server refuses that: Service web not found"),
        ({"edit": {"object": "MyResource/web", "set": {"spec.a[0]": 1}}}, "there is no"),
    ],
)
def test_what_is_not_as_expected_is_told(step: Json, words: str) -> None:
    said = problem(MAKE, step)

    assert said is not None
    assert words in said


@pytest.mark.parametrize(
    "step",
    [
        {"expect": {"state": "Ready", "reason": "Available", "message": "All Pods", "within": "10s"}},
        {"expect": {"of": "MyResource/web", "state": "Ready", "within": "10s"}},
        {"expect": {"object": "Deployment/web-deployment", "has": {"spec.replicas": 1}, "within": "1s"}},
        {"expect": {"object": "Service/web", "gone": True}},
        {"expect": {"writes": 6, "within": "5s"}},
        {"expect": {"still": True, "within": "5m"}},
    ],
)
def test_what_is_as_expected_is_no_problem(step: Json) -> None:
    assert problem(MAKE, step) is None


def test_a_world_that_does_not_come_to_rest_is_a_problem() -> None:
    lives = world("dynamic-apply", too_busy)
    lives.patience = 100
    *_, last = play(scenario(told(MAKE, {"wait": "10s"})), lives)

    assert last.problem is not None
    assert "does not come to rest" in last.problem


def test_the_first_problem_is_the_last_step() -> None:
    assert len(played(MAKE, {"expect": {"state": "Ready"}}, {"wait": "1s"})) == 2


def test_each_step_is_announced_before_it_is_done() -> None:
    lives = world("dynamic-apply", MYRESOURCE)
    seen: list[bool] = []

    def announce(_: Step) -> None:
        seen.append(lives.api.get(WEB) is not None)

    list(play(scenario(told(MAKE, {"wait": "1s"})), lives, announce))

    assert seen == [False, True]


def test_what_is_refused_can_not_be_made_until_it_may() -> None:
    ready = {"expect": {"state": "Ready", "within": "10m"}}

    assert problem({"refuse": "Pod"}, MAKE, ready) is not None
    assert problem({"refuse": "Pod"}, MAKE, {"wait": "5s"}, {"refuse": "none"}, ready) is None


def test_a_deployment_is_taken_back_and_there_must_be_such_a_revision() -> None:
    newer = {"edit": {"object": "MyResource/web", "set": {"spec.image": "nginx:2"}}}
    steps = MAKE, {"wait": "60s"}, newer, {"wait": "60s"}
    undo = {"undo": {"object": "Deployment/web-deployment", "revision": 1}}
    image = {"spec.template.spec.containers[0].image": "nginx:1.27"}

    assert problem(*steps, undo, {"expect": {"object": "Deployment/web-deployment", "has": image}}) is None
    assert (
        problem(*steps, {"undo": {**undo["undo"], "revision": 9}})
        == "there is no revision 9 of Deployment web-deployment"
    )


def test_a_restart_forgets_what_was_asked() -> None:
    lives = world("dynamic-apply", MYRESOURCE)
    list(play(scenario(told(MAKE, {"wait": "60s"}, {"restart": "metacontroller"}, {"wait": "1s"})), lives))

    assert len(list(lives.history.calls("customize"))) == 2
