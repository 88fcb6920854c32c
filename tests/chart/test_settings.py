"""The chart's values and the operator's settings have the same names, such as maxBody and MYRESOURCE_MAX_BODY."""

import json
from typing import get_args

import pytest

from app.core.watch import Watch
from app.settings.option import bounds, camel_case, read, variable_of
from app.settings.serve import CallerSettings, ServeSettings
from charts.limits import limits
from charts.rendering import CHART
from metahook import Kind
from tests.chart.sets import VALUES, Json, refusal, the, values

FIXED = {"port", "health_port"}
"""The chart's Services and probes have these ports."""
FILES = set(CallerSettings.model_fields)
"""They follow from the values of tls: see test_tls.py."""
NOT_IN_A_CLUSTER = {"dev"}
"""Development mode logs the status."""
SETTINGS = set(ServeSettings.model_fields)
WITH_A_VALUE = SETTINGS - FIXED - FILES - NOT_IN_A_CLUSTER
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


def test_each_setting_is_a_value_of_the_chart_and_a_variable_of_the_hook_unless_there_is_a_reason() -> None:
    lack_value = {name for name in WITH_A_VALUE if value_of(name) not in VALUES}
    lack_variable = {name for name in WITH_A_VALUE if variable_of(name) not in environment(values("watch"))}
    in_groups = {value for value in VALUES if value.startswith(("watch.", "limits."))}

    assert lack_value == set(), "add it to values.yaml (make generate adds a limit)"
    assert lack_variable == set(), "add it to _helpers.tpl, or a value to values/watch.yaml"
    assert FIXED | FILES | NOT_IN_A_CLUSTER | LIMITS <= SETTINGS
    assert in_groups <= {value_of(name) for name in SETTINGS}
    assert not {value_of(name) for name in NOT_IN_A_CLUSTER} & set(VALUES)


@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_no_setting_can_be_set_by_a_variable_of_the_user(name: str) -> None:
    assert refusal({"extraEnv": [{"name": variable_of(name), "value": "1"}]})


def schema_of(name: str) -> Json:
    """Return the schema of the value that sets the setting *name*."""
    found: Json = json.loads((CHART / "values.schema.json").read_text())
    for key in value_of(name).split("."):
        assert key in found["properties"], f"values.schema.json lacks {name}: add its type (make generate adds a limit)"
        found = found["properties"][key]
    return found


@pytest.mark.parametrize("name", sorted({*LIMITS, "drain", "stop_timeout"}))
def test_a_value_has_the_bounds_of_its_setting(name: str) -> None:
    schema = schema_of(name)

    assert bounds(ServeSettings.model_fields[name]) == f"from {schema['minimum']} to {schema['maximum']}"


@pytest.mark.parametrize("name", ["log_format", "log_level"])
def test_a_value_has_the_words_of_its_setting(name: str) -> None:
    assert schema_of(name)["enum"] == list(get_args(ServeSettings.model_fields[name].annotation))


def test_the_settings_are_read_as_the_values_say_and_have_the_same_defaults_except_for_the_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in environment({}).items():
        monkeypatch.setenv(name, value)
    assert read(ServeSettings) == ServeSettings.model_construct(host="0.0.0.0")  # noqa: S104 - all addresses of the Pod

    given = values("watch")
    for name, value in environment(given).items():
        monkeypatch.setenv(name, value)
    kinds = [Kind(item["apiVersion"], item["kind"], item["resource"]) for item in given["watch"]["dependencies"]]
    assert read(ServeSettings).watch == Watch(
        pods=True,
        secrets=True,
        dependencies=tuple(kinds),
        expected_managers=tuple(given["expectedManagers"]),
        allowed_annotations=tuple(given["allowedAnnotations"]),
    )
