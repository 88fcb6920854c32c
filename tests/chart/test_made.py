"""What is made from something else is as it would be made now, and every value is documented."""

import json
from typing import Any

import jsonschema
import pytest
import yaml

from app.api.crd import crd
from charts.manifests import FOLDER, manifests
from charts.rendering import CHART
from charts.values_table import README, documented, leaves, readme
from tests.chart.sets import SETS, the, values

TEXT = (CHART / "values.yaml").read_text()
DEFAULTS = yaml.safe_load(TEXT)
SCHEMA = json.loads((CHART / "values.schema.json").read_text())


def test_the_crd_in_the_chart_is_the_one_of_the_folder_and_of_the_models() -> None:
    file = CHART / "files/crd.yaml"

    assert file.read_text() == (CHART.parent.parent / "crds/mygroup.example.com_myresources.yaml").read_text()
    assert yaml.safe_load(file.read_text()) == crd()


def test_the_crd_is_installed_as_it_is_and_stays_when_the_chart_goes() -> None:
    made = the("CustomResourceDefinition")

    assert made["spec"] == crd()["spec"]
    assert made["metadata"]["name"] == crd()["metadata"]["name"]
    assert made["metadata"]["annotations"] == {"helm.sh/resource-policy": "keep"}


def test_the_manifests_for_kubectl_are_made_from_the_chart() -> None:
    assert {file.name: file.read_text() for file in FOLDER.glob("*.yaml")} == manifests()


def test_the_manifests_for_kubectl_do_not_say_that_helm_manages_them() -> None:
    assert not [name for name, text in manifests().items() if "helm.sh" in text or "Helm" in text]


def test_the_readme_has_the_table_of_values() -> None:
    assert README.read_text() == readme()


def test_every_value_and_every_group_is_documented() -> None:
    comments = documented(TEXT)

    assert all(comments.get(path) for path in leaves(DEFAULTS, comments))
    assert all(comments.get(key) for key in DEFAULTS)


def test_a_value_without_a_comment_would_be_found() -> None:
    text = "# One.\none: 1\ntwo: 2\n"
    comments = documented(text)

    assert comments == {"one": "One."}
    assert list(leaves(yaml.safe_load(text), comments)) == ["one", "two"]


def nodes(schema: Any, path: str = "") -> dict[str, Any]:
    """Return the schemas of all objects with named fields, by path."""
    found = {path: schema} if "properties" in schema else {}
    for key, inner in schema.get("properties", {}).items():
        found |= nodes(inner, f"{path}/{key}")
    return found | (nodes(schema["items"], f"{path}/*") if "items" in schema else {})


@pytest.mark.parametrize("path", sorted(nodes(SCHEMA)))
def test_the_schema_lets_nothing_unknown_in(path: str) -> None:
    assert nodes(SCHEMA)[path]["additionalProperties"] is False


def test_the_schema_knows_just_the_values_that_there_are() -> None:
    known = {path: set(schema["properties"]) for path, schema in nodes(SCHEMA).items()}

    assert known[""] - {"global", "follow"} == set(DEFAULTS)
    for key in ("image", "serviceAccount", "podDisruptionBudget", "networkPolicy", "crds", "rbac"):
        assert known[f"/{key}"] == set(DEFAULTS[key])
    for key in ("metacontroller", "compositeController", "watch"):
        assert known[f"/{key}"] == set(DEFAULTS[key])


@pytest.mark.parametrize("name", SETS)
def test_the_schema_is_valid_and_accepts_the_value_sets(name: str) -> None:
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    merged = {
        key: {**default, **values(name).get(key, {})} if isinstance(default, dict) else values(name).get(key, default)
        for key, default in DEFAULTS.items()
    }

    jsonschema.validate(merged, SCHEMA)
