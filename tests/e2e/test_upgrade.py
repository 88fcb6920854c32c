"""An upgrade from 0.3.0, the previous version, and the way back, with the commands of docs/clusters/upgrade.md."""

import io
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from app.api.names import GROUP, KIND, PLURAL, SHORT_NAME
from metahook.envtest.client import Refused
from metahook.envtest.cluster import documents, establish
from metahook.envtest.process import Process, answers, free_port
from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Json
from release.names import Names
from release.rename import Words, rename_files
from tests.docs.commands import commands
from tests.e2e.audit import Done
from tests.e2e.bare_cluster import BareCluster, running
from tests.e2e.installed import ROOT
from tests.e2e.namespace import Namespace
from tests.e2e.watched import BACKUPS, CRD

COMMIT = "dbc03c73"
"""The source of 0.3.0."""

INSTALL = (
    "helm install myresource-operator charts/myresource-operator --namespace myresource-operator --create-namespace "
    "--set image.repository=registry.example.com/myresource-operator,"
    "watch.dependencies[0].apiVersion=example.com/v1,watch.dependencies[0].resource=mybackups,"
    "watch.dependencies[0].kind=MyBackup --wait"
)
UPGRADE = (
    "helm upgrade myresource-operator charts/myresource-operator --namespace myresource-operator "
    "--reset-then-reuse-values --set image.tag=$version --wait"
)
ROLLBACK = "helm rollback myresource-operator --namespace myresource-operator --wait"
CHART_CRD = "charts/myresource-operator/files/crd.yaml"
ADDED = "restartedAt"
"""A field that the upgrade adds, whatever the versions are."""


def crd_of_chart(root: Path) -> Json:
    """Return the CRD in the chart of the source in *root*."""
    (crd,) = documents(root / CHART_CRD)
    return crd


def fields(crd: Json) -> Json:
    """Return the schemas of the fields of the spec in *crd*, by name."""
    found: Json = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    return found


@pytest.fixture(name="source", scope="module")
def _source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the source of 0.3.0 under the names of this clone; skip if it does not have the commit.

    Its CRD lacks the field ADDED and the rules of another, so that an upgrade brings both.
    """
    command = ["git", "archive", COMMIT]
    archive = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    if archive.returncode:
        pytest.skip(f"this clone lacks the commit {COMMIT} of 0.3.0: run git fetch --unshallow")
    folder = tmp_path_factory.mktemp("source")
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
        tar.extractall(folder, filter="data")
    paths = [str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()]
    rename_files(folder, paths, Words(Names(GROUP, KIND, PLURAL, SHORT_NAME, "myresource-operator")))
    crd = crd_of_chart(folder)
    del fields(crd)[ADDED]
    del fields(crd)["memory"]["x-kubernetes-validations"]
    (folder / CHART_CRD).write_text(yaml.safe_dump(crd))
    return folder


@pytest.fixture(name="previous", scope="module")
def _previous(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the URL of the hook of 0.3.0, which runs with the packages of this environment."""
    port, health = free_port(), free_port()
    kind = f"{BACKUPS.api_version}/{BACKUPS.plural}/{BACKUPS.kind}"
    options = [f"--port={port}", f"--health-port={health}", f"--watch-dependency={kind}"]
    hook = Process(
        "previous",
        ["env", f"PYTHONPATH={source / 'metahook/src'}", sys.executable, "-m", "app", "serve", *options],
        tmp_path_factory.mktemp("previous"),
        lambda: answers(f"http://127.0.0.1:{health}/readyz"),
        cwd=source,
    )
    try:
        hook.start()
        yield f"http://127.0.0.1:{port}"
    finally:
        hook.stop()


@pytest.fixture(name="bare")
def _bare(previous: str, mode: Mode, tmp_path: Path) -> Iterator[BareCluster]:
    """Return a cluster in which Metacontroller calls the hook of 0.3.0."""
    with running(mode, tmp_path) as bare:
        bare.proxy.target = previous
        establish(bare.cluster.client, [CRD])
        yield bare


