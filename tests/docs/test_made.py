"""Generated pages are up to date, and the examples of every field are accepted and change something."""

from collections import Counter
from typing import Any

import pytest

from app.api.schema.crd import schema
from tests.api.apiserver import SCHEMA, refusals, stored
from tests.requests.builders import Json, sync
from website.fields import GROUPS, below, examples
from website.made import ROOT, pages

GIVEN = [(field, example) for field, found in examples().items() for example in found]
UNSEEN = {"image", "imagePullPolicy", "strategy", "configReload", "rollback", "schedule"}
"""Fields that change no child at first, or without which there is none."""


def test_each_page_equals_the_generated_one() -> None:
    assert [name for name, text in pages().items() if (ROOT / name).read_text() != text] == [], "run make generate"


@pytest.mark.parametrize(
    ("field", "example"), [pytest.param(*case, id=f"{number} {case[0]}") for number, case in enumerate(GIVEN)]
)
def test_an_example_is_accepted_and_runs_and_its_field_changes_something(field: str, example: Json) -> None:
    def made(spec: Json) -> Json:
        metadata = {**example["metadata"], "namespace": "default", "uid": "a", "generation": 1}
        answer: Json = sync(stored({**example, "metadata": metadata, "spec": spec}))
        return answer

    answer, without = made(example["spec"]), {key: value for key, value in example["spec"].items() if key != field}
    starts = {"dependencies": "DependencyNotFollowed", "suspend": "Suspended"}.get(field, "Building")

    assert field in example["spec"]
    assert refusals(stored(example), SCHEMA) == []
    assert answer["status"]["conditions"][0]["reason"] == starts
    assert field in UNSEEN or answer["children"] != made(without)["children"]


def shapes(item: Any, parent: str) -> set[tuple[str, str]]:
    """Return the names of all fields in *item*, each with the name of its parent."""
    if isinstance(item, list):
        return {pair for inner in item for pair in shapes(inner, parent)}
    if not isinstance(item, dict):
        return set()
    # The three probes have the same fields.
    name = "probe" if parent.endswith("Probe") else parent
    return {(name, key) for key in item} | {pair for key, inner in item.items() for pair in shapes(inner, key)}


def test_every_field_is_in_one_group_and_every_nested_one_is_in_an_example() -> None:
    spec = schema()["properties"]["spec"]
    paths = [path.replace("[]", "").split(".") for path, _ in below(spec, "spec")]
    known = set.union(*(shapes({path[-1]: None}, path[-2]) for path in paths))
    used = set.union(*(shapes(example["spec"], "spec") for _, example in GIVEN))

    assert len(known) > 120
    assert known - used == set(), "use it in examples/full.yaml"
    grouped, fields = Counter(" ".join(each.fields for each in GROUPS.values()).split()), Counter([*spec["properties"]])
    assert fields - grouped == {}, "list it in a group of website/fields.py"
    assert grouped - fields == {}, "website/fields.py has it twice, or it is no field"
