"""A client of the API server, with the requests that a user makes with ``kubectl``.

Discovery says which kinds the API server serves, and at which paths.
"""

import json
import ssl
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from metahook.protocol.objects import Manifest

_AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


class UnknownKind(LookupError):
    """Raised for a kind that is not served, or that several groups have. The message says which groups."""


class Served(NamedTuple):
    """The API path of a kind, such as ``/apis/apps/v1`` and ``deployments``."""

    group: str
    base: str
    resource: str
    namespaced: bool


class Discovery:
    """The kinds of an API server, read again when a kind is not among them: a CRD may be new."""

    def __init__(self, http: httpx.Client) -> None:
        self._http = http
        self._kinds: dict[str, list[Served]] = {}

    def served(self, kind: str) -> Served:
        """Return where *kind* is served: ``ConfigMap``, or ``Job.batch`` with its group; raise UnknownKind.

        Without a group, a kind of the core group goes before those of others.
        """
        word, _, group = kind.partition(".")
        found = self._find(word, group)
        if not found:
            self._kinds = self._read()
            found = self._find(word, group)
        core = [served for served in found if not served.group]
        if len(core or found) != 1:
            groups = ", ".join(f"{word}.{served.group}" for served in found)
            message = f"the API server serves several: {groups}" if found else f"the API server serves no {kind}"
            raise UnknownKind(message)
        return (core or found)[0]

    def of(self, item: Manifest) -> Served:
        """Return where the kind of *item* is served; raise UnknownKind."""
        group, _, _ = item.get("apiVersion", "").rpartition("/")
        return self.served(f"{item['kind']}.{group}" if group else item["kind"])

    def _find(self, word: str, group: str) -> list[Served]:
        return [served for served in self._kinds.get(word, []) if group in ("", served.group)]

    def _read(self) -> dict[str, list[Served]]:
        kinds: dict[str, list[Served]] = {}
        for root in ("/api", "/apis"):
            response = self._http.get(root, headers={"Accept": _AGGREGATED})
            response.raise_for_status()
            for item in response.json()["items"]:
                for kind, served in _of_group(root, item):
                    kinds.setdefault(kind, []).append(served)
        return kinds


def _of_group(root: str, item: dict[str, Any]) -> Iterator[tuple[str, Served]]:
    """Yield the kinds of a group, each in the first version that has it, which is the preferred one."""
    group = item["metadata"].get("name", "")
    known = set()
    for version in item["versions"]:
        base = "/".join((root, *([group] if group else []), version["version"]))
        for resource in version.get("resources", []):
            kind = resource["responseKind"]["kind"]
            if kind not in known:
                known.add(kind)
                yield kind, Served(group, base, resource["resource"], resource["scope"] == "Namespaced")


MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"


class Refused(Exception):
    """Raised if the API server rejects a request: the HTTP *status*, and the *message* of the API server."""

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


class Client:
    """The requests of one user; *http* authenticates them, by a token or a socket.

    All of them raise Refused if the API server rejects them, and UnknownKind if it does not serve the kind.
    """

    def __init__(self, http: httpx.Client) -> None:
        self.http = http
        self.discovery = Discovery(http)
        self.acted = 0.0
        """Time of the last write of this user."""

    def get(self, kind: str, namespace: str, name: str) -> Manifest | None:
        """Return an object, or None if there is none."""
        try:
            return self._request("GET", self.path(kind, namespace, name))
        except Refused as refused:
            if refused.status == httpx.codes.NOT_FOUND:
                return None
            raise

    def all(self, kind: str, namespace: str = "", **query: str) -> list[Manifest]:
        """Return all objects of *kind*, in *namespace* or in all of them."""
        found: list[Manifest] = self._request("GET", self.path(kind, namespace), params=query)["items"]
        return found

    def create(
        self, item: Manifest, *, dry_run: bool = False, strict: bool = True, manager: str = "kubectl-create"
    ) -> Manifest:
        """Create *item* as the field *manager*. If *strict*, an unknown field is an error; otherwise it is dropped."""
        query = {"fieldValidation": "Strict" if strict else "Ignore", "fieldManager": manager}
        query |= {"dryRun": "All"} if dry_run else {}
        where = self.path_of(item, named=False)
        return self._request("POST", where, params=query, json=item)

    def replace(self, item: Manifest) -> Manifest:
        """Replace an object by *item*."""
        where = self.path_of(item)
        return self._request("PUT", where, json=item)

    def apply(self, item: Manifest) -> Manifest:
        """Apply *item* as ``kubectl apply --server-side`` does."""
        where = self.path_of(item)
        return self._patch(where, item, APPLY, {"fieldManager": "kubectl", "force": "true"})

    def change(  # noqa: PLR0913 - all that a patch has
        self,
        kind: str,
        namespace: str,
        name: str,
        change: Manifest,
        *,
        how: str = MERGE,
        part: str = "",
        manager: str = "",
    ) -> Manifest:
        """Patch an object or a *part* such as ``/status`` as the field *manager*; null removes a field."""
        query = {"fieldManager": manager} if manager else {}
        return self._patch(self.path(kind, namespace, name) + part, change, how, query)

    def delete(self, kind: str, namespace: str, name: str, policy: str = "Background") -> None:
        """Delete an object; *policy* is Background, Foreground or Orphan."""
        self._request("DELETE", self.path(kind, namespace, name), json={"propagationPolicy": policy})

    def path(self, kind: str, namespace: str = "", name: str = "") -> str:
        """Return the API path of the objects of *kind*, or of the one called *name*; raise UnknownKind."""
        return _path(self.discovery.served(kind), namespace, name)

    def path_of(self, item: Manifest, *, named: bool = True) -> str:
        """Return the API path of *item* in its own version, or of all in its namespace; raise UnknownKind."""
        served, metadata = self.discovery.of(item), item["metadata"]
        if version := item.get("apiVersion", "").rpartition("/")[2]:
            served = served._replace(base=f"{served.base.rpartition('/')[0]}/{version}")
        return _path(served, metadata.get("namespace", ""), metadata["name"] if named else "")

    def _patch(self, where: str, change: Manifest, how: str, query: dict[str, str]) -> Manifest:
        return self._request("PATCH", where, params=query, content=json.dumps(change), headers={"Content-Type": how})

    def _request(self, method: str, where: str, **how: Any) -> Manifest:  # noqa: ANN401 - the arguments of httpx
        response = self.http.request(method, where, **how)
        if method != "GET":
            self.acted = time.time()
        if response.is_error:
            raise Refused(response.status_code, _message(response))
        body: Manifest = response.json()
        return body


def _message(response: httpx.Response) -> str:
    """Return the message of an error, which is a Status or, before a request is handled (429, 503), plain text."""
    try:
        return str(response.json()["message"])
    except (ValueError, LookupError, TypeError):
        return response.text.strip()


def _path(served: Served, namespace: str, name: str) -> str:
    inside = f"/namespaces/{namespace}" if namespace and served.namespaced else ""
    return f"{served.base}{inside}/{served.resource}" + (f"/{name}" if name else "")
