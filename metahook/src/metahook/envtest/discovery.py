"""Discovery: which kinds the API server serves, and at which paths."""

from collections.abc import Iterator
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
