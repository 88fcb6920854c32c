"""The files of a release: ``make release`` builds and tests them."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from fnmatch import fnmatch
from pathlib import Path

import helm_python as helm
import pytest
import yaml

from app import __version__
from charts.rendering import CHART, RELEASE
from metahook.envtest.manifests import documents
from tests.docs.documents import ROOT
from tests.release.conftest import Built
from toolkit.programs import find_or_skip

pytestmark = pytest.mark.tools

OCI = "org.opencontainers.image."
LARGEST_IMAGE = 48 * 1024 * 1024
"""40 MiB were measured. A security update of a package is small, another package is not."""
CHECK = ["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"]


def head(form: str) -> str:
    """Return what git prints about the last commit in the format *form*."""
    command = ["git", "log", "-1", f"--format={form}"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def test_every_file_has_its_checksum_and_is_on_the_page(built: Built) -> None:
    page = (ROOT / "docs/contributing/release.md").read_text()
    section = page.partition("## What a release has")[2].partition("\n## ")[0]
    patterns = re.findall(r"`(.*?)`", "".join(re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)))
    files = {file.name for file in built.folder.iterdir()}

    assert set(built.checksums) == files - {"SHA256SUMS"}
    subprocess.run(CHECK, cwd=built.folder, check=True)
    assert [file for file in files if not any(fnmatch(file, pattern) for pattern in patterns)] == []


def test_a_second_build_has_the_same_checksums(built: Built, tmp_path: Path) -> None:
    options = [f"--repository={built.image}", f"--folder={tmp_path}", *built.definition["externalParameters"]["parts"]]
    subprocess.run([sys.executable, "-m", "release", *options], cwd=ROOT, check=True, capture_output=True)

    assert Built(tmp_path).checksums == built.checksums


def test_the_provenance_names_the_commit_and_every_file(built: Built) -> None:
    sources = {item["uri"]: item["digest"] for item in built.definition["resolvedDependencies"]}
    subjects = {item["name"]: item["digest"]["sha256"] for item in built.provenance["subject"]}
    lock = hashlib.sha256((ROOT / "requirements/run.txt").read_bytes()).hexdigest()

    assert subjects == {name: digest for name, digest in built.checksums.items() if name != "provenance.json"}
    assert {"gitCommit": head("%H")} in sources.values()
    assert sources["file:requirements/run.txt"] == {"sha256": lock}


@pytest.mark.parametrize("name", ["metahook", "myresource_operator"])
def test_the_source_distribution_builds_the_same_wheel(built: Built, tmp_path: Path, name: str) -> None:
    built.need("wheels")
    wheel = built.file(f"{name}-VERSION-py3-none-any.whl")
    with tarfile.open(built.file(f"{name}-VERSION.tar.gz")) as tar:
        tar.extractall(tmp_path, filter="data")
    (project,) = tmp_path.iterdir()

    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": head("%ct")}
    subprocess.run(command, cwd=project, env=environment, check=True, capture_output=True)

    assert (tmp_path / wheel.name).read_bytes() == wheel.read_bytes()


def test_the_chart_is_accepted_and_names_the_image_of_the_release(built: Built) -> None:
    built.need("chart")
    package = built.file("myresource-operator-VERSION.tgz")
    with helm.Chart.load(package) as chart, helm.Chart.load(CHART) as ours:
        image = chart.values["image"]
        same = {**ours.values, "image": image}
        readme = next(file["data"] for file in chart.files if file["name"] == "README.md")
        rendered = chart.render({"metacontroller": {"check": False}}, name=RELEASE, namespace=RELEASE)
        expected = ours.render({"image": image, "metacontroller": {"check": False}}, name=RELEASE, namespace=RELEASE)

        assert rendered == expected
        assert chart.values == same
    assert image["repository"] == built.image
    assert f'`"{built.image}"`' in str(readme)


def test_the_manifests_are_those_of_the_directory_with_the_image_of_the_release(built: Built) -> None:
    built.need("manifests")
    listed = yaml.safe_load((ROOT / "metacontroller/kustomization.yaml").read_text())["resources"]
    expected = [item for name in listed if name.endswith(".yaml") for item in documents(ROOT / "metacontroller" / name)]
    crds = documents(built.file("crds.yaml"))
    made = documents(built.file("install.yaml"))
    images = re.findall(r"^ +image: (\S+)$", built.file("install.yaml").read_text(), re.MULTILINE)

    assert made[: len(crds)] == crds == documents(ROOT / "crds/mygroup.example.com_myresources.yaml")
    assert [(item["kind"], item["metadata"]) for item in made[len(crds) :]] == [
        (item["kind"], item["metadata"]) for item in expected
    ]
    assert [image.startswith(f"{built.image}{sign}") for image in images for sign in ":@"].count(True) == 1


def test_the_bill_of_materials_has_every_locked_package_and_both_distributions(built: Built) -> None:
    built.need("sbom")
    bom = json.loads(built.file("myresource-operator-VERSION-sbom.cdx.json").read_text())
    components = {item["name"].replace("_", "-"): item["version"] for item in bom["components"]}
    locked = re.findall(r"^([\w.-]+)==(\S+)(?: \\)?$", (ROOT / "requirements/run.txt").read_text(), re.MULTILINE)

    assert (bom["bomFormat"], bom["specVersion"]) == ("CycloneDX", "1.6")
    assert bom["metadata"]["component"]["version"] == built.version
    assert components == {**dict(locked), "metahook": __version__}


def test_the_image_archive_is_complete_and_the_chart_and_the_manifests_name_its_digest(built: Built) -> None:
    built.need("image")
    with tarfile.open(built.file("myresource-operator-VERSION-image.tar")) as tar:
        files = {member.name: file.read() for member in tar if (file := tar.extractfile(member))}
    (manifest,) = json.loads(files["index.json"])["manifests"]
    blobs = {name.rpartition("/")[2]: content for name, content in files.items() if name.startswith("blobs/")}

    assert all(hashlib.sha256(content).hexdigest() == name for name, content in blobs.items())
    assert manifest["digest"].removeprefix("sha256:") in blobs
    with helm.Chart.load(built.file("myresource-operator-VERSION.tgz")) as chart:
        assert chart.values["image"]["digest"] == manifest["digest"]
    assert f"image: {built.image}@{manifest['digest']}\n" in built.file("install.yaml").read_text()
    assert sum(map(len, blobs.values())) < LARGEST_IMAGE
    image = json.loads(blobs[json.loads(blobs[manifest["digest"].removeprefix("sha256:")])["config"]["digest"][7:]])
    labels = {key.removeprefix(OCI): value for key, value in image["config"]["Labels"].items() if key.startswith(OCI)}
    assert (labels["title"], labels["version"], labels["licenses"]) == (RELEASE, built.version, "Apache-2.0")
    assert re.fullmatch("[0-9a-f]{40}", labels["revision"])
    assert labels["created"] == image["created"]


def test_the_signature_of_the_chart_is_one_that_helm_verifies(
    built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built.need("chart")
    find_or_skip("gpg")
    (script,) = re.findall(
        r"^```bash\n(.*?)^```$", (ROOT / "docs/contributing/release.md").read_text(), re.DOTALL | re.MULTILINE
    )
    home, ring = tmp_path / "home", tmp_path / "ring.gpg"
    home.mkdir(mode=0o700)
    monkeypatch.setenv("GNUPGHOME", str(home))
    chart = Path(shutil.copy(built.file("myresource-operator-VERSION.tgz"), tmp_path))
    make_key = ["gpg", "--batch", "--passphrase", "", "--quick-generate-key", "release@mygroup.example.com"]
    sign = ["bash", "-e", "-c", f"version={built.version}\n{script}"]
    try:
        for command in (make_key, sign, ["gpg", "--output", str(ring), "--export"]):
            subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    finally:
        subprocess.run(["gpgconf", "--kill", "all"], check=True)  # noqa: S607 - it is where its user has it

    helm.verify(chart, ring)
    with chart.open("ab") as file:
        file.write(b" ")
    with pytest.raises(helm.HelmError):
        helm.verify(chart, ring)
