"""metahook.envtest: a real control plane for any hook. What a hook does on it is tested beside metahook/examples."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from metahook import ConfigMap, Controller, Secret, SyncRequest, SyncResponse
from metahook.envtest import Cluster, Ended, UnknownKind
from metahook.envtest.client import with_token

HEAD = {"apiVersion": "metacontroller.k8s.io/v1alpha1", "kind": "CompositeController"}


def files(folder: Path, kind: str, child: str) -> list[Path]:
    """Write the manifests of a controller whose parents are of *kind*; return their files, the CRD last."""
    plural = f"{kind.lower()}s"
    names = {"kind": kind, "plural": plural, "singular": kind.lower()}
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    version = {"name": "v1", "served": True, "storage": True, "subresources": {"status": {}}, "schema": schema}
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.example.com"},
        "spec": {"group": "example.com", "names": names, "scope": "Namespaced", "versions": [version]},
    }
    spec = {
        "generateSelector": True,
        "parentResource": {"apiVersion": "example.com/v1", "resource": plural},
        "childResources": [{"apiVersion": "v1", "resource": child, "updateStrategy": {"method": "InPlace"}}],
        "hooks": {"sync": {"version": "v2", "webhook": {"url": f"http://{plural}.default.svc/sync"}}},
    }
    manifests = {"composite": {**HEAD, "metadata": {"name": plural}, "spec": spec}, "crd": crd}
    for name, item in manifests.items():
        (folder / f"{name}-{plural}.yaml").write_text(yaml.safe_dump(item))
    return [folder / f"{name}-{plural}.yaml" for name in manifests]


def controller(struct: Any) -> Controller:
    """Return a controller that gives each parent a child of *struct*."""

    def sync(request: SyncRequest, now: object) -> SyncResponse:
        del now
        kind, metadata = struct.KIND, {"name": request.parent.name, "namespace": request.parent.namespace}
        child = {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata}
        return SyncResponse(status={"state": "Ready"}, children=[child])

    return Controller(sync=sync, children=(struct,))


def parent(kind: str) -> dict[str, Any]:
    return {"apiVersion": "example.com/v1", "kind": kind, "metadata": {"name": "it"}}


@pytest.fixture(name="started", scope="module")
def _started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with Cluster(tmp_path_factory.mktemp("envtest")) as cluster:
        yield cluster


def test_several_controllers_can_be_installed_one_after_the_other(started: Cluster, tmp_path: Path) -> None:
    started.install(controller(ConfigMap), *files(tmp_path, "First", "configmaps"))
    started.apply(parent("First"))
    started.wait_for(lambda: started.get("ConfigMap", "it"), "the ConfigMap of the first controller")

    started.install(controller(Secret), *files(tmp_path, "Second", "secrets"))
    started.apply(parent("Second"))
    started.wait_for(lambda: started.get("Secret", "it"), "the Secret of the second controller")

    for kind, child in (("First", "ConfigMap"), ("Second", "Secret")):
        started.delete(kind, "it")
        started.wait_for(lambda child=child: started.get(child, "it") is None, f"the {child} is collected")  # type: ignore[misc]  # a lambda's default has no type


def test_kinds_are_found_by_discovery(started: Cluster) -> None:
    assert started.list("Job.batch") == started.list("Job") == []
    assert started.get("Namespace", "default")
    assert started.client.discovery.served("Event").base == "/api/v1"
    assert started.client.discovery.served("Event.events.k8s.io").base == "/apis/events.k8s.io/v1"


def test_a_kind_that_is_not_served_is_an_error_and_no_empty_list(started: Cluster) -> None:
    with pytest.raises(UnknownKind, match="the API server serves no ConfigMaps"):
        started.list("ConfigMaps")


def test_a_kind_of_two_groups_needs_its_group(started: Cluster, tmp_path: Path) -> None:
    started.install(controller(ConfigMap), *files(tmp_path, "Lease", "configmaps"))

    with pytest.raises(UnknownKind, match=r"several: .*Lease\.example\.com"):
        started.list("Lease")
    assert started.list("Lease.example.com") == []


def test_a_wait_that_fails_shows_the_end_of_metacontrollers_log(started: Cluster) -> None:
    with pytest.raises(TimeoutError, match=r"^not within 0 s: a miracle; Metacontroller's log ends:\n(.|\n)*level"):
        started.wait_for(lambda: None, "a miracle", within=0.1)


def test_a_token_is_a_secret_of_the_run_in_files_of_this_user(started: Cluster) -> None:
    folder = started.kubeconfig.parent
    url = yaml.safe_load(started.kubeconfig.read_text())["clusters"][0]["cluster"]["server"]
    token = yaml.safe_load(started.kubeconfig.read_text())["users"][0]["user"]["token"]

    def code(token: str) -> int:
        with with_token(url, token, folder / "certificates/apiserver.crt") as http:
            return http.get("/api/v1/namespaces/default").status_code

    assert [code(token), code("admin"), code("controllers"), code("metacontroller")] == [200, 401, 401, 401]
    private = [file for file in folder.iterdir() if file.is_file() and token in file.read_text(errors="replace")]
    assert {file.name for file in private} == {"admin.kubeconfig", "tokens.csv"}
    assert [oct(file.stat().st_mode) for file in private] == ["0o100600"] * 2


def test_a_new_folder_is_readable_by_this_user_alone(tmp_path: Path) -> None:
    Cluster(tmp_path / "cluster")

    assert oct((tmp_path / "cluster").stat().st_mode) == "0o40700"


def test_everything_stops_with_the_block(tmp_path: Path) -> None:
    with Cluster(tmp_path) as cluster:
        running = cluster.metacontroller.pid
        assert os.path.exists(f"/proc/{running}")  # noqa: PTH110 - it is no file of ours
        assert (tmp_path / "kube-apiserver.log").exists()

    assert not os.path.exists(f"/proc/{running}")  # noqa: PTH110 - the same


def test_a_start_that_fails_stops_what_has_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "metacontroller"
    script.write_text("#!/bin/sh\necho no; exit 1\n")
    script.chmod(0o755)
    monkeypatch.setenv("METACONTROLLER_BIN", str(script))
    cluster = Cluster(tmp_path / "cluster")

    with pytest.raises(Ended, match="metacontroller-dynamic-apply does not serve; its log ends: no"), cluster:
        pass

    server = yaml.safe_load(cluster.kubeconfig.read_text())["clusters"][0]["cluster"]["server"]
    with pytest.raises(httpx.ConnectError):
        httpx.get(server, trust_env=False)
