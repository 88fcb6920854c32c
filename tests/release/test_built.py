"""The files of a release: ``make release`` builds and tests them."""

import hashlib
import json
import os
import re
import subprocess
import sys
import tarfile
from fnmatch import fnmatch
from pathlib import Path

import helm_python as helm
import pytest
import yaml

from charts.rendering import CHART, RELEASE
from metahook.envtest.cluster import documents
from tests.docs.documents import ROOT
from tests.release.conftest import Built

pytestmark = pytest.mark.tools

OCI = "org.opencontainers.image."
LARGEST_IMAGE = 48 * 1024 * 1024
"""40 MiB were measured. A security update of a package is small, another package is not."""


def plain(text: object) -> str:
    """Return *text* without the commit, which the version has between releases, and what follows from it in URLs."""
    return re.sub(r"\.g[0-9a-f]{8}\b|(?<=[0-9a-f])-[0-9a-f]{8}\b", "", str(text))


def test_every_file_is_on_the_page(built: Built) -> None:
    page = (ROOT / "docs/contributing/release.md").read_text()
    section = page.partition("## What a release has")[2].partition("\n## ")[0]
    patterns = re.findall(r"`(.*?)`", "".join(re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)))

    assert [file for file in built.folder.iterdir() if not any(fnmatch(file.name, each) for each in patterns)] == []


@pytest.mark.parametrize("name", ["metahook", "myresource_operator"])
def test_the_source_distribution_builds_the_same_wheel(built: Built, tmp_path: Path, name: str) -> None:
    wheel = built.file(f"{name}-VERSION-py3-none-any.whl")
    with tarfile.open(built.file(f"{name}-VERSION.tar.gz")) as tar:
        tar.extractall(tmp_path, filter="data")
    (project,) = tmp_path.iterdir()
    committed = ["git", "log", "-1", "--format=%ct"]
    epoch = subprocess.run(committed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()

    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": epoch}
    subprocess.run(command, cwd=project, env=environment, check=True, capture_output=True)

    assert (tmp_path / wheel.name).read_bytes() == wheel.read_bytes()


def test_the_chart_is_accepted_and_names_the_image_of_the_release(built: Built) -> None:
    package = built.file("myresource-operator-*.tgz")
    with helm.Chart.load(package) as chart, helm.Chart.load(CHART) as ours:
        image = chart.values["image"]
        same = {**ours.values, "image": image}
        readme = next(file["data"] for file in chart.files if file["name"] == "README.md")
        rendered = chart.render({"metacontroller": {"check": False}}, name=RELEASE, namespace=RELEASE)
        expected = ours.render({"image": image, "metacontroller": {"check": False}}, name=RELEASE, namespace=RELEASE)

        assert plain(rendered) == plain(expected)
        assert chart.values == same
    assert f'`"{image["repository"]}"`' in str(readme)


def test_the_manifests_are_those_of_the_directory_with_the_image_of_the_release(built: Built) -> None:
    listed = yaml.safe_load((ROOT / "metacontroller/kustomization.yaml").read_text())["resources"]
    expected = [item for name in listed if name.endswith(".yaml") for item in documents(ROOT / "metacontroller" / name)]
    install = built.file("install.yaml")
    crds, made = documents(built.file("crds.yaml")), documents(install)
    images = re.findall(r"^ +image: (\S+)$", install.read_text(), re.MULTILINE)

    assert made[: len(crds)] == crds == documents(ROOT / "crds/mygroup.example.com_myresources.yaml")
    assert [plain((item["kind"], item["metadata"])) for item in made[len(crds) :]] == [
        plain((item["kind"], item["metadata"])) for item in expected
    ]
    assert [image.startswith(f"{built.image}{sign}") for image in images for sign in ":@"].count(True) == 1
    assert built.file("myresource.schema.json").read_bytes() == (ROOT / "crds/myresource.schema.json").read_bytes()


def test_the_image_archive_is_complete_and_attested_and_the_chart_and_the_manifests_name_its_digest(
    built: Built,
) -> None:
    file = built.file("myresource-operator-*-image.tar")
    with tarfile.open(file) as tar:
        files = {member.name: content.read() for member in tar if (content := tar.extractfile(member))}
    blobs = {name.rpartition("/")[2]: content for name, content in files.items() if name.startswith("blobs/")}
    digest = json.loads(files["index.json"])["manifests"][0]["digest"]
    listed = json.loads(blobs[digest.removeprefix("sha256:")])["manifests"]
    found = [json.loads(blobs[each["digest"].removeprefix("sha256:")]) for each in listed]
    types = [[each.get("annotations", {}).get("in-toto.io/predicate-type") for each in one["layers"]] for one in found]
    images = [one for one, names in zip(found, types, strict=True) if not any(names)]  # one for each architecture
    predicates = [{name.partition("/v")[0] for name in names} for names in types if any(names)]
    image = images[0]
    config = json.loads(blobs[image["config"]["digest"].removeprefix("sha256:")])
    labels = {key.removeprefix(OCI): value for key, value in config["config"]["Labels"].items() if key.startswith(OCI)}

    assert all(hashlib.sha256(content).hexdigest() == name for name, content in blobs.items())
    assert predicates == [{"https://spdx.dev/Document", "https://slsa.dev/provenance"}] * len(images)
    assert built.chart["image"]["digest"] == digest
    assert f"image: {built.image}@{digest}\n" in built.file("install.yaml").read_text()
    assert sum(each["size"] for each in image["layers"]) < LARGEST_IMAGE
    assert (labels["title"], labels["licenses"]) == (RELEASE, "Apache-2.0")
    assert file.name == f"{RELEASE}-{labels['version']}-image.tar"
    assert re.fullmatch("[0-9a-f]{40}", labels["revision"])
