"""The sizes of ReplicaSets during a rollout, step by step and in a whole rollout."""

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from metahook.simulator.controllers.deployments import PodCounts, next_sizes, surge_and_unavailable
from metahook.simulator.controllers.pod_status import is_ready
from metahook.simulator.objects import is_deleting
from metahook.simulator.world import World
from toolkit.slow import short_or_whole
from toolkit.worlds import DEPLOYMENT, Answers, deployment, world

Json = dict[str, Any]


def spec(replicas: int, surge: int | str = 1, unavailable: int | str = 0, **more: Any) -> Json:
    rolling = {"maxSurge": surge, "maxUnavailable": unavailable}
    return {"replicas": replicas, "strategy": {"type": "RollingUpdate", "rollingUpdate": rolling}, **more}


def full(name: str, count: int) -> PodCounts:
    return PodCounts(name, count, count, count, count)


@pytest.mark.parametrize(
    ("replicas", "surge", "unavailable", "expected"),
    [
        (4, 1, 0, (1, 0)),
        (4, "25%", "25%", (1, 1)),
        (3, "25%", "25%", (1, 0)),
        (10, "25%", "25%", (3, 2)),
        (3, 0, 0, (0, 1)),
        (3, 0, "10%", (0, 1)),
        (2, "100%", "100%", (2, 2)),
        (0, "25%", "25%", (0, 1)),
    ],
)
def test_max_surge_is_rounded_up_and_max_unavailable_down_and_not_both_are_zero(
    replicas: int, surge: int | str, unavailable: int | str, expected: tuple[int, int]
) -> None:
    assert surge_and_unavailable(spec(replicas, surge, unavailable)) == expected


def test_recreate_has_no_bounds() -> None:
    assert surge_and_unavailable({"replicas": 3, "strategy": {"type": "Recreate"}}) == (0, 0)


@pytest.mark.parametrize(
    ("desired", "new", "old", "step"),
    [
        pytest.param(spec(3), PodCounts("new", 0), [], {"new": 3}, id="nothing-is-there"),
        pytest.param(spec(3), full("new", 3), [], {}, id="nothing-to-do"),
        pytest.param(spec(1), full("new", 3), [], {"new": 1}, id="scaled-down"),
        pytest.param(spec(3), PodCounts("new", 0), [full("old", 3)], {"new": 1}, id="as-far-as-there-may-be-too-many"),
        pytest.param(spec(3), PodCounts("new", 1, 1), [full("old", 3)], {}, id="waits-for-the-new-one"),
        pytest.param(spec(3), full("new", 1), [full("old", 3)], {"old": 2}, id="the-old-ones-make-room"),
        pytest.param(spec(3, 0, 1), PodCounts("new", 0), [full("old", 3)], {"old": 2}, id="no-surge-shrinks-first"),
        pytest.param(
            spec(3, 1, 1),
            PodCounts("new", 1),
            [PodCounts("old", 3, 3, 2, 2)],
            {"old": 2},
            id="sick-old-ones-go-first",
        ),
        pytest.param(
            spec(3, 1, 1),
            PodCounts("new", 1),
            [full("a", 1), PodCounts("b", 2, 2)],
            {"b": 1},
            id="the-sick-of-several",
        ),
        pytest.param(
            spec(3),
            PodCounts("new", 1),
            [PodCounts("old", 3, 3, 2, 2)],
            {},
            id="not-if-too-few-would-be-left",
        ),
        pytest.param(
            spec(3, 0, 3),
            PodCounts("new", 0),
            [full("a", 1), full("b", 2)],
            {"a": 0, "b": 0},
            id="all-may-be-unavailable",
        ),
        pytest.param(spec(5, paused=True), full("new", 3), [], {"new": 5}, id="paused-and-scaled"),
        pytest.param(spec(5, paused=True), None, [full("old", 3)], {"old": 5}, id="paused-before-the-rollout"),
        pytest.param(spec(5, paused=True), full("new", 1), [full("old", 3)], {}, id="paused-within-the-rollout"),
        pytest.param(spec(5, paused=True), None, [], {}, id="paused-from-the-beginning"),
    ],
)
def test_the_next_step_of_a_rollout(
    desired: Json, new: PodCounts | None, old: list[PodCounts], step: dict[str, int]
) -> None:
    assert next_sizes(desired, new, old) == step


def test_recreate_waits_until_the_last_old_pod_is_gone() -> None:
    desired = {"replicas": 2, "strategy": {"type": "Recreate"}}

    assert next_sizes(desired, PodCounts("new", 0), [full("old", 2)]) == {"old": 0}
    assert next_sizes(desired, PodCounts("new", 0), [PodCounts("old", 0, replicas=1)]) == {}
    assert next_sizes(desired, PodCounts("new", 0), [PodCounts("old", 0)]) == {"new": 2}
    assert next_sizes(desired, PodCounts("new", 2), [PodCounts("old", 0)]) == {}


def ready_pods(made: World) -> int:
    return sum(is_ready(pod) and not is_deleting(pod) for pod in made.api.all("Pod"))


def desired_pods(made: World) -> int:
    return sum(item["spec"]["replicas"] for item in made.api.all("ReplicaSet"))


def child(replicas: int, image: str, strategy: Json) -> Json:
    made = deployment(replicas=replicas, strategy=strategy)
    made["metadata"]["namespace"] = "default"
    made["spec"]["template"]["spec"]["containers"][0]["image"] = image
    return made


_shares = st.sampled_from([0, 1, 2, "10%", "25%", "50%", "100%"])


@pytest.mark.slow
@settings(max_examples=short_or_whole(20, 60))
@given(replicas=st.integers(1, 6), surge=_shares, unavailable=_shares, images=st.lists(st.integers(1, 3), max_size=3))
def test_a_rollout_never_has_too_many_pods_or_too_few(
    replicas: int, surge: int | str, unavailable: int | str, images: list[int]
) -> None:
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}
    made = world("dynamic-apply", Answers(), child(replicas, "nginx:0", strategy))
    assert made.until_quiet()
    most, least = surge_and_unavailable(made.get(DEPLOYMENT)["spec"])
    wrong: list[tuple[int, int]] = []

    def look() -> bool:
        if desired_pods(made) > replicas + most or ready_pods(made) < replicas - least:
            wrong.append((desired_pods(made), ready_pods(made)))
        return not made.clock.is_busy

    for image in images:
        made.apply(child(replicas, f"nginx:{image}", strategy))
        made.until(look, within=1.5)
    assert made.until(look)

    assert wrong == []
    assert ready_pods(made) == len(made.api.all("Pod")) == replicas
    assert made.get(DEPLOYMENT)["status"]["availableReplicas"] == replicas


@given(replicas=st.integers(1, 4))
@settings(max_examples=4)
def test_recreate_never_runs_two_versions_at_once(replicas: int) -> None:
    made = world("dynamic-apply", Answers(), child(replicas, "nginx:1", {"type": "Recreate"}))
    made.until_quiet()
    versions: set[frozenset[str]] = set()

    def look() -> bool:
        pods = [pod for pod in made.api.all("Pod") if not is_deleting(pod)]
        versions.add(frozenset(pod["spec"]["containers"][0]["image"] for pod in pods))
        return not made.clock.is_busy

    made.apply(child(replicas, "nginx:2", {"type": "Recreate"}))
    assert made.until(look)

    assert versions == {frozenset(), frozenset({"nginx:1"}), frozenset({"nginx:2"})}
