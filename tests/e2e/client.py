"""A client of the API server, with the requests that a user makes with kubectl."""

import json
import ssl
import time
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from metahook.simulator.objects import Json


class Served(NamedTuple):
    """The API path of a kind."""

    base: str
    resource: str
    namespaced: bool = True


_REGISTRATION = "/apis/admissionregistration.k8s.io/v1"

KINDS = {
    "MyResource": Served("/apis/mygroup.example.com/v1alpha1", "myresources"),
    "Deployment": Served("/apis/apps/v1", "deployments"),
    "ReplicaSet": Served("/apis/apps/v1", "replicasets"),
    "Service": Served("/api/v1", "services"),
    "Pod": Served("/api/v1", "pods"),
    "MyBackup": Served("/apis/example.com/v1", "mybackups"),
    "Note": Served("/apis/example.com/v1", "notes"),
    "Event": Served("/api/v1", "events"),
    "ConfigMap": Served("/api/v1", "configmaps"),
    "Secret": Served("/api/v1", "secrets"),
    "LimitRange": Served("/api/v1", "limitranges"),
    "ResourceQuota": Served("/api/v1", "resourcequotas"),
    "ServiceAccount": Served("/api/v1", "serviceaccounts"),
    "NetworkPolicy": Served("/apis/networking.k8s.io/v1", "networkpolicies"),
    "PodDisruptionBudget": Served("/apis/policy/v1", "poddisruptionbudgets"),
    "Namespace": Served("/api/v1", "namespaces", namespaced=False),
    "CustomResourceDefinition": Served("/apis/apiextensions.k8s.io/v1", "customresourcedefinitions", namespaced=False),
    "Role": Served("/apis/rbac.authorization.k8s.io/v1", "roles"),
    "RoleBinding": Served("/apis/rbac.authorization.k8s.io/v1", "rolebindings"),
    "Lease": Served("/apis/coordination.k8s.io/v1", "leases"),
    "ClusterRole": Served("/apis/rbac.authorization.k8s.io/v1", "clusterroles", namespaced=False),
    "ClusterRoleBinding": Served("/apis/rbac.authorization.k8s.io/v1", "clusterrolebindings", namespaced=False),
    "CompositeController": Served("/apis/metacontroller.k8s.io/v1alpha1", "compositecontrollers", namespaced=False),
    "PriorityClass": Served("/apis/scheduling.k8s.io/v1", "priorityclasses", namespaced=False),
    "MutatingAdmissionPolicy": Served(_REGISTRATION, "mutatingadmissionpolicies", namespaced=False),
    "MutatingAdmissionPolicyBinding": Served(_REGISTRATION, "mutatingadmissionpolicybindings", namespaced=False),
    "ValidatingAdmissionPolicy": Served(_REGISTRATION, "validatingadmissionpolicies", namespaced=False),
    "ValidatingAdmissionPolicyBinding": Served(_REGISTRATION, "validatingadmissionpolicybindings", namespaced=False),
}

MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
JSON_PATCH = "application/json-patch+json"
TABLE = "application/json;as=Table;g=meta.k8s.io;v=v1"
APPLY = "application/apply-patch+yaml"


