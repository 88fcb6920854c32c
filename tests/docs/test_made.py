"""Generated pages are up to date, and the examples of every field are accepted and change something."""

from typing import Any

import pytest

from app.api.schema.crd import schema
from tests.api.apiserver import SCHEMA, refusals, stored
from tests.requests.builders import Json, sync
from website.fields import GROUPS, below, examples
from website.made import ROOT, pages

GIVEN = [(field, example) for field, found in examples().items() for example in found]
each_example = pytest.mark.parametrize(
    ("field", "example"), [pytest.param(*case, id=f"{number} {case[0]}") for number, case in enumerate(GIVEN)]
)


@pytest.mark.parametrize("name", list(pages()))
def test_a_page_equals_the_generated_one(name: str) -> None:
    assert (ROOT / name).read_text() == pages()[name], "run make generate"


@each_example
def test_an_example_uses_its_field_and_the_api_server_accepts_it(field: str, example: Json) -> None:
    assert field in example["spec"]
    assert refusals(stored(example), SCHEMA) == []


@each_example
def test_an_example_runs_and_changes_something(field: str, example: Json) -> None:
    def made(spec: Json) -> Json:
        metadata = {**example["metadata"], "namespace": "default", "uid": "a", "generation": 1}
        answer: Json = sync(stored({**example, "metadata": metadata, "spec": spec}))
        return answer

    without = {key: value for key, value in example["spec"].items() if key != field}
    starts = {"dependencies": "DependencyNotFollowed", "suspend": "Suspended"}.get(field, "Building")
    assert made(example["spec"])["status"]["conditions"][0]["reason"] == starts
    if field not in {"image", "imagePullPolicy", "strategy", "configReload", "rollback", "schedule"}:
        assert made(example["spec"])["children"] != made(without)["children"]


def kind(name: str) -> str:
    """Return *name*, or one name for the three probes, which have the same fields."""
    return "probe" if name.endswith("Probe") else name


def shapes(item: Any, parent: str = "") -> set[tuple[str, str]]:
    """Return the names of all fields in *item*, each with the name of its parent."""
    if isinstance(item, list):
        return {pair for inner in item for pair in shapes(inner, parent)}
    if isinstance(item, dict):
        return {(kind(parent), key) for key in item} | {
            pair for key, inner in item.items() for pair in shapes(inner, key)
        }
    return set()


def test_every_nested_field_is_in_an_example() -> None:
    used = {pair for _, example in GIVEN for pair in shapes(example["spec"], "spec")}
    paths = [path.replace("[]", "").split(".") for path, _ in below(schema()["properties"]["spec"], "spec")]
    known = {(kind(path[-2]), path[-1]) for path in paths}

    assert len(known) > 120
    assert known - used == set()


def test_every_field_is_in_one_group() -> None:
    grouped = [name for group in GROUPS.values() for name in group.fields.split()]

    assert sorted(grouped) == sorted(schema()["properties"]["spec"]["properties"])
