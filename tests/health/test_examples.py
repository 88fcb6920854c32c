"""The examples that install the operator with Argo CD and Flux: fields, order, and values of the chart."""

import pytest
import yaml

from charts.rendering import rendered
from tests.docs.documents import ROOT
from tests.health.statuses import Json
from tests.schemas.fields import unknown_fields

FILES = ["argo-cd/operator.yaml", "flux/operator.yaml", "flux/applications.yaml"]


ITEMS: list[Json] = [item for file in FILES for item in yaml.safe_load_all((ROOT / "examples" / file).read_text())]


def find(kind: str, name: str) -> Json:
    (found,) = (item for item in ITEMS if (item["kind"], item["metadata"]["name"]) == (kind, name))
    return found


APPLICATION, HELM_RELEASE = (find(kind, "myresource-operator")["spec"] for kind in ("Application", "HelmRelease"))


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: f"{item['kind']}-{item['metadata']['name']}")
def test_an_object_has_the_fields_of_its_kind(item: Json) -> None:
    assert unknown_fields(item) == []
    assert unknown_fields({**item, "spec": {**item["spec"], "wiat": True}}) == ["spec.wiat"]


@pytest.mark.parametrize(
    ("values", "chart"),
    [
        (APPLICATION["source"]["helm"]["valuesObject"], APPLICATION["source"]["path"]),
        (HELM_RELEASE["values"], HELM_RELEASE["chart"]["spec"]["chart"]),
    ],
    ids=["Argo CD", "Flux"],
)
def test_the_values_are_those_of_the_chart_in_the_directory_that_the_examples_name(values: Json, chart: str) -> None:
    assert values["image"]["repository"] in rendered(values)["deployment.yaml"]
    assert (ROOT / chart / "Chart.yaml").exists()


def test_the_operator_comes_after_metacontroller_in_the_release_of_the_pages() -> None:
    first, second = (find("Application", name) for name in ("metacontroller", "myresource-operator"))
    waves = [int(each["metadata"]["annotations"]["argocd.argoproj.io/sync-wave"]) for each in (first, second)]
    (version,) = {
        first["spec"]["source"]["targetRevision"],
        find("OCIRepository", "metacontroller")["spec"]["ref"]["tag"],
    }

    assert waves == sorted(set(waves))
    assert HELM_RELEASE["dependsOn"] == [{"name": "metacontroller"}]
    assert find("Kustomization", "applications")["spec"]["dependsOn"] == [{"name": "operator"}]
    assert f"--version {version} " in (ROOT / "docs/clusters/install.md").read_text()