class Workloads:
    """The examples of 0.3.0, all Ready."""

    def __init__(self, here: Namespace, source: Path) -> None:
        self._here = here
        self.names = [self._make(item) for file in sorted(source.glob("examples/*.yaml")) for item in documents(file)]
        self.wait_until_ready()
        self._pods = self._observed()

    def _make(self, item: Json) -> str:
        """Create *item* and what it uses, and return its name."""
        made: Json = {**item, "metadata": {**item["metadata"], "namespace": self._here.name}}
        made["spec"].pop("minReadySeconds", None)  # the test would wait for that long, too
        made["spec"].pop(ADDED, None)
        self._here.needs(made)
        self._here.client.create(made)
        name: str = made["metadata"]["name"]
        return name

    def wait_until_ready(self) -> None:
        """Wait until all are Ready and nothing changes."""
        self._here.wait_until_quiet()  # otherwise it could find a status from before the change
        for name in self.names:
            self._here.wait_for_status("Ready", "Available", name)
        self._here.wait_until_quiet()

    def synced(self) -> Done:
        """Cause one more sync of each, wait until nothing changes, and return the requests of Metacontroller."""
        done = self._here.since()
        for name in self.names:
            version = self._here.get("MyResource", name)["metadata"]["resourceVersion"]
            self._here.edit("MyResource", {"metadata": {"annotations": {"example.com/touched": version}}}, name)
        self._here.eventually(lambda: all(done.looked_at(name) for name in self.names))
        self.wait_until_ready()
        return done

    def restarted(self) -> set[str]:
        """Return the names of those whose Pods were replaced since the last call."""
        before, self._pods = self._pods, self._observed()
        return {name for name in self.names if before[name] != self._pods[name]}

    def _observed(self) -> dict[str, set[str]]:
        return {name: self._here.pods(name) for name in self.names}


def sync_errors(here: Namespace) -> list[str]:
    """Return the messages of the Events about failed syncs."""
    return [event["message"] for event in here.client.all("Event", here.name) if event["reason"] == "SyncError"]


def test_the_page_has_the_commands_of_the_upgrade() -> None:
    assert {UPGRADE, ROLLBACK} <= {*commands("docs/clusters/upgrade.md")}


def test_an_upgrade_and_a_rollback_restart_no_pods_and_lose_no_call(
    bare: BareCluster, source: Path, previous: str
) -> None:
    this = bare.cluster.url
    bare.shell(source).run(INSTALL)
    bare.cluster.control_plane.controllers.restart()  # the controllers would discover the kind late
    here = Namespace(bare.cluster, "default")
    workloads = Workloads(here, source)
    here.ready("scarce", memory=100)

    def live() -> set[str]:
        return {*fields(here.client.get("CustomResourceDefinition", "", f"{PLURAL}.{GROUP}") or {})}

    old, new = ({*fields(crd_of_chart(root))} for root in (source, ROOT))
    assert live() == old != new
    bare.shell().run(UPGRADE)  # all replicas of the hook are still those of 0.3.0
    assert live() == new
    workloads.synced()
    bare.proxy.target = this
    workloads.synced()
    assert workloads.synced().writes == []
    here.change("scarce", replicas=2)  # the rule that its memory violates blocks neither this nor its status
    here.wait_until_ready("scarce")
    with pytest.raises(Refused, match="a container does not start with less"):
        here.change("scarce", memory=101)

    bare.shell(source).run(ROLLBACK)
    assert live() == old
    bare.proxy.target = previous
    workloads.synced()
    assert workloads.synced().writes == []
    assert workloads.restarted() == set()
    assert sync_errors(here) == []

    bare.proxy.misbehaves = "500"  # of every second request
    for _ in range(2):
        here.touched()
    here.eventually(lambda: sync_errors(here) != [])  # so an error would have been seen
    bare.proxy.misbehaves = ""
    changed = workloads.names[0]
    here.edit("MyResource", {"spec": {"podMetadata": {"annotations": {"example.com/changed": "1"}}}}, changed)
    workloads.wait_until_ready()
    assert workloads.restarted() == {changed}  # so a restart would have been seen
