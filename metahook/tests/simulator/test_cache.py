"""What Metacontroller reads: its cache, which is late, in order, and loaded again after a restart; and related objects.

Of related objects: which are sent, when customize is called again, and which parents a change of them syncs.
"""

import json
from typing import Any

import pytest

from metahook import Kind
from metahook.simulator.hook import Reply, Unreachable
from metahook.simulator.metacontroller.cache import Cache
from metahook.simulator.metacontroller.settings import SERVED, Mode
from metahook.simulator.objects import Key
from metahook.simulator.world import World
from toolkit.controllers import Decides, cluster, composite, hooks, resource, room
from toolkit.widgets import WIDGET
from toolkit.worlds import (
    MAKES,
    WEB,
    Answers,
    both_modes,
    calls,
    deployment,
    events,
    parent,
    ready,
    settled,
    synced,
    world,
)

Json = dict[str, Any]
A = Key("ConfigMap", "default", "a")


def config(value: str, name: str = "a", namespace: str = "default") -> Json:
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"value": value}}


def cached(late: float = 1.0) -> tuple[World, Cache, list[str]]:
    """Return a world, a cache of it, and the list of changes that the cache delivers."""
    made = world("dynamic-apply", Answers(), controllers=False)
    delivered: list[str] = []

    def tell(_: Key, old: Json | None, new: Json | None) -> None:
        delivered.append("->".join(item["data"]["value"] if item else "" for item in (old, new)))

    return made, Cache(made.api, made.clock, tell, late), delivered


def test_a_change_arrives_late() -> None:
    made, cache, delivered = cached()
    made.apply(config("1"))
    made.run(0.9)
    assert cache.get(A) is None

    made.run(0.2)
    made.apply(config("2"))
    made.run(0.5)
    assert [item["data"]["value"] for item in cache.all("ConfigMap")] == ["1"]

    made.delete(A)
    made.run(2)
    assert delivered == ["->1", "1->2", "2->"]


def test_changes_never_overtake_each_other() -> None:
    made, cache, delivered = cached(late=5)
    made.apply(config("1"))
    made.apply(config("2"))
    cache.late = 0.1
    made.apply(config("3"))
    made.run(10)

    assert delivered == ["->1", "1->2", "2->3"]


def test_changes_of_different_kinds_may_overtake_each_other() -> None:
    made, cache, delivered = cached()
    cache.delays = lambda write: [5] if write.key.kind == "ConfigMap" else [1]
    made.apply(config("1"))
    made.apply({**config("2"), "kind": "Note"})
    made.run(10)

    assert delivered == ["->2", "->1"]


def test_a_change_may_arrive_twice_or_never() -> None:
    made, cache, delivered = cached()
    cache.delays = lambda write: {"1": [1, 2], "2": [], "3": [1]}[(write.after or {})["data"]["value"]]
    for value in ("1", "2", "3"):
        made.apply(config(value))
        made.run(10)

    assert delivered == ["->1", "1->1", "1->3"]


def test_a_deletion_arrives_once() -> None:
    made, cache, delivered = cached()
    made.apply(config("1"))
    made.run(2)
    cache.delays = lambda _: [1, 2]
    made.delete(A)
    made.run(10)

    assert delivered == ["->1", "1->"]


def test_a_restarted_watch_delivers_the_current_state_of_missed_objects() -> None:
    made, cache, delivered = cached()
    for name in ("a", "b"):
        made.apply(config("1", name))
    made.run(2)
    cache.delays = lambda _: []
    made.delete(A)
    made.apply(config("2"))
    made.delete(A._replace(name="b"))
    made.apply(config("3", "c"))
    cache.rewatch("Secret")
    cache.rewatch("ConfigMap")
    cache.rewatch("ConfigMap")

    assert delivered[2:] == ["1->2", "1->", "->3"]


def test_a_restarted_watch_drops_older_events() -> None:
    made, cache, delivered = cached(late=5)
    made.apply(config("1"))
    made.apply(config("2"))
    cache.rewatch("ConfigMap")
    made.apply(config("3"))
    made.run(10)

    assert delivered == ["->2", "2->3"]


def test_a_cache_that_is_behind_hides_its_last_changes() -> None:
    made, cache, _ = cached()
    made.apply(config("1"))
    made.delete(A)
    for value in ("2", "3"):
        made.apply(config(value))
    made.run(2)

    def given(behind: int) -> list[str]:
        cache.behind = {"ConfigMap": behind}
        found = cache.get(A)
        assert cache.all("ConfigMap") == ([found] if found else [])
        return [item["data"]["value"] for item in cache.all("ConfigMap")]

    assert [given(behind) for behind in (0, 1, 2, 3)] == [["3"], ["2"], [], ["1"]]


