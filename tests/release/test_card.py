"""The card of the chart at Artifact Hub: what Helm and Artifact Hub read of it."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from app.api.crd import crd
from metahook.cli.files.documents import as_yaml
from release.card import card, pages_url
from release.source import CHART, Source
from tests.cli.command import call
from tests.docs.documents import ROOT
from toolkit.programs import find_or_skip

PAGES = "https://git.example.com/team/operator/-/blob/HEAD/docs"
SOURCE = Source(ROOT, "0.3.0", "abc", 0, "registry.example.com/operator", "linux/amd64,linux/arm64")
PREVIEW = Source(ROOT, "0.4.0-dev.0.gabc", "abc", 0, "registry.example.com/operator")
DIGEST = f"sha256:{'1' * 64}"


def annotations(source: Source) -> dict[str, Any]:
    """Return the values of the annotations, by the part of the name after the slash."""
    found = card(source, DIGEST, PAGES)["annotations"]
    return {name.removeprefix("artifacthub.io/"): yaml.safe_load(text) for name, text in found.items()}


def test_it_has_the_kind_and_examples_that_a_cluster_accepts(tmp_path: Path) -> None:
    (kind,) = annotations(SOURCE)["crds"]
    file = tmp_path / "examples.yaml"
    file.write_text("---\n".join(map(as_yaml, annotations(SOURCE)["crdsExamples"])))

    assert (kind["kind"], kind["name"]) == (crd()["spec"]["names"]["kind"], crd()["metadata"]["name"])
    assert kind["version"] in [each["name"] for each in crd()["spec"]["versions"]]
    assert call("validate", str(file)).code == 0


def test_it_has_the_image_with_its_architectures_if_it_was_built_for_several() -> None:
    image = {"name": "hook", "image": f"registry.example.com/operator:0.3.0@{DIGEST}"}

    assert annotations(SOURCE)["images"] == [{**image, "platforms": ["linux/amd64", "linux/arm64"]}]
    assert annotations(PREVIEW)["images"][0].keys() == image.keys()
    assert (annotations(SOURCE)["prerelease"], annotations(PREVIEW)["prerelease"]) == (False, True)


@pytest.mark.parametrize("source", [SOURCE, PREVIEW], ids=["release", "preview"])
def test_a_change_is_the_first_sentence_of_an_item_of_the_changelog(source: Source) -> None:
    changes = annotations(source)["changes"]

    assert {each["kind"] for each in changes} <= {"added", "changed", "deprecated", "removed", "fixed", "security"}
    assert len(changes) > 10
    assert [each for each in changes if not each["description"] or re.search(r"[`*\n]|\]\(", each["description"])] == []


def test_its_addresses_are_those_of_the_repository_if_that_is_known() -> None:
    found = card(SOURCE, "", PAGES)

    assert [found["home"]] == found["sources"] == ["https://git.example.com/team/operator"]
    assert found["icon"] == "https://git.example.com/team/operator/-/raw/HEAD/website/logo.svg"
    assert card(SOURCE, "", "").keys() == {"annotations"}
    assert (ROOT / "website/logo.svg").exists()
    assert pages_url(ROOT) in ("", *re.findall("https://.*/blob/HEAD/docs", pages_url(ROOT)))


def test_helm_accepts_and_packages_the_chart_with_it(tmp_path: Path) -> None:
    helm = find_or_skip("helm")
    shutil.copytree(ROOT / CHART, tmp_path / "myresource-operator")
    with (tmp_path / "myresource-operator/Chart.yaml").open("a") as file:
        yaml.safe_dump(card(SOURCE, DIGEST, PAGES), file)

    for command in (["lint", "--strict", "myresource-operator"], ["package", "myresource-operator"]):
        ended = subprocess.run([helm, *command], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stdout
        assert "icon" not in ended.stdout  # which lint recommends
