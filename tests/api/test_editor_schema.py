"""The JSON schema for editors: it accepts what a cluster accepts, and sees what is wrong with a file without CEL."""

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

import jsonschema
import pytest
import yaml

from app.cli.crd import editor_schema
from tests.api.examples.all_rules import EXAMPLES
from tests.api.refused import REFUSED
from tests.examples.test_my_resources import FILES
from tests.requests.builders import Json, my_resource

COMMITTED = Path("crds/myresource.schema.json")
VALIDATOR = jsonschema.Draft7Validator(editor_schema())
FIRST_LINE = "# yaml-language-server: $schema="
FULL: Json = yaml.safe_load(Path("examples/full.yaml").read_text())


def test_it_is_a_json_schema_and_the_committed_one() -> None:
    jsonschema.Draft7Validator.check_schema(editor_schema())

    assert json.loads(COMMITTED.read_text(encoding="utf-8")) == editor_schema(), "run make generate"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_an_example_is_valid_and_names_the_schema_in_its_first_line(file: Path) -> None:
    texts = [text for text in file.read_text().split("---\n") if "kind: MyResource" in text]

    for text in texts:
        named = text.partition("\n")[0].removeprefix(FIRST_LINE)
        assert (file.parent / named).resolve() == COMMITTED.resolve()
        VALIDATOR.validate(yaml.safe_load(text))
    assert texts


def has_null(value: object) -> bool:
    """Return whether a field is null. The API server drops it; in a file it is a key whose value was forgotten."""
    below = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return value is None or any(map(has_null, below))


def test_what_the_api_server_accepts_is_valid() -> None:
    good = [my_resource(**fields) for example in EXAMPLES for fields in example.good if not has_null(fields)]

    assert [item for item in good if not VALIDATOR.is_valid(item)] == []
    assert len(good) > 500


def test_what_the_api_server_refuses_for_its_structure_is_not() -> None:
    bad = [fields for specs in REFUSED.values() for fields in specs]
    found = [fields for fields in bad if VALIDATOR.is_valid(my_resource(**fields))]

    # In Python, "$" also matches before a line break at the end. In JavaScript, which editors use, it does not.
    assert [fields for fields in found if "\\n" not in str(fields)] == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("apiVersion", "mygroup.example.com/v1"),
        ("kind", "Myresource"),
        ("metadata", {}),
        ("metadata.name", "Web"),
        ("metadata.label", {"team": "web"}),
        ("metadata.labels", {"team": 1}),
        ("spec", None),
        ("spec.image", "nginx latest"),
        ("spec.memory", "512MB"),
        ("spec.memory", 0),
        ("spec.replicas", "3"),
        ("spec.env", {"A": "a"}),
        ("spec.securityProfile", "restricted"),
        ("spec.schedule.sleep", [{"days": ["Mon"], "from": "7:00", "to": "9:00"}]),
    ],
)
def test_a_mistake_in_a_field_is_seen(path: str, value: object) -> None:
    item = deepcopy(FULL)
    *outer, name = path.split(".")
    place = item
    for key in outer:
        place = place[key]
    place[name] = value

    assert {".".join(map(str, error.absolute_path))[: len(path)] for error in VALIDATOR.iter_errors(item)} <= {
        path,
        path.rpartition(".")[0],
    }
    assert not VALIDATOR.is_valid(item)


def objects(value: object, node: Json) -> Iterator[Json]:
    """Yield each object in *value*, whose schema is *node*, that has fields of its own."""
    if isinstance(value, list):
        for item in value:
            yield from objects(item, node["items"])
    elif isinstance(value, dict) and "properties" in node:
        yield value
        for name, below in value.items():
            yield from objects(below, node["properties"][name])


def test_an_unknown_field_is_seen_wherever_it_is() -> None:
    item = deepcopy(FULL)
    places = list(objects(item, editor_schema()))

    for place in places:
        place["addition"] = 1
    refused = [error for error in VALIDATOR.iter_errors(item) if "'addition' was unexpected" in error.message]

    assert len(refused) == len(places) > 60
