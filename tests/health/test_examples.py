"""The examples that install the operator with Argo CD and Flux: fields, order, and values of the chart."""

import pytest
import yaml

from charts.rendering import rendered
from tests.docs.documents import ROOT
from tests.health.statuses import Json
from tests.schemas.fields import unknown_fields

FILES = ["argo-cd/operator.yaml", "flux/operator.yaml", "flux/applications.yaml"]


def documents(file: str) -> list[Json]:
    return list(yaml.safe_load_all((ROOT / "examples" / file).read_text()))


ITEMS = [item for file in FILES for item in documents(file)]


def find(kind: str, name: str) -> Json:
    (found,) = (item for item in ITEMS if (item["kind"], item["metadata"]["name"]) == (kind, name))
    return found


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: f"{item['kind']}-{item['metadata']['name']}")
def test_an_object_has_the_fields_of_its_kind(item: Json) -> None:
    assert unknown_fields(item) == []
    assert unknown_fields({**item, "spec": {**item["spec"], "wiat": True}}) == ["spec.wiat"]


@pytest.mark.parametrize(
    "values",
    [
        find("Application", "myresource-operator")["spec"]["source"]["helm"]["valuesObject"],
        find("HelmRelease", "myresource-operator")["spec"]["values"],
    ],
    ids=["Argo CD", "Flux"],
)
def test_the_values_are_those_of_the_chart(values: Json) -> None:
    assert values["image"]["repository"] in rendered(values)["deployment.yaml"]


def test_the_chart_is_in_the_directory_that_the_examples_name() -> None:
    paths = {
        find("Application", "myresource-operator")["spec"]["source"]["path"],
        find("HelmRelease", "myresource-operator")["spec"]["chart"]["spec"]["chart"],
    }

    assert [(ROOT / path / "Chart.yaml").exists() for path in paths] == [True]


def test_the_operator_comes_after_metacontroller_in_the_release_of_the_pages() -> None:
    waves = [
        int(find("Application", name)["metadata"]["annotations"]["argocd.argoproj.io/sync-wave"])
        for name in ("metacontroller", "myresource-operator")
    ]

    assert waves == sorted(set(waves))
    assert find("HelmRelease", "myresource-operator")["spec"]["dependsOn"] == [{"name": "metacontroller"}]
    assert find("Kustomization", "applications")["spec"]["dependsOn"] == [{"name": "operator"}]


def test_metacontroller_has_the_version_of_the_install_page() -> None:
    versions = {
        find("Application", "metacontroller")["spec"]["source"]["targetRevision"],
        find("OCIRepository", "metacontroller")["spec"]["ref"]["tag"],
    }
    (version,) = versions

    assert f"--version {version} " in (ROOT / "docs/clusters/install.md").read_text()
