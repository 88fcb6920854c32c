"""The cache: late, in order, and loaded again after a restart."""

from typing import Any

from metahook.simulator.metacontroller.cache import Cache
from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Key
from metahook.simulator.world import World
from toolkit.worlds import MAKES, WEB, Answers, both_modes, deployment, parent, ready, world

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
