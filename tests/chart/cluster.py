"""An emulated cluster with what Helm reads before an installation: discovery and single objects, read only."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import helm_python as helm

from charts.rendering import CHART, RELEASE

Json = dict[str, Any]

CRDS = "/apis/apiextensions.k8s.io/v1"
VERSION = {"groupVersion": "apiextensions.k8s.io/v1", "version": "v1"}
OTHER = {"groupVersion": "example.com/v1", "version": "v1"}


def _resource(plural: str, kind: str, *, namespaced: bool) -> Json:
    return {"name": plural, "kind": kind, "namespaced": namespaced, "verbs": ["get"]}


def _discovery(version: str, *, backups: bool) -> dict[str, Json]:
    core = [_resource("namespaces", "Namespace", namespaced=False)]
    crds = [_resource("customresourcedefinitions", "CustomResourceDefinition", namespaced=False)]
    group = {"name": "apiextensions.k8s.io", "versions": [VERSION], "preferredVersion": VERSION}
    other = {"name": "example.com", "versions": [OTHER], "preferredVersion": OTHER}
    found = [_resource("mybackups", "MyBackup", namespaced=True)] if backups else []
    return {
        "/version": {"major": "1", "minor": version.split(".")[1], "gitVersion": f"v{version}"},
        "/api": {"kind": "APIVersions", "versions": ["v1"]},
        "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": [group, other]},
        "/apis/example.com/v1": {"kind": "APIResourceList", "groupVersion": "example.com/v1", "resources": found},
        "/api/v1": {"kind": "APIResourceList", "groupVersion": "v1", "resources": core},
        CRDS: {"kind": "APIResourceList", "groupVersion": "apiextensions.k8s.io/v1", "resources": crds},
    }


@contextmanager
def cluster(version: str = "1.34.0", *, crds: list[Json], backups: bool = False) -> Iterator[str]:
    """Serve a cluster of Kubernetes *version* with *crds*, and with MyBackups if *backups*; yield its address."""
    found = _discovery(version, backups=backups)
    found["/api/v1/namespaces/kube-system"] = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "x"}}
    found |= {f"{CRDS}/customresourcedefinitions/{crd['metadata']['name']}": crd for crd in crds}
    missing = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            body = json.dumps(found.get(path, missing)).encode()
            self.send_response(200 if path in found else 404)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


def installing(address: str, values: Json | None = None) -> str:
    """Return the output of Helm for a dry-run installation of the chart in the cluster at *address*."""
    config = helm.Config(
        kube_apiserver=address,
        kubeconfig_content="apiVersion: v1\nkind: Config\n",
        namespace=RELEASE,
        storage_driver="memory",
    )
    with config, helm.Chart.load(CHART) as chart:
        try:
            config.install(chart, RELEASE, values or {}, namespace=RELEASE, dry_run="server")
        except helm.HelmReleaseError as error:
            return str(error)
    return ""
