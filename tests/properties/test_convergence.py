"""Convergence: answers lead somewhere, cost nothing once there, and where they lead does not depend on the way."""

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.core.child_metadata import CONFIG_HASH_ANNOTATIONS
from app.core.desired.children import CHILDREN
from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import to_json
from metahook.simulator.world import World
from tests.requests.builders import Json, rolled_out
from tests.requests.watched_objects import ALL, WATCHING, WITH_BACKUPS
from tests.simulated.worlds import WEB, Since, both_modes, calls, parent, ready, synced, world
from tests.strategies.my_resources import specs
from tests.strategies.observed import Situation, changed, situations
from toolkit.slow import short_or_whole

KINDS = [child.KIND for child in CHILDREN]
PERIOD = 600
"""Seconds after which a value that stays different is written anew."""


def alone(mode: Mode, *objects: Json) -> World:
    """Return a world with our hook in which Metacontroller acts alone, and that holds *objects* as they are."""
    made = world(mode, WATCHING, controllers=False, served=WITH_BACKUPS, children=KINDS)
    for item in (*ALL, *objects):
        made.api.place(item)
    return made


def children(made: World) -> list[Json]:
    """Return the children as they are stored."""
    return [item for kind in KINDS for item in made.api.all(kind.kind)]


def settle(made: World, spec: Json) -> None:
    """Let the parent have this *spec*, until all is still and rolled out, as an annotation says of the image, too."""
    made.apply({**parent(), "spec": spec})
    assert made.until_quiet()
    for _ in range(2):
        for deployment in made.api.all("Deployment"):
            made.api.update_status(rolled_out(deployment), "deployment-controller")
        assert made.until_quiet()


CPU: Json = {"targetCPUUtilizationPercentage": 80}


@pytest.mark.slow
@both_modes
@settings(max_examples=short_or_whole(10, 120))
@given(spec=specs())
def test_a_new_parent_comes_to_rest_and_is_ready(mode: Mode, spec: Json) -> None:
    made = alone(mode)
    done = Since(made)

    settle(made, spec)

    assert ready(made)[0] == "True"
    assert synced(made).requests == []
    assert done.refusals == []


@pytest.mark.slow
@both_modes
@settings(max_examples=short_or_whole(15, 200))
@given(situation=situations())
def test_whatever_is_found_comes_to_rest(mode: Mode, situation: Situation) -> None:
    held = (item for group in (situation.related or {}).values() for item in group.values())
    made = alone(mode, *held, *situation.children, situation.parent)
    name = WEB._replace(name=situation.parent["metadata"]["name"])
    start = Since(made)
    made.until_quiet()

    done = synced(made, name)

    assert done.writes == []
    assert [request for request in done.requests if request not in start.refused] == []


@pytest.mark.slow
@both_modes
@settings(max_examples=short_or_whole(10, 120))
@given(before=specs(), after=specs())
@example(before={"image": "nginx:1", "serviceAccountName": "robot"}, after={"image": "nginx:1"})
@example(before={"image": "nginx:1"}, after={"image": "nginx:latest"})
@example(
    before={"image": "nginx:1", "strategy": {"rollingUpdate": {"maxSurge": 2}}},
    after={"image": "nginx:1", "strategy": {"type": "Recreate"}},
)
@example(
    before={"image": "nginx:1", "initContainers": [{"name": name, "image": "a:1"} for name in "ab"]},
    after={"image": "nginx:1", "initContainers": [{"name": name, "image": "a:1"} for name in "ba"]},
)
@example(
    before={"image": "nginx:1", "ports": [{"containerPort": 80}]},
    after={"image": "nginx:1", "ports": [{"containerPort": 80}], "service": {"clusterIP": "None"}},
)
@example(
    before={"image": "nginx:1", "envFrom": [{"configMapRef": {"name": "a"}}]},
    after={"image": "nginx:1", "envFrom": [{"configMapRef": {"name": "a"}}], "configReload": {"mode": "Disabled"}},
)
@example(
    before={"image": "nginx:1", "cpu": "100m", "autoscaling": {"minReplicas": 2, "maxReplicas": 3, **CPU}},
    after={"image": "nginx:1", "cpu": "100m", "autoscaling": {"maxReplicas": 3, **CPU}},
)
def test_the_spec_from_before_leaves_nothing_behind(mode: Mode, before: Json, after: Json) -> None:
    changed, fresh = alone(mode), alone(mode)

    settle(changed, before)
    kept = specs_of(changed)
    settle(changed, after)
    settle(fresh, after)

    if ready(changed)[1] == "InvalidSpec":  # a child can't follow: see app/core/desired/desired_state.py
        assert specs_of(changed) == kept
        return
    # Where the hashes are no longer computed, they stay, so that no Pod restarts.
    ignored = HASHES if after.get("configReload", {}).get("mode") == "Disabled" else frozenset[str]()
    if "autoscaling" in after:  # the number of Pods is the autoscaler's, however it came about
        ignored |= {"replicas"}
    assert specs_of(changed, ignored) == specs_of(fresh, ignored)


