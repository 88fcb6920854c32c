"""Scenarios: which documents and paths are valid, which values paths lead to, and how a failed step is reported."""

from typing import Any

import pytest

from metahook.simulator.objects import Key
from metahook.simulator.scenarios import (
    InvalidPath,
    InvalidScenario,
    PathNotFound,
    Step,
    StepResult,
    look_up,
    parse_duration,
    parse_object_name,
    path_steps,
    read_scenario,
    run_scenario,
    set_value,
)
from toolkit.careless import too_busy
from toolkit.widgets import WIDGETS
from toolkit.worlds import WEB, parent, world


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("spec", ["spec"]),
        ("spec.replicas", ["spec", "replicas"]),
        ("spec.containers[0].image", ["spec", "containers", 0, "image"]),
        ("metadata.labels['a.b/c']", ["metadata", "labels", "a.b/c"]),
        ("a[1][2]", ["a", 1, 2]),
    ],
)
def test_a_path_has_steps(path: str, found: list[str | int]) -> None:
    assert path_steps(path) == found


@pytest.mark.parametrize("path", ["", ".", "a..b", "a[", "a[x]", "a['b", "a.[", "a]b", "a[-1]"])
def test_a_malformed_path_is_refused_with_an_example(path: str) -> None:
    with pytest.raises(InvalidPath, match="write it as"):
        path_steps(path)


@pytest.mark.parametrize(
    ("path", "value"),
    [("a.b", 1), ("list[1].c", 3), ("list[2]", None), ("a.missing", None), ("a.b.c", None), ("none.at.all", None)],
)
def test_looking_up_a_missing_path_returns_none(path: str, value: object) -> None:
    assert look_up({"a": {"b": 1}, "list": [{}, {"c": 3}]}, path) == value


@pytest.mark.parametrize(
    ("path", "value", "after"),
    [
        ("a.b", 2, {"a": {"b": 2}, "list": [1, 2]}),
        ("a.b", None, {"a": {}, "list": [1, 2]}),
        ("a.c", None, {"a": {"b": 1}, "list": [1, 2]}),
        ("new.way.there", "x", {"a": {"b": 1}, "list": [1, 2], "new": {"way": {"there": "x"}}}),
        ("list[0]", 9, {"a": {"b": 1}, "list": [9, 2]}),
    ],
)
def test_setting_a_value_creates_the_maps_on_its_path(path: str, value: object, after: dict[str, Any]) -> None:
    item: dict[str, Any] = {"a": {"b": 1}, "list": [1, 2]}

    set_value(item, path, value)

    assert item == after


@pytest.mark.parametrize("path", ["a.b.c", "list.first", "a[0]", "list[5]", "list[0].x", "a.b[0].c"])
def test_a_value_can_not_be_set_below_a_scalar_or_beyond_a_list(path: str) -> None:
    with pytest.raises(PathNotFound):
        set_value({"a": {"b": 1}, "list": [1, 2]}, path, 1)


Json = dict[str, Any]

MAKE: Json = {"apply": parent()}


def document(*steps: Json) -> Json:
    return {"title": "a test", "steps": list(steps)}


def run(*steps: Json) -> list[StepResult]:
    return list(run_scenario(read_scenario(document(*steps)), world("dynamic-apply", WIDGETS)))


def problem(*steps: Json) -> str | None:
    """Return the problem of the last step; those before it must have none."""
    outcomes = run(*steps)
    assert [outcome.problem for outcome in outcomes[:-1]] == [None] * (len(steps) - 1)
    return outcomes[-1].problem


