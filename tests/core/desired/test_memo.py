"""The memo of generations: answers are the same with it and without it, whatever it has forgotten."""

import gc
import json
import tracemalloc
from collections.abc import Callable, Hashable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from app.api.reading import InvalidSpec, read
from app.api.spec import MyResourceSpec
from app.core.child_metadata import READY_IMAGE
from app.core.controller import controller
from app.core.desired.children import manifests
from app.core.desired.memo import GenerationMemo
from app.core.desired.replicas import Replicas
from app.core.desired.valid_spec import ValidSpec, checked_spec, references
from metahook import Deployment, Parent
from metahook.protocol.request_builder import customize_request
from tests.api.full import filled
from tests.requests.builders import NOW, Json, finished, my_resource
from tests.requests.watched_objects import WATCH, WATCHING
from tests.strategies.observed import Situation, changed, situations
from toolkit.slow import short_or_whole

MIB = 1024 * 1024


def parent_with(value: Any, *path: str) -> Callable[[Situation], Situation]:
    """Return the change of the parent that gives it this *value* at *path*."""
    return lambda situation: replace(situation, parent=changed(situation.parent, value, *path))


def other_config(situation: Situation) -> Situation:
    groups = situation.related or {}
    config_maps = groups.get("ConfigMap.v1", {})
    other = {key: {**item, "data": {"a": "changed", "KEY": "changed"}} for key, item in config_maps.items()}
    return replace(situation, related={**groups, "ConfigMap.v1": other})


def other_ready_image(situation: Situation) -> Situation:
    children = (changed(item, "b:1", "metadata", "annotations", READY_IMAGE) for item in situation.children)
    return replace(situation, children=tuple(children))


NEIGHBOURS: list[Callable[[Situation], Situation]] = [
    *(parent_with("other", "metadata", field) for field in ("name", "namespace", "uid")),
    parent_with("a" * 53, "metadata", "name"),
    parent_with(7, "metadata", "generation"),
    parent_with({"team": "blue"}, "metadata", "labels"),
    parent_with("other:2", "spec", "image"),
    other_config,
    other_ready_image,
]
"""What differs from a situation in one part of what its children depend on."""


def sequence(situation: Situation) -> list[Situation]:
    """Return *situation*, one that differs in each part, and *situation* again."""
    return [situation, *(change(situation) for change in NEIGHBOURS), situation]


def assert_same_answers(requests: list[Situation], memo: GenerationMemo) -> None:
    remembering = controller(WATCH, memo)
    for situation in requests:
        asked, body = customize_request(situation.parent), situation.body()
        assert remembering.handle_customize(asked) == WATCHING.handle_customize(asked)
        assert remembering.handle_sync(body, NOW) == WATCHING.handle_sync(body, NOW)


class Watched(GenerationMemo):
    """Shows what was put into it."""

    def __init__(self, bound: int = MIB) -> None:
        super().__init__(bound)
        self.entries: list[tuple[Any, Any, int]] = []

    def put(self, key: Hashable, value: Any, size: int) -> None:
        """Note the entry."""
        self.entries.append((key, value, size))
        super().put(key, value, size)


@pytest.mark.slow
@settings(max_examples=short_or_whole(6, 80))
@given(situations(), st.sampled_from([MIB, 20_000, 4_000, 0]))
def test_a_memo_does_not_change_answers_whatever_it_forgets(situation: Situation, bound: int) -> None:
    memo = Watched(bound)
    assert_same_answers(sequence(situation) * (1 if bound == MIB else 2), memo)
    for key, value, _ in memo.entries:
        if key[0] == "spec":
            spec = read(key[1], key[2])
            assert value == (spec if isinstance(spec, InvalidSpec) else (spec, references(spec)))
        else:  # no sync changed what it listed
            assert all(child == msgspec.json.decode(child.json) for child in value.values())


PLAIN = Situation(my_resource())


def test_manifests_of_another_number_of_pods_are_others() -> None:
    own, memo = parent(1, encoded()), GenerationMemo()
    spec = valid(own, memo)

    made = [manifests(own, spec, {}, Replicas(pods), memo) for pods in (1, 2, 1)]

    assert [each[Deployment]["spec"]["replicas"] for each in made] == [1, 2, 1]


