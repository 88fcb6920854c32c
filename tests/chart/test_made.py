"""Generated files are up to date, and every value is documented."""

import json
import re

import yaml

from app.api.crd import crd
from charts import dashboard
from charts.children import FILE, children
from charts.manifests import FOLDER, manifests
from charts.rendering import CHART
from charts.settings import with_schema, with_values, with_variables
from charts.values_table import README, documented, readme
from tests.chart.sets import DEFAULTS, TEXT, VALUES, Json, the

GENERATE = "run make generate"
SCHEMA_TEXT = (CHART / "values.schema.json").read_text()
VARIABLES = (CHART / "templates/_helpers.tpl").read_text()
SCHEMA: Json = json.loads(SCHEMA_TEXT)


def test_what_is_generated_is_up_to_date() -> None:
    text = (CHART / "files/crd.yaml").read_text()

    assert text == (CHART.parent.parent / "crds/mygroup.example.com_myresources.yaml").read_text(), GENERATE
    assert yaml.safe_load(text) == crd(), GENERATE
    assert FILE.read_text() == children(), GENERATE
    assert {file.name: file.read_text() for file in FOLDER.glob("*.yaml")} == manifests(), GENERATE
    assert README.read_text() == readme(), GENERATE
    assert dashboard.FILE.read_text() == dashboard.text(), GENERATE
    assert with_values(TEXT) == TEXT, GENERATE
    assert with_schema(SCHEMA_TEXT) == SCHEMA_TEXT, GENERATE
    assert with_variables(VARIABLES) == VARIABLES, GENERATE


def test_the_crd_is_installed_unchanged_and_stays_after_an_uninstall() -> None:
    made = the("CustomResourceDefinition")

    assert made["spec"] == crd()["spec"], "run make generate"
    assert made["metadata"]["name"] == crd()["metadata"]["name"]
    assert made["metadata"]["annotations"] == {"helm.sh/resource-policy": "keep"}


def test_every_value_and_every_group_is_documented() -> None:
    comments = documented(TEXT)

    assert [path for path in [*VALUES, *DEFAULTS] if not comments.get(path)] == [], "comment it in values.yaml"


def test_every_value_is_in_a_template() -> None:
    templates = "".join(file.read_text() for file in CHART.glob("templates/**/*.*"))
    unused = [path for path in VALUES if not re.search(rf"\b{path.rpartition('.')[2]}\b", templates)]

    # One loop writes all limits.
    assert [path for path in unused if not path.startswith("limits.")] == []


OPEN = {"/global", "/extraVolumes/*"}
"""Objects that can have other fields: a chart around this one has more, and Kubernetes has many types of volumes."""


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
        if isinstance(value, dict) and any(name.replace(".", "/").startswith(f"{inner[1:]}/") for name in VALUES):
            found |= groups(value, inner)
    return found


def test_the_schema_has_exactly_the_values_of_the_chart_and_refuses_others() -> None:
    known = nodes(SCHEMA)
    with_fields = {path: schema for path, schema in known.items() if "properties" in schema}

    for path, names in groups(DEFAULTS).items():
        in_schema = {f"{path}/{key}" for key in known[path]["properties"]}
        assert in_schema == {f"{path}/{name}" for name in names}
        assert [place for place in in_schema if not {"type", "enum"} & set(known[place])] == []
    assert {path for path, schema in with_fields.items() if schema.get("additionalProperties") is not False} == OPEN
    assert all("additionalProperties" not in with_fields[path] for path in OPEN)
