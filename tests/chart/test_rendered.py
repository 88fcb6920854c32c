"""The rendered chart equals the golden files, and is valid for Kubernetes and the CRDs that it uses."""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import helm_python as helm
import kubernetes_validate
import pytest
import yaml

from charts.rendering import CHART
from charts.version import VERSION
from tests.chart.pod_security import OF_CONTAINERS, violations
from tests.chart.sets import HERE, SETS, Json, objects, texts, the, values
from tests.schemas import kubernetes
from tests.schemas.fields import FIELDS, unknown_fields

OLDEST, NEWEST = "1.34", "1.36"


Templates = dict[str, str]
"""The text of each rendered template, by its path."""

REVISION = re.compile(re.escape(f"{VERSION}-") + "[0-9a-f]{8}")


def differences(before: Templates, after: Templates) -> str:
    """Return what changed in each object: fields as lines with ``-`` and ``+``, and an added object in full."""
    old, new = _objects(before), _objects(after)
    sections = []
    for key in sorted(old.keys() | new.keys()):
        if key not in new:
            sections.append(f"# Removed: {key}\n")
        elif key not in old:
            sections.append(f"# Added: {key}\n{new[key]}\n")
        else:
            was, becomes = (list(fields(yaml.safe_load(text))) for text in (old[key], new[key]))
            changed = [f"- {line}\n" for line in was if line not in becomes]
            changed += [f"+ {line}\n" for line in becomes if line not in was]
            # The old value of a field comes right before its new one.
            changed.sort(key=lambda line: (line[2:].partition(": ")[0], line.startswith("+")))
            sections += ["".join([f"# Changed: {key}\n", *changed])] if changed else []
    return "\n".join(sections)


def fields(value: Any, path: str = "") -> Iterator[str]:
    """Yield a line for each field of *value*: its path, and its value as JSON."""
    if value and isinstance(value, dict):
        for key, inner in value.items():
            yield from fields(inner, f"{path}.{key}" if path else key)
    elif value and isinstance(value, list):
        for place, inner in enumerate(value):
            name = inner.get("name") if isinstance(inner, dict) else None
            yield from fields(inner, f"{path}[{place if name is None else name}]")
    else:
        yield f"{path}: {json.dumps(value, ensure_ascii=False)}"


def _objects(templates: Templates) -> dict[str, str]:
    """Return the text of each object by its template, and by its place in it if it is not the first.

    Names are no keys, because values change them. What changes with each release has the same word in all.
    """
    found = {}
    for template, text in templates.items():
        normalised = REVISION.sub("REVISION", text).replace(VERSION, "VERSION")
        documents = [document.strip() for document in re.split(r"^---$", normalised, flags=re.MULTILINE)]
        for place, document in enumerate(filter(None, documents)):
            found[f"{template} {place + 1}" if place else template] = document
    return found


def rendered(given: Json | None = None) -> dict[str, str]:
    """Return the text of each template without the CRD, which test_made.py compares."""
    return {path: text for path, text in texts(given).items() if path != "crd.yaml"}


def golden_file(name: str) -> Path:
    return HERE / ("golden/default.yaml" if name == "default" else f"golden/{name}.diff")


@pytest.mark.parametrize("name", SETS)
def test_a_value_set_renders_to_its_golden_file(name: str, request: pytest.FixtureRequest) -> None:
    """That of a set other than the default holds what differs from the default."""
    content = differences(rendered(), rendered(values(name)))
    if name == "default":
        content = "---\n".join(f"# Source: {path}\n{text.strip()}\n" for path, text in rendered().items())
    if request.config.getoption("--update-golden"):
        golden_file(name).write_text(content)

    assert content == golden_file(name).read_text()


def test_there_is_one_golden_file_for_each_value_set() -> None:
    assert set((HERE / "golden").iterdir()) == {golden_file(name) for name in SETS}