def test_the_next_sync_of_a_generation_makes_nothing_again() -> None:
    memo = Watched()
    remembering = controller(WATCH, memo)
    remembering.handle_sync(PLAIN.body(), NOW)
    made = len(memo.entries)
    ready = Situation({**PLAIN.parent, "status": {"state": "Building"}}, tuple(finished(PLAIN.parent)))
    remembering.handle_sync(ready.body(), NOW)

    assert made == len(memo.entries) == len(["spec", "manifests"])


def encoded(**spec: Any) -> bytes:
    return msgspec.json.encode({"image": "a", **spec})


def used_key(number: int) -> Json:
    return {"name": f"A{number}", "valueFrom": {"configMapKeyRef": {"name": "a", "key": str(number)}}}


WIDE = "\U0001f600" + "a" * 8000
SPECS = {
    "least": encoded(),
    "all fields": msgspec.json.encode(
        yaml.safe_load((Path(__file__).parents[3] / "examples" / "full.yaml").read_text())["spec"]
    ),
    "variables": encoded(env=[{"name": f"A{number}"} for number in range(100)]),
    "arguments": encoded(args=[""] * 256),
    "volumes": encoded(**filled("spec.volumes")),
    "references": encoded(env=list(map(used_key, range(100)))),
    "long texts": encoded(args=["a" * 8000]),
    "long texts with a wide character": encoded(args=[WIDE]),
    "long texts with an escaped character": json.dumps({"image": "a", "args": [WIDE]}).encode(),
}
TRIED = short_or_whole(["least", "references", "long texts with a wide character"], [*SPECS])


def parent(number: int, spec: bytes) -> Parent:
    """Return a parent as a request holds it: nothing of it is shared with another."""
    name = f"web-{number}"
    own = bytes(bytearray(spec))
    return Parent(name, f"team-{number}", f"{number:036}", 1, created=None, deleting=False, spec=own, status=b"{}")


def valid(parent: Parent, memo: GenerationMemo) -> MyResourceSpec:
    """Remember what a customize request needs."""
    found = checked_spec(parent, memo)
    assert isinstance(found, ValidSpec), found.problem
    return found.spec


def remember(parent: Parent, memo: GenerationMemo) -> None:
    """Remember what a sync needs."""
    spec = valid(parent, memo)
    manifests(parent, spec, {"mygroup.example.com/config": "0123456789abcdef"}, Replicas(spec.replicas), memo)


BOUND = short_or_whole(MIB // 4, MIB)


@pytest.mark.slow
@pytest.mark.parametrize("name", TRIED)
def test_a_full_memo_takes_the_memory_of_its_bound_and_no_more(name: str) -> None:
    memo = GenerationMemo(BOUND)
    fill(memo, SPECS[name])  # so that nothing else is made for the first time
    memo = GenerationMemo(BOUND)
    gc.collect()
    tracemalloc.start()
    try:
        fill(memo, SPECS[name])
        gc.collect()
        used, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert BOUND / 5 <= used <= BOUND


def fill(memo: GenerationMemo, spec: bytes) -> None:
    """Remember what is made for parents with *spec*, until the first is forgotten."""
    sizes = Watched(bound=0)
    remember(parent(0, spec), sizes)
    for number in range(BOUND // sum(size for _, _, size in sizes.entries) + 1):
        remember(parent(number, spec), memo)


def test_the_value_that_was_used_least_recently_is_forgotten() -> None:
    memo = GenerationMemo(bound=30)
    for key in "abc":
        memo.put(key, key, 10)
    memo.get("a")
    memo.put("d", "d", 10)

    assert [memo.get(key) for key in "abcd"] == ["a", None, "c", "d"]


def test_a_value_over_the_bound_is_not_remembered_and_displaces_no_other() -> None:
    memo = GenerationMemo(bound=30)
    memo.put("a", "a", 30)
    memo.put("b", "b", 31)

    assert [memo.get(key) for key in "ab"] == ["a", None]
