"""An emulated cluster with what Helm reads before an installation: discovery and single objects, read only."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import helm_python as helm

from charts.rendering import CHART, RELEASE

Json = dict[str, Any]

CRD_VERSION = "apiextensions.k8s.io/v1"
CRDS = f"/apis/{CRD_VERSION}/customresourcedefinitions"
SECRETS = f"/api/v1/namespaces/{RELEASE}/secrets"
DISCOVERY = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

KINDS = {
    "v1": ["ConfigMap", "Namespace", "Pod", "Secret", "Service", "ServiceAccount"],
    "admissionregistration.k8s.io/v1": ["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"],
    CRD_VERSION: ["CustomResourceDefinition"],
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
    spec = {"versions": [{"name": "v1", "schema": schema}]}
    metadata = {"name": name}
    return {"apiVersion": CRD_VERSION, "kind": "CustomResourceDefinition", "metadata": metadata, "spec": spec}


NAME = "compositecontrollers.metacontroller.k8s.io"
FIELDS = ("ignoreStatusChanges", "responseUnMarshallMode", "endpointConfigs")
NEW = crd(NAME, *FIELDS)
"""That of Metacontroller 4.17."""
OURS = crd("myresources.mygroup.example.com")


def _discovery(version: str, kinds: dict[str, list[str]]) -> dict[str, Json | None]:
    """Return what Helm reads of a cluster: resources for lookup, and groups for each object that it would create."""
    found: dict[str, Json | None] = {}
    groups: list[Json] = []
    for api_version, names in kinds.items():
        group, _, of_group = api_version.rpartition("/")
        plain, aggregated = [], []
        for kind in names:
            plural = (kind[:-1] + "ies" if kind.endswith("y") else kind + "s").lower()
            is_namespaced = kind not in WITHOUT_NAMESPACE
            plain.append({"name": plural, "kind": kind, "namespaced": is_namespaced, "verbs": ["get"]})
            known = {"group": group, "version": of_group, "kind": kind}
            scope = "Namespaced" if is_namespaced else "Cluster"
            aggregated.append({"resource": plural, "responseKind": known, "scope": scope, "verbs": ["get"]})
        path = f"/{'apis' if group else 'api'}/{api_version}"
        found[path] = {"kind": "APIResourceList", "groupVersion": api_version, "resources": plain}
        groups.append({"metadata": {"name": group}, "versions": [{"version": of_group, "resources": aggregated}]})
    lists = {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2"}
    return found | {
        "/version": {"major": "1", "minor": version.split(".")[1], "gitVersion": f"v{version}"},
        "/api": {**lists, "items": groups[:1]},
        "/apis": {**lists, "items": groups[1:]},
        "/openapi/v2": None,  # an empty document: nothing is validated here
    }


@contextmanager
def serving(answer: Callable[[str], tuple[int, str, bytes]]) -> Iterator[str]:
    """Serve what *answer* returns for the path of a GET: status, content type, and body; yield the address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, content_type, body = answer(self.path.partition("?")[0])
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=[0.02], daemon=True).start()
        try:
            yield f"127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


@contextmanager
def cluster(
    version: str = "1.34.0", *, crds: list[Json], backups: bool = False, secrets: list[Json] | None = None
) -> Iterator[str]:
    """Serve a cluster of Kubernetes *version* with *crds* and *secrets*, and with MyBackups if *backups*; yield its
    address.
    """
    found = _discovery(version, KINDS | {"example.com/v1": ["MyBackup"] if backups else []})
    found["/api/v1/namespaces/kube-system"] = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "x"}}
    for path, items in ((CRDS, crds), (SECRETS, secrets or [])):
        found |= {f"{path}/{item['metadata']['name']}": item for item in items}
    missing = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}

    def answer(path: str) -> tuple[int, str, bytes]:
        item = found.get(path, missing)
        content_type = DISCOVERY if path in ("/api", "/apis") else "application/json"
        return 200 if path in found else 404, content_type, json.dumps(item).encode() if item else b""

    with serving(answer) as address:
        yield f"http://{address}"


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
