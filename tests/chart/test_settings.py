"""The chart's values and the operator's settings have the same names, such as maxBody and MYRESOURCE_MAX_BODY."""

import json
from typing import get_args

import helm_python as helm
import pytest

from app.core.watch import Watch
from app.settings.option import bounds, camel_case, read, variable_of
from app.settings.serve import CallerSettings, ServeSettings
from charts.limits import limits, with_schema, with_values
from charts.rendering import CHART, rendered
from metahook import Kind
from tests.chart.sets import REMOVED, TEXT, VALUES, Json, refusal, the, values

FIXED = {"port", "health_port"}
"""The chart's Services and probes have these ports."""
FILES = set(CallerSettings.model_fields)
"""They follow from the values of tls: see test_tls.py."""
NOT_IN_A_CLUSTER = {"dev"}
"""Development mode logs the status."""
WITHOUT_A_VALUE = FIXED | FILES | NOT_IN_A_CLUSTER
LIMITS = set(limits())


def environment(given: Json) -> dict[str, str]:
    (hook,) = the("Deployment", given)["spec"]["template"]["spec"]["containers"]
    return {item["name"]: item.get("value", "") for item in hook["env"]}


def value_of(name: str) -> str:
    """Return the path of the value that sets the setting *name*, such as watch.pods, limits.maxInFlight and maxBody."""
    group, _, rest = name.partition("_")
    if group == "watch":
        return f"watch.{rest}"
    return ("limits." if name in LIMITS else "") + camel_case(name)


def test_each_setting_without_a_value_is_a_setting() -> None:
    assert set(ServeSettings.model_fields) >= WITHOUT_A_VALUE
    assert set(ServeSettings.model_fields) >= LIMITS


@pytest.mark.parametrize("name", sorted(set(ServeSettings.model_fields) - WITHOUT_A_VALUE))
def test_a_setting_is_a_value_of_the_chart_and_a_variable_of_the_hook(name: str) -> None:
    assert value_of(name) in VALUES, "add it to values.yaml (make generate adds a limit)"
    assert variable_of(name) in environment(values("watch")), "add it to _helpers.tpl, or a value to values/watch.yaml"


@pytest.mark.parametrize("name", sorted(ServeSettings.model_fields))
def test_no_setting_can_be_set_by_a_variable_of_the_user(name: str) -> None:
    assert refusal({"extraEnv": [{"name": variable_of(name), "value": "1"}]})


@pytest.mark.parametrize("name", sorted(NOT_IN_A_CLUSTER))
def test_a_setting_that_is_not_for_clusters_is_no_value_of_the_chart(name: str) -> None:
    assert value_of(name) not in VALUES
    with pytest.raises(helm.HelmValuesError):
        rendered({value_of(name): True})


@pytest.mark.parametrize("group", ["watch.", "limits."])
def test_a_group_of_settings_has_no_value_without_a_setting(group: str) -> None:
    found = {value for value in VALUES if value.startswith(group)}

    assert found
    assert found <= {value_of(name) for name in ServeSettings.model_fields}


def test_the_chart_and_the_settings_accept_the_same_earlier_defaults_of_limits() -> None:
    accepted = {path: gone["accepted"] for path, gone in REMOVED.items() if path.startswith("limits.")}

    assert accepted == {
        f"limits.{camel_case(name)}": list(setting.accepted)
        for name, setting in ServeSettings.REMOVED.items()
        if setting.accepted
    }


def schema_of(path: str) -> Json:
    """Return the schema of the value at *path*."""
    found: Json = json.loads((CHART / "values.schema.json").read_text())
    for key in path.split("."):
        assert key in found["properties"], f"values.schema.json lacks {path}: add its type (make generate adds a limit)"
        found = found["properties"][key]
    return found


NUMBERS = sorted({*LIMITS, "drain", "stop_timeout", "log_rate"})


@pytest.mark.parametrize("name", NUMBERS)
def test_a_value_has_the_bounds_of_its_setting(name: str) -> None:
    field, schema = ServeSettings.model_fields[name], schema_of(value_of(name))

    assert bounds(field) == f"from {schema['minimum']} to {schema['maximum']}"


@pytest.mark.parametrize("name", ["log_format", "log_level"])
def test_a_value_has_the_words_of_its_setting(name: str) -> None:
    assert schema_of(value_of(name))["enum"] == list(get_args(ServeSettings.model_fields[name].annotation))


def test_the_group_of_limits_is_made_from_the_settings() -> None:
    schema = (CHART / "values.schema.json").read_text()

    assert with_values(TEXT) == TEXT, "run make generate"
    assert with_schema(schema) == schema, "run make generate"


def test_the_chart_and_the_settings_have_the_same_defaults_except_for_the_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in environment({}).items():
        monkeypatch.setenv(name, value)

    assert read(ServeSettings) == ServeSettings.model_construct(host="0.0.0.0")  # noqa: S104 - all addresses of the Pod


def test_the_settings_are_read_as_the_values_say(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in environment(values("watch")).items():
        monkeypatch.setenv(name, value)
    kinds = [
        Kind(item["apiVersion"], item["kind"], item["resource"]) for item in values("watch")["watch"]["dependencies"]
    ]

    managers, keys = (tuple(values("watch")[name]) for name in ("expectedManagers", "allowedAnnotations"))
    assert read(ServeSettings).watch == Watch(
        pods=True, secrets=True, dependencies=tuple(kinds), expected_managers=managers, allowed_annotations=keys
    )
