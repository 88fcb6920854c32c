"""Generated pages are up to date, and the examples of every field are accepted and change something."""

import re
from copy import deepcopy
from functools import reduce
from typing import Any

import pytest
import yaml

from app.api.containers import Container
from app.api.generated_schema import schema
from app.api.model import copied_fields
from tests.api.apiserver import SCHEMA, refusals, stored
from tests.requests.builders import Json, sync
from website.fields import FULL, PAGE, PAGES, below, examples
from website.made import ROOT, pages

GIVEN = [(field, example) for field, found in examples().items() for example in found]
UNSEEN = {"image", "imagePullPolicy", "strategy", "configReload", "rollback", "schedule"}
"""Fields that change no child at first, or without which there is none."""

CHANGELOG = (ROOT / "CHANGELOG.md").read_text()
FIRST_FIELDS = {
    "affinity", "args", "command", "configReload", "cpu", "env", "envFrom", "imagePullPolicy", "imagePullSecrets",
    "livenessProbe", "minReadySeconds", "nodeSelector", "podMetadata", "priorityClassName", "readinessProbe",
    "restartedAt", "revisionHistoryLimit", "securityProfile", "serviceAccountName", "startupProbe", "strategy",
    "terminationGracePeriodSeconds", "tolerations", "topologySpreadConstraints", "volumeMounts", "volumes",
}  # fmt: skip
"""Fields of 0.1.0, which the changelog does not list."""


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


def line(file: str, text: str) -> str:
    """Return the place of *text* in *file*, such as website/fields.py:31."""
    lines = (ROOT / file).read_text().splitlines()
    return f"{file}:{next(number for number, each in enumerate(lines, 1) if each.startswith(text))}"


def problems(spec: Json, given: dict[str, list[Json]], changelog: str) -> list[str]:
    """Return what the fields of *spec* lack, in the order in which to add it; *given* are the examples by field."""
    fields = spec["properties"]
    place = line("app/api/spec.py", "class MyResourceSpec")
    found = [f"{place}: name a page of website/fields.py at {name}" for name in fields if PAGE.get(name) not in PAGES]
    used = set.union(*(shapes(each["spec"], "spec") for examples in given.values() for each in examples))
    full = shapes(yaml.safe_load(FULL.read_text())["spec"], "spec")
    # A field that each container has as it is has an example in its own section.
    used |= full & {("initContainers", path[-1]) for path in copied_fields(Container, "Container")}
    for path, _ in below(spec, "spec"):
        names = path.replace("[]", "").split(".")
        (shape,) = shapes({names[-1]: None}, names[-2])
        if shape not in used and shape in full:
            place = line("website/fields.yaml", f"{names[1]}:")
            found.append(
                f"{place}: use {path} there, too: the page of {names[1]} has these examples, and not full.yaml"
            )
        elif shape not in used:
            found.append(f"{line('examples/full.yaml', 'spec:')}: use {path}")
        used.add(shape)
    named = " ".join(re.findall(r"`[^`]+`", changelog))
    new = [name for name in fields if name not in FIRST_FIELDS and not re.search(rf"\b{name}\b", named)]
    place = line("CHANGELOG.md", "### Added")
    return [*found, *(f"{place}: say what users can do with `{name}`" for name in new)]


def test_every_field_has_a_page_and_every_nested_one_is_in_an_example() -> None:
    spec = schema()["properties"]["spec"]

    assert len(list(below(spec, "spec"))) > 120
    missing = problems(spec, examples(), CHANGELOG)
    assert not missing, "\n".join(missing)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (["addition"], ["app/api/spec.py:", "examples/full.yaml:", "CHANGELOG.md:"]),
        (["strategy", "properties", "addition"], ["examples/full.yaml:"]),
    ],
)
def test_what_a_new_field_lacks_is_named_with_the_file_and_the_line(path: list[str], expected: list[str]) -> None:
    spec = deepcopy(schema()["properties"]["spec"])
    others = problems(spec, examples(), CHANGELOG)
    *outer, name = path
    reduce(lambda node, key: node[key], outer, spec["properties"])[name] = {"type": "string"}

    assert [
        each.partition(":")[0] + ":" for each in problems(spec, examples(), CHANGELOG) if each not in others
    ] == expected


def test_an_example_of_the_page_that_lacks_a_nested_field_of_full_yaml_is_named() -> None:
    given = {**examples(), "resources": [{**examples()["resources"][0], "spec": {"image": "a"}}]}

    spec = schema()["properties"]["spec"]
    others = problems(spec, examples(), CHANGELOG)

    found = [each for each in problems(spec, given, CHANGELOG) if each not in others]

    assert all(re.match(r"website/fields.yaml:\d+: use spec.resources", each) for each in found), found
    assert found
