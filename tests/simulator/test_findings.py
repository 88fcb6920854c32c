"""Careless hooks: each real mistake is caught, and a careful hook has nothing said against it."""

from contextlib import suppress
from typing import Any

import pytest

from metahook.simulator.findings import RULES, findings
from metahook.simulator.hook import Hook
from metahook.simulator.metacontroller.settings import MODES, Mode
from metahook.simulator.objects import Key
from metahook.simulator.world import NoRest, World
from tests.build import MYRESOURCE
from tests.simulator import careless
from tests.simulator.careless import answering
from tests.watching import config_map
from tests.worlds import DEPLOYMENT, world

Json = dict[str, Any]

both_modes = pytest.mark.parametrize("mode", MODES)
WEB = Key("MyResource", "default", "web")
CONFIG = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "config"}, "data": {"a": "1"}}
TAKEN = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "taken"},
    "spec": {"selector": {"app": "other"}, "ports": [{"port": 80}]},
}


def parent(**spec: Any) -> Json:
    metadata = {"name": "web", "namespace": "default"}
    spec = {"image": "nginx:1", "replicas": 2, **spec}
    return {"apiVersion": "mygroup.example.com/v1alpha1", "kind": "MyResource", "metadata": metadata, "spec": spec}


def lived(lives: World) -> World:
    """Let a parent live in the world: made, changed, damaged by hand, restarted, left alone; return the world."""
    lives.patience = 600
    lives.apply(CONFIG)
    lives.apply(TAKEN)
    lives.apply(parent())
    rest(lives, 300)
    lives.apply(parent(image="nginx:2"))
    rest(lives, 300)
    if lives.api.get(DEPLOYMENT):
        lives.edit(DEPLOYMENT, lambda item: item["spec"].update(replicas=7))
    rest(lives, 300)
    lives.metacontroller.restart()
    lives.delete(Key("ConfigMap", "default", "config"))
    rest(lives, 7200)
    return lives


def rest(lives: World, seconds: float) -> None:
    """Let time pass, if the hook lets the world come to rest."""
    with suppress(NoRest):
        lives.run(seconds)


def caught(called: Hook, mode: Mode) -> set[str]:
    return {finding.rule for finding in findings(lived(world(mode, called)).history)}


@both_modes
def test_there_is_nothing_to_say_against_a_careful_hook(mode: Mode) -> None:
    assert caught(answering(careless.careful), mode) == set()


@both_modes
def test_there_is_nothing_to_say_against_ours(mode: Mode) -> None:
    assert findings(lived(world(mode, MYRESOURCE)).history) == []


@pytest.mark.parametrize(
    ("called", "rule", "modes"),
    [
        pytest.param(answering(careless.empty_when_it_fails), "Deleted", MODES, id="an empty answer"),
        pytest.param(answering(careless.empty_when_it_fails), "EmptiedStatus", MODES, id="an empty answer, the status"),
        pytest.param(answering(careless.null_child), "Crashed", MODES, id="a child that is null"),
        pytest.param(answering(careless.time_in_a_child()), "Restless", MODES, id="the time in a child"),
        pytest.param(answering(careless.new_transition_time()), "Restless", MODES, id="a new transition time"),
        pytest.param(answering(careless.not_canonical), "Useless", MODES[:1], id="a quantity that is not canonical"),
        pytest.param(answering(careless.null_field), "Useless", MODES[:1], id="a field that is null"),
        pytest.param(answering(careless.only_once), "Deleted", MODES, id="a child that is listed once"),
        pytest.param(answering(careless.key_of_another_version), "Lying", MODES, id="keys of another version"),
        pytest.param(
            answering(careless.children_wait_for_a_config_map, careless.config_map_of_the_parent),
            "Deleted",
            MODES,
            id="children that wait for a ConfigMap",
        ),
        pytest.param(answering(careless.available_is_ready), "Lying", MODES, id="available means ready"),
        pytest.param(answering(careless.replicas_only_at_first), "Stripped", MODES, id="replicas only at first"),
        pytest.param(answering(careless.generated_name), "Multiplied", MODES[:1], id="a generated name"),
        pytest.param(answering(careless.another_namespace), "Multiplied", MODES, id="another namespace"),
        pytest.param(answering(careless.selector_of_the_image), "Silent", MODES, id="a selector that changes"),
        pytest.param(answering(careless.somebody_elses_name), "TakenOver", MODES[1:], id="somebody else's name"),
        pytest.param(answering(careless.copies_what_it_sees), "Restless", MODES[:1], id="a copy of what is observed"),
        pytest.param(careless.too_busy, "Overloaded", MODES, id="429 without Retry-After"),
        pytest.param(answering(careless.another_parents_label), "Failing", MODES, id="another parent's label"),
        pytest.param(careless.too_busy_to_customize, "Overloaded", MODES, id="429 to customize"),
        pytest.param(careless.error_page, "Failing", MODES, id="an error page with 200"),
    ],
)
def test_a_careless_hook_is_caught(called: Hook, rule: str, modes: tuple[Mode, ...]) -> None:
    for mode in modes:
        assert rule in caught(called, mode)


def test_every_rule_catches_something() -> None:
    marks = [mark for mark in test_a_careless_hook_is_caught.pytestmark if mark.name == "parametrize"]  # type: ignore[attr-defined] # set by pytest
    assert {case.values[1] for mark in marks for case in mark.args[1]} == set(RULES)


@both_modes
def test_a_child_that_somebody_deletes_may_be_made_anew_with_less(mode: Mode) -> None:
    """Its mark can't be kept when both it and what it is made from are gone."""
    lives = world(mode, MYRESOURCE, config_map("settings", a="1"))
    lives.apply(parent(envFrom=[{"configMapRef": {"name": "settings"}}]))
    lives.still(within=300)
    lives.delete(Key("ConfigMap", "default", "settings"))
    lives.still(within=300)
    lives.delete(DEPLOYMENT)
    lives.still(within=300)
    lives.edit(WEB, lambda item: item["metadata"].update(labels={"touched": "1"}))
    lives.still(within=300)

    assert lives.get(DEPLOYMENT)["spec"]["template"]["metadata"].get("annotations", {}) == {}
    assert findings(lives.history) == []


@both_modes
def test_a_child_that_the_spec_no_longer_asks_for_may_be_deleted(mode: Mode) -> None:
    lives = world(mode, MYRESOURCE)
    lives.apply(parent(ports=[{"containerPort": 80}]))
    lives.still(within=300)
    lives.apply(parent())
    lives.still(within=300)

    assert lives.api.get(Key("Service", "default", "web")) is None
    assert findings(lives.history) == []


@both_modes
def test_an_orphan_that_is_adopted_and_deleted_was_somebody_elses(mode: Mode) -> None:
    lives = world(mode, MYRESOURCE)
    lives.apply(parent())
    lives.still(within=300)
    uid = lives.parent("web")["metadata"]["uid"]
    other = {**TAKEN, "metadata": {"name": "other", "labels": {"controller-uid": uid}}}
    lives.apply(other)
    lives.still(within=300)

    (finding,) = findings(lives.history)
    assert str(finding).startswith("Deleted: Service other: deleted, and no answer ever listed it")
