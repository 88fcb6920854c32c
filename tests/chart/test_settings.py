"""The chart's values and the operator's settings have the same names, such as maxBody and MYRESOURCE_MAX_BODY."""

import re

import helm_python as helm
import pytest
import yaml

from app.core.watch import Watch
from app.settings import PREFIX, CallerSettings, LimitSettings, LogSettings, Settings, read, variable_of
from charts.rendering import CHART, rendered
from charts.values_table import documented, leaves
from metahook import Kind
from tests.chart.sets import SETS, Json, the, values

TEXT = (CHART / "values.yaml").read_text()
VALUES = set(leaves(yaml.safe_load(TEXT), documented(TEXT)))

LATER = {
    *LimitSettings.model_fields,
    *CallerSettings.model_fields,
    *LogSettings.model_fields,
    "drain",
    "stop_timeout",
} - {"max_body"}
FIXED = {"port", "health_port", *LATER}
"""The chart's Service and probes have these ports."""
NOT_IN_A_CLUSTER = {"record", "record_limit", "record_values", "dev"}
"""A recording needs a writable volume; docs/record.md says how to add one. Development mode logs the status."""


def environment(given: Json) -> dict[str, str]:
    (hook,) = the("Deployment", given)["spec"]["template"]["spec"]["containers"]
    return {item["name"]: item["value"] for item in hook["env"]}


def value_of(name: str) -> str:
    """Return the path of the value that sets the setting *name*: watch_pods is watch.pods, and max_body is maxBody."""
    group, _, rest = name.partition("_")
    return f"watch.{rest}" if group == "watch" else re.sub("_(.)", lambda found: found[1].upper(), name)


@pytest.mark.parametrize("name", sorted(set(Settings.model_fields) - FIXED - NOT_IN_A_CLUSTER))
def test_a_setting_is_a_value_of_the_chart_and_a_variable_of_the_hook(name: str) -> None:
    assert value_of(name) in VALUES
    assert variable_of(name) in environment(values("watch"))


@pytest.mark.parametrize("name", sorted(NOT_IN_A_CLUSTER))
def test_a_setting_that_is_not_for_clusters_is_no_value_of_the_chart(name: str) -> None:
    assert value_of(name) not in VALUES
    with pytest.raises(helm.HelmValuesError):
        rendered({value_of(name): True})


@pytest.mark.parametrize("name", SETS)
def test_the_hook_of_the_chart_is_never_in_development_mode(name: str) -> None:
    (hook,) = the("Deployment", values(name))["spec"]["template"]["spec"]["containers"]

    assert hook["args"] == ["serve"]
    assert variable_of("max_body") in environment(values(name))
    assert variable_of("dev") not in environment(values(name))


def test_the_hook_gets_no_variable_that_is_not_a_setting() -> None:
    given = {name for name in environment(values("watch")) if name.startswith(PREFIX)}

    assert given <= {variable_of(name) for name in Settings.model_fields}


def test_what_is_watched_has_no_value_without_a_setting() -> None:
    assert {value for value in VALUES if value.startswith("watch.")} <= {
        value_of(name) for name in Settings.model_fields
    }


def test_the_chart_and_the_settings_have_the_same_defaults_except_for_the_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in environment({}).items():
        monkeypatch.setenv(name, value)

    assert read(Settings) == Settings.model_construct(host="0.0.0.0")  # noqa: S104 - all addresses of the Pod


def test_the_settings_are_read_as_the_values_say(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in environment(values("watch")).items():
        monkeypatch.setenv(name, value)
    kinds = [
        Kind(item["apiVersion"], item["kind"], item["resource"]) for item in values("watch")["watch"]["dependencies"]
    ]

    assert read(Settings).watch == Watch(pods=True, secrets=True, dependencies=tuple(kinds))


def test_a_setting_that_the_chart_forgets_would_be_found() -> None:
    assert value_of("slow_after") == "slowAfter"
    assert value_of("slow_after") not in VALUES
    assert variable_of("slow_after") not in environment(values("watch"))
