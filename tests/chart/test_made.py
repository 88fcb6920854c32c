"""Generated files are up to date, and every value is documented."""

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


def test_the_crd_of_the_chart_equals_that_of_crds_and_of_the_models() -> None:
    file = CHART / "files/crd.yaml"

    assert file.read_text() == (CHART.parent.parent / "crds/mygroup.example.com_myresources.yaml").read_text()
    assert yaml.safe_load(file.read_text()) == crd()


def test_the_crd_is_installed_unchanged_and_stays_after_an_uninstall() -> None:
    made = the("CustomResourceDefinition")

    assert made["spec"] == crd()["spec"]
    assert made["metadata"]["name"] == crd()["metadata"]["name"]
    assert made["metadata"]["annotations"] == {"helm.sh/resource-policy": "keep"}


def test_the_manifests_are_generated_from_the_chart() -> None:
    assert {file.name: file.read_text() for file in FOLDER.glob("*.yaml")} == manifests()


def test_the_manifests_have_no_helm_labels() -> None:
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
    """Return the schemas of all objects with properties, by path."""
    found = {path: schema} if "properties" in schema else {}
    for key, inner in schema.get("properties", {}).items():
        found |= nodes(inner, f"{path}/{key}")
    return found | (nodes(schema["items"], f"{path}/*") if "items" in schema else {})


@pytest.mark.parametrize("path", sorted(nodes(SCHEMA)))
def test_the_schema_rejects_unknown_values(path: str) -> None:
    assert nodes(SCHEMA)[path]["additionalProperties"] is False


def test_the_schema_has_exactly_the_values_of_the_chart() -> None:
    known = {path: set(schema["properties"]) for path, schema in nodes(SCHEMA).items()}

    assert known[""] - {"global", "follow"} == set(DEFAULTS)
    assert known["/tls/ca"] == set(DEFAULTS["tls"]["ca"])
    assert known["/tls/certManager"] == set(DEFAULTS["tls"]["certManager"])
    for key in ("image", "serviceAccount", "podDisruptionBudget", "networkPolicy", "crds", "rbac"):
        assert known[f"/{key}"] == set(DEFAULTS[key])
    for key in ("metacontroller", "compositeController", "watch", "limits", "tls"):
        assert known[f"/{key}"] == set(DEFAULTS[key])


def test_the_schema_is_a_json_schema() -> None:
    jsonschema.Draft7Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", SETS)
def test_the_schema_accepts_the_value_sets(name: str) -> None:
    merged = {
        key: {**default, **values(name).get(key, {})} if isinstance(default, dict) else values(name).get(key, default)
        for key, default in DEFAULTS.items()
    }

    jsonschema.Draft7Validator(SCHEMA).validate(merged)
