"""docs/contributing/hook-on-your-laptop.md: its CompositeController is the chart's, with a label and an address."""

import re

import yaml

from metahook.envtest.manifests import documents
from metahook.simulator.objects import Json
from tests.docs.documents import ROOT

(TEXT,) = re.findall(
    r"^```yaml\n(.*?)^```$", (ROOT / "docs/contributing/hook-on-your-laptop.md").read_text(), re.DOTALL | re.MULTILINE
)


def without_what_the_page_names(item: Json) -> Json:
    """Return the spec of a CompositeController without label selector, URLs and timeouts."""
    spec: Json = item["spec"]
    spec["parentResource"].pop("labelSelector", None)
    for hook in spec["hooks"].values():
        del hook["webhook"]["url"], hook["webhook"]["timeout"]
    return spec


def test_laptop_yaml_differs_from_the_chart_only_in_what_the_page_says() -> None:
    (chart,) = documents(ROOT / "metacontroller/compositecontroller.yaml")

    assert without_what_the_page_names(yaml.safe_load(TEXT)) == without_what_the_page_names(chart)
