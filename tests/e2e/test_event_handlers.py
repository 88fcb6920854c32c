"""Which events call which parents: those of the parent, of its children, of orphans and of related objects."""

from collections.abc import Callable

import pytest

from metahook.simulator.objects import Json
from tests.e2e.foreign import FENCE, Foreign
from toolkit.hooks.notes import LABEL, service


@pytest.fixture(name="two")
def _two(foreign: Foreign) -> Foreign:
    """Return a namespace with the Notes ``one`` and ``two``, which are at rest."""
    foreign.start_with("one", "two")
    return foreign


def called(two: Foreign, happen: Callable[[], object]) -> set[str]:
    """Return the names of the parents that are called because of what *happens*."""
    before = {name: len(two.calls(name)) for name in ("one", "two")}
    happen()
    two.settle()
    return {name for name, count in before.items() if len(two.calls(name)) > count}


def config_map(name: str, **metadata: object) -> Json:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **metadata}, "data": {"word": "x"}}


def test_an_event_of_a_parent_calls_that_parent(two: Foreign) -> None:
    change = {"metadata": {"annotations": {"example.com/sync": "now"}}}

    assert called(two, lambda: two.edit("Note", change, "one")) == {"one"}
    assert two.calls()[-1].request["parent"]["metadata"]["annotations"] == {"example.com/sync": "now"}


def test_a_deleted_parent_is_not_called_and_its_children_go(two: Foreign) -> None:
    """While its cache still has the parent, Metacontroller may call once more; what it then creates goes, too."""
    two.delete("Note", "one")
    two.eventually(lambda: two.find("ConfigMap", "one") is None)
    two.settle()

    assert called(two, lambda: two.put(service("web", of="one"))) == set()
    assert two.find("ConfigMap", "one") is None


def test_an_event_of_a_child_calls_its_controller_alone(two: Foreign) -> None:
    assert called(two, lambda: two.edit("ConfigMap", {"data": {"more": "1"}}, "one")) == {"one"}
    assert called(two, lambda: two.delete("ConfigMap", "one")) == {"one"}
    two.eventually(lambda: two.word("ConfigMap") == "a")


def test_an_orphan_with_the_label_calls_the_parent_of_that_uid_which_adopts_it(two: Foreign) -> None:
    uid = two.get("Note", "one")["metadata"]["uid"]

    assert called(two, lambda: two.put(config_map("stray"))) == set()
    change = {"metadata": {"labels": {"controller-uid": uid}}}
    assert called(two, lambda: two.edit("ConfigMap", change, "stray")) == {"one"}

    two.eventually(lambda: two.find("ConfigMap", "stray") is None)
    assert any("stray" in key for call in two.calls() for key in call.request["children"]["ConfigMap.v1"])


def test_an_orphan_with_the_name_of_a_child_is_adopted_and_kept(two: Foreign) -> None:
    before = two.get("ConfigMap", "one")["metadata"]

    assert called(two, lambda: two.edit("ConfigMap", {"metadata": {"ownerReferences": None}}, "one")) == {"one"}

    after = two.get("ConfigMap", "one")["metadata"]
    assert (after["uid"], after["ownerReferences"]) == (before["uid"], before["ownerReferences"])


def test_a_related_object_calls_when_it_is_created_changed_and_deleted(two: Foreign) -> None:
    """The request does not say which of them it was."""
    steps = [
        lambda: two.put(service("web", of="one")),
        lambda: two.edit("Service", {"metadata": {"annotations": {"a": "b"}}}, "web"),
        lambda: two.delete("Service", "web"),
    ]

    assert [called(two, step) for step in steps] == [{"one"}] * 3
    assert {tuple(sorted(call.request)) for call in two.calls()} == {
        ("children", "controller", "finalizing", "parent", "related")
    }


def test_a_related_object_calls_the_parents_that_it_matched_before_and_after(two: Foreign) -> None:
    two.put(service("web", of="one"))
    two.settle()

    moved = called(two, lambda: two.edit("Service", {"metadata": {"labels": {LABEL: "two"}}}, "web"))
    removed = called(two, lambda: two.edit("Service", {"metadata": {"labels": {LABEL: None}}}, "web"))
    unrelated = called(two, lambda: two.edit("Service", {"metadata": {"annotations": {"a": "b"}}}, "web"))

    assert (moved, removed, unrelated) == ({"one", "two"}, {"two"}, set())


def test_the_request_has_the_objects_as_they_are_when_the_turn_of_the_key_comes(two: Foreign) -> None:
    two.put(service("web", of="one"))
    two.settle()

    request = two.calls()[-1].request

    assert [*request["related"]["Service.v1"]] == [f"{two.name}/web"]
    assert [*request["children"]["ConfigMap.v1"]] == [f"{two.name}/one"]
    assert request["parent"]["spec"] == {"word": "a"}
    assert two.calls(FENCE)[-1].request["related"] == {"Service.v1": {}}
