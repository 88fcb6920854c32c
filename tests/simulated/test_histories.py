"""Random histories of a MyResource: the cluster becomes quiet, and its final state depends on the last spec alone."""

from itertools import product
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from metahook.simulator.controllers.pod_lifecycle import Failure
from metahook.simulator.hook import Hook, Reply, Unreachable
from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Key, is_deleting, to_json
from metahook.simulator.world import World
from tests.properties.test_convergence import specs_of
from tests.requests.builders import MYRESOURCE
from tests.requests.watched_objects import ALL, WATCHING, WITH_BACKUPS
from tests.simulated.worlds import DEPLOYMENT, SERVICE, WEB, both_modes, calls, parent, ready, synced, world
from tests.strategies.my_resources import specs
from toolkit.slow import short_or_whole

Json = dict[str, Any]
Step = tuple[str, Any]

_few = specs().map(lambda spec: {**spec, "replicas": min(spec.get("replicas", 1), 3)})
_steps = st.one_of(
    st.tuples(st.just("edit"), _few),
    st.tuples(st.just("scale"), st.sampled_from([0, 1, 5])),
    st.tuples(st.just("delete"), st.sampled_from([DEPLOYMENT, SERVICE])),
    st.tuples(st.just("unlabel"), st.sampled_from([DEPLOYMENT, SERVICE])),
    st.tuples(st.just("restart"), st.sampled_from([0, 1, 30])),
    st.tuples(st.just("down"), st.sampled_from([1, 3])),
    st.tuples(st.just("late"), st.sampled_from([0.005, 1.0])),
    st.tuples(st.just("wait"), st.sampled_from([0.001, 0.02, 1, 10, 300])),
)


def down(reached: Hook, times: int) -> Hook:
    """Return the hook *reached*, which is unreachable for the first *times* calls."""
    left = iter(range(times))

    def call(hook: str, body: bytes) -> Reply:
        if next(left, None) is not None:
            raise Unreachable
        return reached(hook, body)

    return call


def do(made: World, step: Step) -> None:
    """Run *step*, unless its object does not exist."""
    kind, value = step
    if kind == "edit":
        made.apply({**parent(), "spec": value})
    elif kind == "scale" and made.api.get(DEPLOYMENT):
        made.edit(DEPLOYMENT, lambda item: item["spec"].update(replicas=value))
    elif kind == "delete" and made.api.get(value):
        made.delete(value)
    elif kind == "unlabel" and made.api.get(value):
        made.edit(value, lambda item: item["metadata"]["labels"].pop("myresource", None))
    elif kind == "remove" and made.api.get(value[0]):
        made.delete(*value)
    else:
        meanwhile(made, kind, value)


def meanwhile(made: World, kind: str, value: Any) -> None:
    """Run a step of the cluster itself, not of an object in it."""
    if kind == "restart":
        made.metacontroller.restart(value)
    elif kind == "down":
        made.metacontroller.hook = down(made.metacontroller.hook, value)
    elif kind == "late":
        made.metacontroller.cache.late = value
    elif kind == "fail":
        made.kubelet.fail(value)
    elif kind == "wait":
        made.run(value)


def lived(mode: Mode, spec: Json, steps: list[Step]) -> World:
    """Return a quiet world in which these *steps* happened to a parent with *spec*."""
    made = world(mode, WATCHING, served=WITH_BACKUPS)
    for item in ALL:
        made.api.place(item)
    made.apply({**parent(), "spec": spec})
    for step in steps:
        do(made, step)
    assert made.until_quiet(within=100_000)
    return made


@pytest.mark.slow
@both_modes
@settings(max_examples=short_or_whole(5, 35))
@given(spec=_few, steps=st.lists(_steps, max_size=6))
@example(spec={"image": "nginx"}, steps=[("wait", 0.02), ("delete", DEPLOYMENT), ("restart", 0)])
@example(spec={"image": "nginx"}, steps=[("down", 3), ("wait", 1), ("down", 1), ("scale", 5)])
@example(spec={"image": "nginx"}, steps=[("late", 1.0), ("wait", 10), ("scale", 5), ("unlabel", DEPLOYMENT)])
def test_a_history_ends_in_the_state_of_the_last_spec(mode: Mode, spec: Json, steps: list[Step]) -> None:
    made = lived(mode, spec, steps)

    for _ in range(2):
        assert synced(made).requests == []
    assert ready(made)[0] == "True"
    last = next((value for kind, value in reversed(steps) if kind == "edit"), spec)
    assert specs_of(made) == specs_of(lived(mode, last, []))