def test_a_changed_field_is_a_difference() -> None:
    before = rendered()
    text = before["deployment.yaml"].replace("replicas: 2", "replicas: 3\n  paused: true")

    assert differences(before, {**before, "deployment.yaml": text}).splitlines() == [
        "# Changed: deployment.yaml",
        "+ spec.paused: true",
        "- spec.replicas: 2",
        "+ spec.replicas: 3",
    ]


def test_helm_lint_passes() -> None:
    report = helm.lint(CHART, strict=True)

    assert report["errors"] == []
    assert [found for found in report["messages"] if found["severity"] > 1] == []


def validate(item: Json, version: str) -> None:
    _validate(json.dumps(item), item["kind"], version)


@cache
def _validate(item: str, kind: str, version: str) -> None:
    """Validate *item*, which is JSON. It is cached, because most objects are the same in most value sets."""
    if kind in FIELDS:
        assert unknown_fields(json.loads(item)) == []
    else:
        kubernetes.validate(json.loads(item), version)


@pytest.mark.parametrize("name", SETS)
def test_every_object_is_valid_and_every_pod_is_restricted(name: str) -> None:
    made = objects(values(name))
    pods = [each["spec"].get("template", each)["spec"] for each in made if each["kind"] in {"Deployment", "Pod"}]

    for item in made:
        # The CRD is large, and the same in all value sets.
        for version in () if item["kind"] == "CustomResourceDefinition" and name != "default" else (OLDEST, NEWEST):
            validate(item, version)
    assert len(pods) == 2
    for pod in pods:
        assert violations(pod) == []
        assert pod["automountServiceAccountToken"] is False
        for container in pod["containers"]:
            assert container["securityContext"]["readOnlyRootFilesystem"] is True
            assert "memory" in container["resources"]["limits"]


@pytest.mark.parametrize(
    ("of_pod", "of_container", "problem"),
    [
        ({"hostPID": True}, {}, "hostPID"),
        ({"volumes": [{"name": "x", "hostPath": {"path": "/"}}]}, {}, "x"),
        ({"securityContext": {}}, {}, "runAsNonRoot"),
        ({}, {"securityContext": {**OF_CONTAINERS, "privileged": True}}, "privileged"),
        ({}, {"securityContext": {**OF_CONTAINERS, "runAsUser": 0}}, "runAsUser"),
        ({}, {"ports": [{"containerPort": 80, "hostPort": 80}]}, "hostPort"),
    ],
    ids=str,
)
def test_a_pod_that_is_not_restricted_is_found(of_pod: Json, of_container: Json, problem: str) -> None:
    good = the("Deployment")["spec"]["template"]["spec"]
    pod = {**good, **of_pod, "containers": [{**good["containers"][0], **of_container}]}

    assert problem in violations(pod)


def test_all_alerts_together_are_valid() -> None:
    validate(the("PrometheusRule", {"metrics": {"rules": {"enabled": True}}}), NEWEST)


@pytest.mark.parametrize(
    ("name", "kind", "field"),
    [
        ("default", "Deployment", "template"),
        ("admission-policy", "ValidatingAdmissionPolicy", "matchConstraints"),
        ("default", "CompositeController", "hooks"),
        ("pod-monitor", "PodMonitor", "selector"),
    ],
)
def test_an_unknown_field_is_invalid(name: str, kind: str, field: str) -> None:
    item = the(kind, values(name))
    item["spec"][field]["typo"] = "x"

    with pytest.raises((kubernetes_validate.ValidationError, AssertionError)):
        validate(item, NEWEST)


def test_the_chart_has_the_version_of_the_package_and_needs_the_kubernetes_that_the_crd_needs() -> None:
    with helm.Chart.load(CHART) as chart:
        assert (chart.version, chart.metadata["appVersion"]) == (VERSION, VERSION)
        assert chart.metadata["kubeVersion"] == f">={OLDEST}.0-0"
    for page in (CHART / "README.md", CHART.parents[1] / "docs/clusters/install.md"):
        assert f"`--kube-version {OLDEST}.0`" in page.read_text()