def test_a_relist_after_a_late_delivery_leaves_no_event_on_its_way() -> None:
    made, cache, delivered = cached(late=5)
    made.apply(config("1"))
    cache.late = 0.1
    made.apply(config("2"))
    made.run(1)
    cache.relist()
    made.apply(config("3"))
    made.run(10)

    assert delivered == ["->2", "2->3"]


def test_a_relist_loads_everything_and_drops_older_events() -> None:
    made, cache, delivered = cached()
    made.apply(config("1"))
    made.run(2)
    made.apply(config("2"))
    cache.relist()
    made.run(5)

    assert delivered == ["->1", "->2"]


def test_a_relist_from_an_api_server_that_lags_has_the_state_before_the_last_changes() -> None:
    made, cache, delivered = cached()
    for value in ("1", "2"):
        made.apply(config(value))
        made.apply({**config(value), "kind": "Note"})
    made.apply({**config("1"), "kind": "Copy"})
    made.delete(A._replace(kind="Copy"))
    made.run(2)
    cache.behind = {"ConfigMap": 1, "Copy": 1, "Event": 1}
    cache.relist()

    listed = {kind: [item["data"]["value"] for item in cache.all(kind)] for kind in ("ConfigMap", "Copy", "Note")}
    assert listed == {"ConfigMap": ["1"], "Copy": ["1"], "Note": ["2"]}

    cache.rewatch("ConfigMap")
    cache.rewatch("Copy")
    assert delivered[-2:] == ["1->2", "1->"]


def test_a_list_is_limited_to_its_namespace() -> None:
    made, cache, _ = cached()
    for item in (config("1"), config("2", "b"), config("3", namespace="there")):
        made.apply(item)
    made.run(2)

    assert [item["data"]["value"] for item in cache.all("ConfigMap")] == ["1", "2", "3"]
    assert [item["data"]["value"] for item in cache.all("ConfigMap", "there")] == ["3"]


@both_modes
def test_a_late_cache_creates_a_child_twice_without_an_error(mode: Mode) -> None:
    hook = Answers(deployment())
    made = world(mode, hook, controllers=False)
    made.metacontroller.cache.late = 1.0
    made.apply(parent())
    made.run(1.5)
    made.metacontroller.cache.late = 0.005
    made.edit(WEB, lambda item: item["metadata"].update(labels={"a": "b"}))
    made.until_quiet()

    requests = [str(write) for write in made.history.writes("metacontroller")]
    assert requests[0] == MAKES[mode]
    assert list(made.history.events("SyncError")) == []


@both_modes
def test_a_conflicting_update_is_dropped_without_an_error_and_sent_later(mode: Mode) -> None:
    hook = Answers(deployment(replicas=2))
    made = world(mode, hook, parent(), controllers=False)
    made.until_quiet()
    made.metacontroller.cache.late = 1.0
    made.api.update_status(
        {**made.get(Key("Deployment", "default", "web-deployment")), "status": {"a": 1}}, "another-client"
    )

    hook.answer["children"] = [deployment(replicas=3)]
    made.metacontroller.enqueue(WEB)
    made.until_quiet()

    assert made.get(Key("Deployment", "default", "web-deployment"))["spec"]["replicas"] == 3
    assert list(made.history.events("SyncError")) == []


@both_modes
def test_our_hook_becomes_ready_with_a_late_cache(mode: Mode) -> None:
    made = world(mode)
    made.metacontroller.cache.late = 3.0
    made.apply(parent())
    made.until_quiet()

    assert ready(made) == ("True", "Available")


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


def labelled(name: str, namespace: str = "default", **labels: str) -> Json:
    metadata = {"name": name, "namespace": namespace, "labels": labels}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {}}


def looked(hook: Answers, **more: Any) -> World:
    made = world("dynamic-apply", hook, labelled("a", app="x"), labelled("b", app="y", tier="t"), parent(), **more)
    made.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "there", "labels": {"team": "a"}}})
    made.apply(labelled("a", "there"))
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

    made.apply({**labelled(name), "data": {"k": "v"}})
    made.until_quiet()
    assert calls(made) - before == woken

    made.delete(WEB._replace(kind="ConfigMap", name=name))
    made.until_quiet()
    assert calls(made) - before == 2 * woken


def test_an_object_that_is_no_longer_selected_syncs_the_parent() -> None:
    hook = Looking(labelSelector={"matchLabels": {"app": "x"}})
    made = looked(hook)

    made.apply(labelled("a", app="other"))
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
    made = cluster(controller, hook, labelled("a", app="x"), labelled("b", "there", app="x"), room())
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

    made.apply({**labelled("b", "there", app="x"), "data": {"k": "v"}})
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
