"""An emulated cluster with what Helm reads before an installation: discovery and single objects, read only."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import helm_python as helm

from charts.rendering import CHART, RELEASE

Json = dict[str, Any]

CRDS = "/apis/apiextensions.k8s.io/v1"
SECRETS = f"/api/v1/namespaces/{RELEASE}/secrets"
DISCOVERY = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

KINDS = {
    "v1": ["ConfigMap", "Namespace", "Pod", "Secret", "Service", "ServiceAccount"],
    "admissionregistration.k8s.io/v1": ["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"],
    "apiextensions.k8s.io/v1": ["CustomResourceDefinition"],
    "apps/v1": ["Deployment"],
    "autoscaling/v2": ["HorizontalPodAutoscaler"],
    "metacontroller.k8s.io/v1alpha1": ["CompositeController"],
    "monitoring.coreos.com/v1": ["PodMonitor", "PrometheusRule", "ServiceMonitor"],
    "networking.k8s.io/v1": ["NetworkPolicy"],
    "policy/v1": ["PodDisruptionBudget"],
    "rbac.authorization.k8s.io/v1": ["ClusterRole", "ClusterRoleBinding"],
}
WITHOUT_NAMESPACE = {
    *("Namespace", "CustomResourceDefinition", "CompositeController", "ClusterRole", "ClusterRoleBinding"),
    *("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"),
}


def crd(name: str, *fields: str) -> Json:
    """Return a CRD with *fields*."""
    schema = {"openAPIV3Schema": {"type": "object", "properties": {field: {"type": "object"} for field in fields}}}
    versions = [{"name": "v1", "schema": schema}]
    kind = "CustomResourceDefinition"
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": kind,
        "metadata": {"name": name},
        "spec": {"versions": versions},
    }


NAME = "compositecontrollers.metacontroller.k8s.io"
NEW = crd(NAME, "ignoreStatusChanges", "responseUnMarshallMode", "endpointConfigs")
"""That of Metacontroller 4.17."""
OURS = crd("myresources.mygroup.example.com")


def _plural(kind: str) -> str:
    return (kind[:-1] + "ies" if kind.endswith("y") else kind + "s").lower()


def _group(version: str, kinds: list[str]) -> Json:
    """Return a group of the aggregated discovery, which Helm reads for each object that it would create."""
    name, _, version = version.rpartition("/")
    resources = [
        {
            "resource": _plural(kind),
            "responseKind": {"group": name, "version": version, "kind": kind},
            "scope": "Cluster" if kind in WITHOUT_NAMESPACE else "Namespaced",
            "verbs": ["get"],
        }
        for kind in kinds
    ]
    return {"metadata": {"name": name}, "versions": [{"version": version, "resources": resources}]}


def _resources(version: str, kinds: list[str]) -> Json:
    """Return the resources of a group and version, which the function lookup of Helm reads."""
    resources = [
        {"name": _plural(kind), "kind": kind, "namespaced": kind not in WITHOUT_NAMESPACE, "verbs": ["get"]}
        for kind in kinds
    ]
    return {"kind": "APIResourceList", "groupVersion": version, "resources": resources}


def _discovery(version: str, kinds: dict[str, list[str]]) -> dict[str, Json | None]:
    found: dict[str, Json | None] = {
        ("/apis/" if "/" in each else "/api/") + each: _resources(each, kinds[each]) for each in kinds
    }
    groups = [_group(each, kinds[each]) for each in kinds]
    lists = {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2"}
    return found | {
        "/version": {"major": "1", "minor": version.split(".")[1], "gitVersion": f"v{version}"},
        "/api": {**lists, "items": groups[:1]},
        "/apis": {**lists, "items": groups[1:]},
        "/openapi/v2": None,  # an empty document: nothing is validated here
    }


@contextmanager
def cluster(
    version: str = "1.34.0", *, crds: list[Json], backups: bool = False, secrets: list[Json] | None = None
) -> Iterator[str]:
    """Serve a cluster of Kubernetes *version* with *crds* and *secrets*, and with MyBackups if *backups*; yield its
    address.
    """
    found = _discovery(version, KINDS | {"example.com/v1": ["MyBackup"] if backups else []})
    found["/api/v1/namespaces/kube-system"] = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "x"}}
    found |= {f"{CRDS}/customresourcedefinitions/{crd['metadata']['name']}": crd for crd in crds}
    found |= {f"{SECRETS}/{secret['metadata']['name']}": secret for secret in secrets or []}
    missing = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            answer = found.get(path, missing)
            body = json.dumps(answer).encode() if answer else b""
            self.send_response(200 if path in found else 404)
            self.send_header("Content-Type", DISCOVERY if path in ("/api", "/apis") else "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=[0.02], daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


def rendered_in(address: str, values: Json | None = None, chart: Path = CHART) -> Json:
    """Return the release of a dry-run installation of *chart* in the cluster at *address*, with its notes and its
    manifest; raise HelmReleaseError.
    """
    given = {"image": {"tag": "1"}, **(values or {})}  # between releases there is no default
    config = helm.Config(
        kube_apiserver=address,
        kubeconfig_content="apiVersion: v1\nkind: Config\n",
        namespace=RELEASE,
        storage_driver="memory",
        qps=1000,
        burst_limit=1000,
    )
    with config, helm.Chart.load(chart) as loaded:
        return config.install(loaded, RELEASE, given, namespace=RELEASE, dry_run="server")


def installing(address: str, values: Json | None = None, chart: Path = CHART) -> str:
    """Return the error of a dry-run installation of *chart* in the cluster at *address*, or ""."""
    try:
        rendered_in(address, values, chart)
    except helm.HelmReleaseError as error:
        return str(error)
    return ""
