"""The rendered chart equals the golden files, and is valid for Kubernetes and the CRDs that it uses."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import helm_python as helm
import kubernetes_validate
import pytest

from charts.rendering import CHART
from charts.version import VERSION
from tests.chart.differences import differences
from tests.chart.sets import HERE, SETS, Json, objects, texts, the, values
from tests.schemas import kubernetes
from tests.schemas.fields import FIELDS, unknown_fields

OLDEST, NEWEST = "1.34", "1.36"


def rendered(given: Json | None = None) -> dict[str, str]:
    """Return the text of each template without the CRD, which test_made.py compares."""
    return {path: text for path, text in texts(given).items() if path != "crd.yaml"}


def golden_file(name: str) -> Path:
    return HERE / ("golden/default.yaml" if name == "default" else f"golden/{name}.diff")


def golden(name: str) -> str:
    """Return what the golden file of the value set *name* must hold: what differs from the default."""
    if name == "default":
        return "---\n".join(f"# Source: {path}\n{text.strip()}\n" for path, text in rendered().items())
    return differences(rendered(), rendered(values(name)))


@pytest.mark.parametrize("name", SETS)
def test_a_value_set_renders_to_its_golden_file(name: str, request: pytest.FixtureRequest) -> None:
    file, content = golden_file(name), golden(name)
    if request.config.getoption("--update-golden"):
        file.write_text(content)

    assert content == file.read_text()


def test_there_is_one_golden_file_for_each_value_set() -> None:
    assert set((HERE / "golden").iterdir()) == {golden_file(name) for name in SETS}


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        pytest.param("replicas: 2", "replicas: 3", ["- spec.replicas: 2", "+ spec.replicas: 3"], id="changed"),
        pytest.param("  replicas: 2\n", "", ["- spec.replicas: 2"], id="removed"),
        pytest.param("replicas: 2", "replicas: 2\n  paused: true", ["+ spec.paused: true"], id="added"),
    ],
)
def test_a_changed_field_is_a_difference(old: str, new: str, lines: list[str]) -> None:
    before = rendered()
    after = {**before, "deployment.yaml": before["deployment.yaml"].replace(old, new)}

    assert differences(before, after).splitlines() == ["# Changed: deployment.yaml", *lines]


@pytest.mark.parametrize("name", SETS)
def test_helm_lint_passes(name: str) -> None:
    report = helm.lint(CHART, values(name), strict=True)

    assert report["errors"] == []
    assert [found for found in report["messages"] if found["severity"] > 1] == []


def test_helm_lint_fails_for_an_unknown_value() -> None:
    assert helm.lint(CHART, {"replicas": 2}, strict=True)["errors"]


def validate(item: Json, version: str) -> None:
    _validate(json.dumps(item), item["kind"], version)


@cache
def _validate(item: str, kind: str, version: str) -> None:
    """Validate *item*, which is JSON. It is cached, because most objects are the same in most value sets."""
    if kind in FIELDS:
        assert unknown_fields(json.loads(item)) == []
    else:
        kubernetes.validate(json.loads(item), version)


@pytest.mark.parametrize("version", [OLDEST, NEWEST])
@pytest.mark.parametrize("name", SETS)
def test_every_object_is_valid(name: str, version: str) -> None:
    for item in objects(values(name)):
        if (
            item["kind"] != "CustomResourceDefinition" or name == "default"
        ):  # the CRD is large, and the same in all value sets
            validate(item, version)


def test_all_alerts_together_are_valid() -> None:
    validate(the("PrometheusRule", {"metrics": {"rules": {"enabled": True}}}), NEWEST)


@pytest.mark.parametrize(
    ("name", "kind", "path"),
    [
        pytest.param("default", "Deployment", ["spec", "template", "spec"], id="a Pod"),
        pytest.param("default", "NetworkPolicy", ["spec"], id="a policy"),
        pytest.param("admission-policy", "ValidatingAdmissionPolicy", ["spec"], id="an admission policy"),
        pytest.param("default", "CompositeController", ["spec"], id="a controller"),
        pytest.param("default", "CompositeController", ["spec", "hooks", "sync"], id="a hook"),
        pytest.param("monitor", "ServiceMonitor", ["spec", "endpoints", 0], id="an endpoint of a Service"),
        pytest.param("pod-monitor", "PodMonitor", ["spec", "selector"], id="a selector of Pods"),
    ],
)
def test_an_unknown_field_is_invalid(name: str, kind: str, path: list[str | int]) -> None:
    item = the(kind, values(name))
    inner: Any = item
    for key in path:
        inner = inner[key]
    inner["typo"] = "x"

    with pytest.raises((kubernetes_validate.ValidationError, AssertionError)):
        validate(item, NEWEST)


def test_the_charts_version_is_that_of_the_package() -> None:
    with helm.Chart.load(CHART) as chart:
        assert (chart.version, chart.metadata["appVersion"]) == (VERSION, VERSION)


def test_the_chart_needs_the_kubernetes_that_the_crd_needs() -> None:
    with helm.Chart.load(CHART) as chart:
        assert chart.metadata["kubeVersion"] == f">={OLDEST}.0-0"