HASHES = frozenset(CONFIG_HASH_ANNOTATIONS.values())


def specs_of(made: World, ignored: frozenset[str] = frozenset()) -> list[Json]:
    """Return the specs of the children, less *ignored* keys, with nothing in them that depends on the way there."""
    return [_in_any_order(child["spec"], ignored | {"nodePort"}) for child in children(made)]


_NAMED = {"env", "ports", "volumes", "volumeMounts", "imagePullSecrets", "httpHeaders", "items", "hostAliases"}
"""Lists that dynamic-apply merges item by item, and leaves in the order that they had."""


def _in_any_order(value: Any, ignored: frozenset[str], field: str = "") -> Any:
    """Return *value* with such lists sorted, less the *ignored* keys, and annotations if none are left."""
    if isinstance(value, dict):
        inner = {key: _in_any_order(item, ignored, key) for key, item in value.items() if key not in ignored}
        return {key: item for key, item in inner.items() if (key, item) != ("annotations", {})}
    if isinstance(value, list):
        items = [_in_any_order(item, ignored) for item in value]
        return sorted(items, key=to_json) if field in _NAMED else items
    return value


BREAKS: dict[str, Json] = {
    "no-image": {"image": ""},
    "negative-replicas": {"replicas": -1},
    "no-quantity": {"memory": "some"},
    "unknown-volume": {"volumes": [], "volumeMounts": [{"name": "nowhere", "mountPath": "/a"}]},
    "unknown-port": {"ports": [], "livenessProbe": {"httpGet": {"port": "nowhere"}}},
    "not-an-object": {"strategy": "Recreate"},
}


@pytest.mark.slow
@both_modes
@settings(max_examples=short_or_whole(10, 120))
@given(spec=specs(), broken=st.sampled_from(sorted(BREAKS)))
def test_an_invalid_spec_changes_no_child(mode: Mode, spec: Json, broken: str) -> None:
    made = alone(mode)
    settle(made, spec)
    before, done = children(made), Since(made)

    made.apply({**parent(), "spec": {**spec, **BREAKS[broken]}})
    assert made.until_quiet()

    assert ready(made) == ("False", "InvalidSpec")
    assert done.requests == ["update status MyResource web"]
    assert children(made) == before
    assert synced(made).requests == []


@both_modes
def test_what_a_policy_overrides_is_called_three_times_in_each_period(mode: Mode) -> None:
    """The write of its turn is seen twice: as written, and by the Deployment controller."""
    made = world(mode)
    made.api.admission.append(
        lambda item, _: changed(item, 7, "spec", "replicas") if item["kind"] == "Deployment" else item
    )
    made.apply(parent())
    made.run(2 * PERIOD)
    before = calls(made)

    made.run(3 * PERIOD)

    assert ready(made)[1] == "Overridden"
    assert calls(made) - before <= 3 * 3