class Refused(Exception):
    """Raised if the API server rejects a request."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status
        self.message = message


_TIMEOUT = httpx.Timeout(30, read=60)


def with_token(url: str, token: str, certificate: Path) -> httpx.Client:
    """Return an HTTP client that authenticates with *token* and trusts *certificate*."""
    context = ssl.create_default_context(cafile=str(certificate))
    headers = {"Authorization": f"Bearer {token}"}
    return httpx.Client(base_url=url, headers=headers, verify=context, timeout=_TIMEOUT, trust_env=False)


def at_socket(socket: Path) -> httpx.Client:
    """Return an HTTP client for the *socket* of a proxy that authenticates its requests."""
    transport = httpx.HTTPTransport(uds=str(socket))
    return httpx.Client(base_url="http://localhost", transport=transport, timeout=_TIMEOUT, trust_env=False)


class Client:
    """The requests of one user; *http* authenticates them, by a token or a socket."""

    def __init__(self, http: httpx.Client) -> None:
        self.http = http
        self.acted = 0.0
        """Time of the last write of this user."""

    def get(self, kind: str, namespace: str, name: str) -> Json | None:
        """Return an object, or None if there is none."""
        try:
            return self._request("GET", path(kind, namespace, name))
        except Refused as refused:
            if refused.status == httpx.codes.NOT_FOUND:
                return None
            raise

    def all(self, kind: str, namespace: str = "", **query: str) -> list[Json]:
        """Return all objects of *kind*, in *namespace* or in all of them."""
        found: list[Json] = self._request("GET", path(kind, namespace), params=query)["items"]
        return found

    def table(self, kind: str, namespace: str, name: str) -> list[dict[str, Any]]:
        """Return the columns and values that ``kubectl get`` prints for an object."""
        found = self._request("GET", path(kind, namespace, name), headers={"Accept": TABLE})
        columns = [(at, item) for at, item in enumerate(found["columnDefinitions"]) if item["priority"] == 0]
        return [{item["name"].upper(): row["cells"][at] for at, item in columns} for row in found["rows"]]

    def create(self, item: Json, *, dry_run: bool = False, strict: bool = True, manager: str = "tests") -> Json:
        """Create *item* as the field *manager*. If *strict*, an unknown field is an error; otherwise it is dropped."""
        query = {"fieldValidation": "Strict" if strict else "Ignore", "fieldManager": manager}
        query |= {"dryRun": "All"} if dry_run else {}
        where = path(item["kind"], item["metadata"].get("namespace", ""))
        return self._request("POST", where, params=query, json=item)

    def replace(self, item: Json) -> Json:
        """Replace an object by *item*."""
        where = path(item["kind"], item["metadata"].get("namespace", ""), item["metadata"]["name"])
        return self._request("PUT", where, json=item)

    def apply(self, item: Json) -> Json:
        """Apply *item* as ``kubectl apply --server-side`` does."""
        where = path(item["kind"], item["metadata"].get("namespace", ""), item["metadata"]["name"])
        return self._patch(where, item, APPLY, {"fieldManager": "kubectl", "force": "true"})

    def change(
        self,
        kind: str,
        namespace: str,
        name: str,
        change: Json | list[Json],
        *,
        how: str = MERGE,
        part: str = "",
        manager: str = "",
    ) -> Json:
        """Patch an object or a *part* such as ``/status`` as the field *manager*; null removes a field."""
        query = {"fieldManager": manager} if manager else {}
        return self._patch(path(kind, namespace, name) + part, change, how, query)

    def delete(self, kind: str, namespace: str, name: str, policy: str = "Background") -> None:
        """Delete an object; *policy* is Background, Foreground or Orphan."""
        self._request("DELETE", path(kind, namespace, name), json={"propagationPolicy": policy})

    def _patch(self, where: str, change: Json | list[Json], how: str, query: dict[str, str]) -> Json:
        return self._request("PATCH", where, params=query, content=json.dumps(change), headers={"Content-Type": how})

    def _request(self, method: str, where: str, **how: Any) -> Json:
        response = self.http.request(method, where, **how)
        if method != "GET":
            self.acted = time.time()
        body: Json = response.json()
        if response.is_error:
            raise Refused(response.status_code, body.get("message", ""))
        return body


def path(kind: str, namespace: str = "", name: str = "") -> str:
    """Return the API path of the objects of *kind*, or of the one named *name*."""
    served = KINDS[kind]
    inside = f"/namespaces/{namespace}" if namespace and served.namespaced else ""
    return f"{served.base}{inside}/{served.resource}" + (f"/{name}" if name else "")
