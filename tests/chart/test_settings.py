"""The chart's values and the operator's settings have the same names, such as maxBody and MYRESOURCE_MAX_BODY."""

import pytest

from app.core.watch import Watch
from app.settings.option import read, variable_of
from app.settings.serve import ServeSettings
from charts.settings import FILES, FIXED, LIMITS, NOT_IN_A_CLUSTER, value_of
from metahook import Kind
from tests.chart.sets import VALUES, Json, refusal, the, values

SETTINGS = set(ServeSettings.model_fields)
WITH_A_VALUE = SETTINGS - FIXED - FILES - NOT_IN_A_CLUSTER


def environment(given: Json) -> dict[str, str]:
    (hook,) = the("Deployment", given)["spec"]["template"]["spec"]["containers"]
    return {item["name"]: item.get("value", "") for item in hook["env"]}


def test_each_setting_is_a_value_of_the_chart_and_a_variable_of_the_hook_unless_there_is_a_reason() -> None:
    lack_value = {name for name in WITH_A_VALUE if value_of(name) not in VALUES}
    lack_variable = {name for name in WITH_A_VALUE if variable_of(name) not in environment(values("watch"))}
    in_groups = {value for value in VALUES if value.startswith(("watch.", "limits."))}

    assert lack_value == set(), "add it to values.yaml, or run make generate"
    assert lack_variable == set(), "add it to _helpers.tpl, or a value to values/watch.yaml; or run make generate"
    assert FIXED | FILES | NOT_IN_A_CLUSTER | {*LIMITS} <= SETTINGS
    assert in_groups <= {value_of(name) for name in SETTINGS}
    assert not {value_of(name) for name in NOT_IN_A_CLUSTER} & set(VALUES)


@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_no_setting_can_be_set_by_a_variable_of_the_user(name: str) -> None:
    assert refusal({"extraEnv": [{"name": variable_of(name), "value": "1"}]})


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
