"""Generated files are up to date, and every value is documented."""

import json

import pytest
import yaml

from app.api.schema.crd import crd
from charts.children import FILE, children
from charts.manifests import FOLDER, manifests
from charts.rendering import CHART
from charts.values_table import README, documented, readme
from tests.chart.sets import DEFAULTS, REMOVED, TEXT, VALUES, Json, the

GENERATE = "run make generate"
SCHEMA: Json = json.loads((CHART / "values.schema.json").read_text())


def test_the_crd_of_the_chart_equals_that_of_crds_and_of_the_models() -> None:
    text = (CHART / "files/crd.yaml").read_text()

    assert text == (CHART.parent.parent / "crds/mygroup.example.com_myresources.yaml").read_text(), GENERATE
    assert yaml.safe_load(text) == crd(), GENERATE


def test_the_crd_is_installed_unchanged_and_stays_after_an_uninstall() -> None:
    made = the("CustomResourceDefinition")

    assert made["spec"] == crd()["spec"]
    assert made["metadata"]["name"] == crd()["metadata"]["name"]
    assert made["metadata"]["annotations"] == {"helm.sh/resource-policy": "keep"}


def test_the_list_of_children_is_generated_from_the_code() -> None:
    assert FILE.read_text() == children(), GENERATE


def test_the_manifests_are_generated_from_the_chart() -> None:
    assert {file.name: file.read_text() for file in FOLDER.glob("*.yaml")} == manifests(), GENERATE


def test_the_readme_has_the_table_of_values() -> None:
    assert README.read_text() == readme(), GENERATE


def test_every_value_and_every_group_is_documented() -> None:
    comments = documented(TEXT)

    assert all(comments.get(path) for path in VALUES)
    assert all(comments.get(key) for key in DEFAULTS)


OPEN = {
    "/global": "a chart around this one has more",
    "/extraVolumes/*": "Kubernetes has many types of volumes",
    "/autoscaling/metrics/*": "Kubernetes has many types of metrics",
}
"""Objects that can have other fields, each with the reason."""


def nodes(schema: Json, path: str = "") -> dict[str, Json]:
    """Return the schemas of all values and of the items of lists, by path."""
    schema = SCHEMA["definitions"][schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    found = {path: schema}
    for key, inner in schema.get("properties", {}).items():
        found |= nodes(inner, f"{path}/{key}")
    return found | (nodes(schema["items"], f"{path}/*") if "items" in schema else {})


def groups(values: Json, path: str = "") -> dict[str, set[str]]:
    """Return the names of the values in each group, by path. A group has documented values, and no other keys."""
    found = {path: set(values)}
    for key, value in values.items():
        inner = f"{path}/{key}"
        if isinstance(value, dict) and any(name.startswith(f"{inner[1:]}/") for name in DOCUMENTED):
            found |= groups(value, inner)
    return found


DOCUMENTED = {name.replace(".", "/") for name in documented(TEXT)}
NODES, GROUPS = nodes(SCHEMA), groups(DEFAULTS)


@pytest.mark.parametrize("path", sorted(path for path, schema in NODES.items() if "properties" in schema))
def test_the_schema_rejects_unknown_values(path: str) -> None:
    assert ("additionalProperties" not in NODES[path]) is (path in OPEN)
    assert path in OPEN or NODES[path]["additionalProperties"] is False


@pytest.mark.parametrize("path", sorted(GROUPS))
def test_the_schema_has_exactly_the_values_of_the_chart(path: str) -> None:
    removed = {key for key in NODES[path]["properties"] if f"{path}/{key}"[1:].replace("/", ".") in REMOVED}

    assert set(NODES[path]["properties"]) - removed == GROUPS[path]
    assert not [key for key in GROUPS[path] if not {"type", "enum"} & set(NODES[f"{path}/{key}"])]