_ends = st.one_of(
    st.tuples(
        st.just("remove"), st.sampled_from(list(product([WEB, DEPLOYMENT], ["background", "foreground", "orphan"])))
    ),
    st.tuples(st.just("fail"), st.sampled_from([None, *Failure])),
)


@pytest.mark.slow
@both_modes
@settings(max_examples=short_or_whole(5, 35))
@given(steps=st.lists(st.one_of(_steps, _ends), max_size=8))
def test_no_history_leaves_orphans_or_stuck_objects(mode: Mode, steps: list[Step]) -> None:
    made = lived(mode, {"image": "nginx"}, [*steps, ("fail", None), ("edit", {"image": "nginx:2", "replicas": 2})])

    assert [item for item in everything(made) if is_deleting(item)] == []
    assert [item for item in everything(made) if not owners_live(made, item)] == []
    if made.api.get(WEB):  # it was not being deleted when it was edited last
        orphaned = ("remove", (WEB, "orphan")) in steps
        assert ready(made)[0] == "True" or (orphaned and ready(made)[1] in ("NotApplied", "NameConflict"))


def everything(made: World) -> list[Json]:
    """Return all objects."""
    return [made.get(key) for key in made.api.all_keys()]


def owners_live(made: World, item: Json) -> bool:
    """Tell whether all owners of *item* exist."""
    owners = item["metadata"].get("ownerReferences", [])
    keys = [Key(owner["kind"], item["metadata"]["namespace"], owner["name"]) for owner in owners]
    found = [made.api.get(key) for key in keys]
    return [each and each["metadata"]["uid"] for each in found] == [owner["uid"] for owner in owners]


@pytest.mark.slow
@both_modes
@settings(max_examples=short_or_whole(3, 20))
@given(spec=_few, steps=st.lists(_steps, max_size=6))
def test_the_same_steps_make_the_same_history(mode: Mode, spec: Json, steps: list[Step]) -> None:
    one, other = (lived(mode, spec, steps) for _ in range(2))

    assert one.history.entries == other.history.entries
    assert one.clock.now == other.clock.now


@both_modes
def test_parents_of_one_name_in_two_namespaces_do_not_affect_each_other(mode: Mode) -> None:
    here, there = parent(ports=[{"containerPort": 80}]), parent(namespace="there", image="nginx:2")
    made = world(mode, MYRESOURCE, here, there)
    made.until_quiet()
    key = Key("MyResource", "there", "web")
    assert ready(made) == ready(made, key) == ("True", "Available")

    made.delete(key)
    made.until_quiet()

    assert {each.namespace for each in made.api.all_keys()} == {"default"}
    assert {each.kind for each in made.api.all_keys()} == {"MyResource", "Deployment", "ReplicaSet", "Pod", "Service"}
    assert synced(made).requests == []


@both_modes
def test_two_parents_share_nothing(mode: Mode) -> None:
    made = world(mode, MYRESOURCE, parent(), parent("other"))
    made.until_quiet()
    before = to_json(made.get(Key("Deployment", "default", "other-deployment")))

    made.apply(parent(image="nginx:2"))
    made.until_quiet()
    made.delete(Key("MyResource", "default", "web"))
    made.until_quiet()

    assert to_json(made.get(Key("Deployment", "default", "other-deployment"))) == before
    assert len(made.api.all("Pod")) == 1


@both_modes
def test_a_late_cache_does_not_change_the_final_state(mode: Mode) -> None:
    made = world(mode)
    made.metacontroller.cache.late = 1.0
    made.apply(parent(replicas=2))
    made.run(1.5)
    made.apply(parent(replicas=3))
    made.until_quiet()

    assert ready(made) == ("True", "Available")
    assert len(made.api.all("Pod")) == 3
    assert synced(made).requests == []
    assert calls(made) < 40
