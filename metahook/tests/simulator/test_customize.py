"""Related objects: which are sent, when customize is called again, and which parents a change of them syncs."""

import json
from typing import Any

import pytest

from metahook import Kind
from metahook.simulator.hook import Reply, Unreachable
from metahook.simulator.metacontroller.settings import SERVED
from metahook.simulator.world import World
from toolkit.controllers import Decides, cluster, composite, hooks, resource, room
from toolkit.widgets import WIDGET
from toolkit.worlds import WEB, Answers, calls, events, parent, settled, synced, world

Json = dict[str, Any]


class Looking(Answers):
    """A hook with a rule for ConfigMaps, which records those that it gets."""

    def __init__(self, **rule: Any) -> None:
        super().__init__()
        self.rules = [{"apiVersion": "v1", "resource": "configmaps", **rule}]
        self.shown: list[str] = []

    def __call__(self, hook: str, body: bytes) -> Reply:
        """Return the answer."""
        groups = json.loads(body).get("related", {})
        self.shown = [key for group in groups.values() for key in group]
        return super().__call__(hook, body)


def config(name: str, namespace: str = "default", **labels: str) -> Json:
    metadata = {"name": name, "namespace": namespace, "labels": labels}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {}}


def looked(hook: Answers, **more: Any) -> World:
    made = world("dynamic-apply", hook, config("a", app="x"), config("b", app="y", tier="t"), parent(), **more)
    made.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "there", "labels": {"team": "a"}}})
    made.apply(config("a", "there"))
    made.until_quiet()
    return made


@pytest.mark.parametrize(
    ("rule", "shown"),
    [
        pytest.param({"namespace": "default", "names": ["a"]}, ["default/a"], id="names"),
        pytest.param({"names": ["a"]}, ["default/a", "there/a"], id="names-in-all-namespaces"),
        pytest.param({"namespace": "there"}, ["there/a"], id="all-in-a-namespace"),
        pytest.param({"namespace": "", "names": []}, ["default/a", "default/b", "there/a"], id="empty-is-everything"),
        pytest.param({"labelSelector": {"matchLabels": {"app": "x"}}}, ["default/a"], id="matchLabels"),
        pytest.param({"labelSelector": {}}, ["default/a", "default/b", "there/a"], id="empty-selector"),
        pytest.param({"namespaceSelector": {"matchLabels": {"team": "a"}}}, ["there/a"], id="namespaces"),
        *(
            pytest.param({"namespace": "default", "labelSelector": {"matchExpressions": [expression]}}, found, id=name)
            for name, expression, found in [
                ("in", {"key": "app", "operator": "In", "values": ["x", "z"]}, ["default/a"]),
                ("not-in", {"key": "app", "operator": "NotIn", "values": ["x"]}, ["default/b"]),
                ("exists", {"key": "tier", "operator": "Exists"}, ["default/b"]),
                ("does-not-exist", {"key": "tier", "operator": "DoesNotExist"}, ["default/a"]),
            ]
        ),
    ],
)
def test_a_rule_delivers_the_objects_that_it_selects(rule: Json, shown: list[str]) -> None:
    hook = Looking(**rule)
    looked(hook)

    assert hook.shown == shown


def test_every_rule_has_a_group_even_if_it_is_empty() -> None:
    hook = Looking(names=["none"])
    made = looked(hook)

    (call, *_) = made.history.calls()
    assert json.loads(call.request)["related"] == {"ConfigMap.v1": {}}


@pytest.mark.parametrize(("name", "woken"), [("a", 1), ("b", 0)])
def test_only_a_change_of_a_related_object_syncs_the_parent(name: str, woken: int) -> None:
    made = looked(Looking(namespace="default", names=["a"]))
    before = calls(made)

    made.apply({**config(name), "data": {"k": "v"}})
    made.until_quiet()
    assert calls(made) - before == woken

    made.delete(WEB._replace(kind="ConfigMap", name=name))
    made.until_quiet()
    assert calls(made) - before == 2 * woken


def test_an_object_that_is_no_longer_selected_syncs_the_parent() -> None:
    hook = Looking(labelSelector={"matchLabels": {"app": "x"}})
    made = looked(hook)

    made.apply(config("a", app="other"))
    made.until_quiet()

    assert hook.shown == []


def test_customize_is_called_again_after_twenty_minutes_or_a_restart_or_for_another_generation() -> None:
    made = looked(Looking(names=["a"]))
    assert calls(made, "customize") == 1

    made.run(10 * 60)
    synced(made)
    assert calls(made, "customize") == 1

    made.run(11 * 60)
    synced(made)
    assert calls(made, "customize") == 2

    made.metacontroller.restart()
    made.until_quiet()
    assert calls(made, "customize") == 3

    made.apply(parent(image="nginx:2"))
    made.until_quiet()
    assert calls(made, "customize") == 4