@pytest.mark.parametrize(
    ("invalid", "words"),
    [
        pytest.param([], "must be an object, with its actions in steps", id="a list"),
        pytest.param({"title": "a"}, "steps", id="no steps"),
        pytest.param(document({"wiat": "3s"}), "unknown field", id="a typing mistake"),
        pytest.param(document({"wait": "soon"}), r"steps\[0\].wait", id="no duration"),
        pytest.param(document({"wait": "3s", "fail": "crash"}), "step 1 has 2 actions", id="two things"),
        pytest.param(document(MAKE, {}), "step 2 has 0 actions", id="nothing"),
        pytest.param(document({"fail": "badly"}), r"steps\[0\].fail", id="no way to fail"),
        pytest.param(
            document({"apply": {"kind": "Widget"}}), "without apiVersion, kind or metadata.name", id="no object"
        ),
        pytest.param(
            document({"apply": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": 5}}}), "without", id="no name"
        ),
        pytest.param(document({"delete": {"object": "web"}}), r"steps\[0\].delete.object", id="no identity"),
        pytest.param(document({"expect": {}}), "step 1 must expect one of", id="nothing expected"),
        pytest.param(document({"expect": {"state": "Ready", "quiet": True}}), "must expect one of", id="two kinds"),
        pytest.param(document({"expect": {"gone": True}}), "must expect one of", id="what is gone"),
        pytest.param(document({"expect": {"writes": -1}}), "writes", id="fewer writes than none"),
        pytest.param(document({"edit": {"object": "a/b", "set": {"[": 1}}}), r"step 1: \[ is not a path", id="no path"),
        pytest.param(document({"wait": "1001h"}), "1000h", id="too long"),
        pytest.param({**document(MAKE), "mode": "kubectl-apply"}, "mode", id="no way to apply"),
    ],
)
def test_an_invalid_scenario_is_refused_with_the_path(invalid: object, words: str) -> None:
    with pytest.raises(InvalidScenario, match=words):
        read_scenario(invalid)


def test_a_step_may_be_a_sentence_alone() -> None:
    assert run({"say": "hello"})[0].problem is None


@pytest.mark.parametrize(("duration", "count"), [("90s", 90), ("1.5m", 90), ("2h", 7200)])
def test_a_duration_is_seconds(duration: str, count: float) -> None:
    assert parse_duration(duration) == count


@pytest.mark.parametrize("duration", ["", "5", "s", "5 s", "-5s", "5d", "5s5s"])
def test_an_invalid_duration_is_refused(duration: str) -> None:
    with pytest.raises(InvalidScenario, match="90s, 10m or 1h"):
        parse_duration(duration)


def test_an_object_name_has_a_namespace_or_the_default_one() -> None:
    assert parse_object_name("Deployment/team-a/web") == Key("Deployment", "team-a", "web")
    assert parse_object_name("Widget/web") == WEB


def test_an_object_of_a_cluster_scoped_kind_needs_no_namespace() -> None:
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-a"}}
    steps: list[Json] = [
        {"apply": namespace},
        {"edit": {"object": "Namespace/team-a", "set": {"metadata.labels.team": "a"}}},
        {"expect": {"object": "Namespace/team-a", "has": {"metadata.labels.team": "a"}}},
        {"delete": {"object": "Namespace/team-a"}},
        {"expect": {"object": "Namespace/team-a", "gone": True}},
    ]

    assert problem(*steps) is None


@pytest.mark.parametrize(
    ("step", "words"),
    [
        ({"expect": {"state": "Ready"}}, "state is None, not Ready"),
        ({"expect": {"reason": "Available", "within": "1s"}}, "the reason of Ready is RollingOut, not Available"),
        ({"expect": {"message": "Pods are gone", "within": "1s"}}, "without 'Pods are gone'"),
        ({"expect": {"object": "Service/web"}}, "Service/web does not exist"),
        ({"expect": {"object": "Widget/web", "gone": True}}, "Widget/web still exists"),
        ({"expect": {"object": "Widget/web", "has": {"spec.replicas": 5}}}, "spec.replicas is None, not 5"),
        ({"expect": {"writes": 0, "within": "5s"}}, "Metacontroller wrote 4 times: create Deployment"),
        ({"expect": {"quiet": True, "within": "1s"}}, "the cluster is not quiet after 1s"),
        ({"expect": {"of": "Widget/other", "state": "Ready"}}, "state is None, not Ready"),
        ({"edit": {"object": "Service/web", "set": {"a": 1}}}, "Service web not found"),
        ({"delete": {"object": "Service/web"}}, "error from server (NotFound): Service web not found"),
        ({"edit": {"object": "Widget/web", "set": {"spec.a[0]": 1}}}, "not found"),
    ],
)
def test_an_unmet_expectation_is_a_problem(step: Json, words: str) -> None:
    found = problem(MAKE, step)

    assert found is not None
    assert words in found


@pytest.mark.parametrize(
    "step",
    [
        {"expect": {"state": "Ready", "reason": "Available", "message": "All Pods", "within": "10s"}},
        {"expect": {"of": "Widget/web", "state": "Ready", "within": "10s"}},
        {"expect": {"object": "Deployment/web-deployment", "has": {"spec.replicas": 1}, "within": "1s"}},
        {"expect": {"object": "Service/web", "gone": True}},
        {"expect": {"writes": 4, "within": "5s"}},
        {"expect": {"quiet": True, "within": "5m"}},
    ],
)
def test_a_met_expectation_is_no_problem(step: Json) -> None:
    assert problem(MAKE, step) is None


@pytest.mark.parametrize(
    ("failure", "problem_", "replicas"),
    [("none", None, 1), ("fight", None, 3), ("bad-image", "the reason of Ready is", 1)],
)
def test_a_failure_begins_and_ends(failure: str, problem_: str | None, replicas: int) -> None:
    available: Json = {"expect": {"reason": "Available", "within": "5m"}}
    scaled: Json = {"expect": {"object": "Deployment/web-deployment", "has": {"spec.replicas": replicas}}}

    found = problem({"fail": failure}, MAKE, available)

    assert (found or "").startswith(problem_ or "")
    assert problem(MAKE, {"wait": "1m"}, {"fail": failure}, {"wait": "1m"}, scaled) is None
    assert problem({"fail": failure}, MAKE, {"wait": "1m"}, {"fail": "none"}, available) is None


def test_a_world_that_never_becomes_quiet_is_a_problem() -> None:
    cluster = world("dynamic-apply", too_busy)
    cluster.max_actions = 100
    *_, last = run_scenario(read_scenario(document(MAKE, {"wait": "10s"})), cluster)

    assert last.problem is not None
    assert "does not become quiet" in last.problem


def test_the_first_problem_is_the_last_step() -> None:
    assert len(run(MAKE, {"expect": {"state": "Ready"}}, {"wait": "1s"})) == 2


def test_each_step_is_announced_before_it_runs() -> None:
    cluster = world("dynamic-apply", WIDGETS)
    seen: list[bool] = []

    def announce(_: Step) -> None:
        seen.append(cluster.api.get(WEB) is not None)

    list(run_scenario(read_scenario(document(MAKE, {"wait": "1s"})), cluster, announce))

    assert seen == [False, True]


def test_a_refused_kind_can_not_be_created_until_the_refusal_ends() -> None:
    ready = {"expect": {"state": "Ready", "within": "10m"}}

    assert problem({"refuse": "Pod"}, MAKE, ready) is not None
    assert problem({"refuse": "Pod"}, MAKE, {"wait": "5s"}, {"refuse": "none"}, ready) is None


def test_an_undo_step_needs_an_existing_revision() -> None:
    newer = {"edit": {"object": "Widget/web", "set": {"spec.image": "nginx:2"}}}
    steps = MAKE, {"wait": "60s"}, newer, {"wait": "60s"}
    undo = {"undo": {"object": "Deployment/web-deployment", "revision": 1}}
    image = {"spec.template.spec.containers[0].image": "nginx:1.27"}

    assert problem(*steps, undo, {"expect": {"object": "Deployment/web-deployment", "has": image}}) is None
    assert (
        problem(*steps, {"undo": {**undo["undo"], "revision": 9}})
        == "revision 9 of Deployment web-deployment not found"
    )


def test_a_restart_forgets_cached_rules() -> None:
    cluster = world("dynamic-apply", WIDGETS)
    list(
        run_scenario(
            read_scenario(document(MAKE, {"wait": "60s"}, {"restart": "metacontroller"}, {"wait": "1s"})), cluster
        )
    )

    assert len(list(cluster.history.calls("customize"))) == 2