def test_without_customize_there_is_no_call_and_no_related_object() -> None:
    hook = Looking()
    made = looked(hook, has_customize=False)

    assert calls(made, "customize") == 0
    assert hook.shown == []


def test_a_failing_customize_stops_the_sync_and_drops_the_event() -> None:
    class Failing(Looking):
        def __call__(self, hook: str, body: bytes) -> Reply:
            if hook == "customize":
                raise Unreachable
            return super().__call__(hook, body)

    made = looked(Failing())

    assert calls(made) == 0
    assert events(made)
    assert {call.status for call in made.history.calls("customize")} == {None}


def test_if_parents_are_related_to_parents_each_status_syncs_all() -> None:
    hook = Answers()
    hook.rules = [{"apiVersion": WIDGET.api_version, "resource": WIDGET.plural}]
    made = world("dynamic-apply", hook, parent(), parent("other"), served=(*SERVED, WIDGET))
    made.until_quiet()
    before = calls(made)

    hook.answer["status"] = {"state": "Ready"}
    synced(made)

    assert calls(made) - before > 3


THING = Kind("example.com/v1", "Thing", "things")
TWO_VERSIONS = (*SERVED, THING, Kind("example.com/v2", "Thing", "things"), Kind("other.com/v1", "Thing", "things"))


def thing(api_version: str, size: int) -> Json:
    return {"apiVersion": api_version, "kind": "Thing", "metadata": {"name": "a"}, "spec": {"size": size}}


@pytest.mark.parametrize("stored", ["example.com/v1", "example.com/v2"])
@pytest.mark.parametrize("named", ["example.com/v1", "example.com/v2"])
def test_a_rule_selects_objects_in_the_version_that_it_names(named: str, stored: str) -> None:
    hook = Answers()
    hook.rules = [{"apiVersion": named, "resource": "things"}]
    made = settled("dynamic-apply", hook, thing(stored, 1), parent(), served=TWO_VERSIONS)
    before = calls(made)

    made.apply(thing(stored, 2))
    made.until_quiet()

    *_, last = made.history.calls()
    (item,) = json.loads(last.request)["related"][f"Thing.{named}"].values()
    assert calls(made) - before == 1
    assert (item["apiVersion"], item["spec"]) == (named, {"size": 2})


def test_a_rule_selects_no_objects_of_another_group() -> None:
    hook = Answers()
    hook.rules = [{"apiVersion": THING.api_version, "resource": "things"}]
    made = settled("dynamic-apply", hook, thing("other.com/v1", 1), parent(), served=TWO_VERSIONS)
    before = calls(made)

    made.apply(thing("other.com/v1", 2))
    made.until_quiet()

    *_, last = made.history.calls()
    assert json.loads(last.request)["related"] == {"Thing.example.com/v1": {}}
    assert calls(made) == before


LABELLED = {"labelSelector": {"matchLabels": {"app": "x"}}}
TEAM = {"namespaceSelector": {"matchLabels": {"team": "a"}}}


def looked_of_version(version: str, rule: Json) -> tuple[World, Decides]:
    """Return a world with a Room whose controller has hooks of *version*, and a *rule* for ConfigMaps by default."""
    rules = {"relatedResources": [{"apiVersion": "v1", "resource": "configmaps", **rule}]}
    hook = Decides(sync=lambda _: {"status": {}, "children": []}, customize=lambda _: rules)
    controller = composite("rooms", resource("v1", "secrets"), hooks=hooks("sync", "customize", version=version))
    made = cluster(controller, hook, config("a", app="x"), config("b", "there", app="x"), room())
    return made, hook


@pytest.mark.parametrize(
    ("version", "rule", "shown"),
    [
        ("v1", LABELLED, ["a"]),
        ("v2", LABELLED, ["default/a", "there/b"]),
        ("v1", {"namespace": "default"}, ["a"]),
    ],
)
def test_hooks_of_version_1_select_in_the_namespace_of_the_parent(version: str, rule: Json, shown: list[str]) -> None:
    made, hook = looked_of_version(version, rule)
    before = calls(made)

    made.apply({**config("b", "there", app="x"), "data": {"k": "v"}})
    made.until_quiet()

    assert sorted(hook.last()["related"]["ConfigMap.v1"]) == shown
    assert calls(made) - before == (version == "v2")


@pytest.mark.parametrize(
    ("version", "rule", "why"),
    [
        ("v1", {"namespace": "there"}, "requested related object namespace differs from parent object namespace"),
        ("v1", TEAM, "namespaceSelector is not supported for namespaced parent in v1 hook version"),
        ("v2", {"resource": "namespaces", **TEAM}, "namespaceSelector is only supported for namespaced related"),
    ],
)
def test_a_rule_that_a_parent_must_not_have_fails_its_sync(version: str, rule: Json, why: str) -> None:
    made, _ = looked_of_version(version, rule)

    assert why in events(made)[0]
    assert calls(made) == 0
