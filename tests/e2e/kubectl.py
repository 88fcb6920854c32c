"""The kubectl commands of the pages, as requests. The default namespace is ``default``."""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from metahook.envtest.client import MERGE, STRATEGIC, Client, Refused
from metahook.envtest.manifests import documents
from metahook.simulator.objects import Json
from tests.e2e.statuses import condition
from toolkit.waiting import eventually

PATIENCE = 90
"""Timeout of a command in seconds."""

_NAMES = {
    "myresources": "MyResource",
    "deployments": "Deployment",
    "services": "Service",
    "pods": "Pod",
    "configmaps": "ConfigMap",
    "secrets": "Secret",
    "namespaces": "Namespace",
    "crds": "CustomResourceDefinition",
    "compositecontrollers": "CompositeController",
}


Files = dict[str, list[Json]]
"""The objects in files, by file name."""


class Kubectl:
    """Runs commands in the directory *root*; *files* are those that the reader of a page writes."""

    def __init__(self, client: Client, root: Path, files: Files) -> None:
        self._client = client
        self._root = root
        self._files = files

    def apply(self, *, f: str = "", k: str = "", **_: str) -> None:
        """Apply the objects of a file, or of a directory with a kustomization."""
        for item in self._items(f) if f else self._kustomized(k):
            self._client.apply(self._placed(item))

    def create(self, *, f: str) -> None:
        """Create the objects of a file."""
        for item in self._items(f):
            self._client.create(self._placed(item))

    def wait(self, target: str, **options: str) -> None:
        """Wait for a condition."""
        kind, name = _target(target)
        wanted = options["for"].removeprefix("condition=")
        _until(lambda: condition(self._client.get(kind, "default", name) or {}, wanted).get("status") == "True")

    def rollout(self, what: str, target: str, *, n: str, **_: str) -> None:
        """Wait until the rollout of a Deployment is complete."""
        assert what == "status"
        kind, name = _target(target)
        _until(lambda: _rolled_out(self._client.get(kind, n, name) or {}))

    def get(self, *target: str, o: str = "", **_: str) -> str:
        """Return a table of an object, its uid, or all objects of a kind as JSON."""
        kind, name = _target(*target)
        if o == "json":
            version = self._client.discovery.served(kind).base.removeprefix("/apis/")
            items = [{**item, "kind": kind, "apiVersion": version} for item in self._client.all(kind)]
            return json.dumps({"items": items})
        if o == "jsonpath={.metadata.uid}":
            return str((self._client.get(kind, "default", name) or {})["metadata"]["uid"])
        (row,) = self._client.table(kind, "default", name)
        return "\n".join(("   ".join(row), "   ".join(map(str, row.values()))))

    def label(self, *arguments: str, **options: str) -> None:
        """Set a label, and overwrite its value."""
        *target, label = arguments
        kind, name = _target(*target)
        key, _, value = label.partition("=")
        assert "overwrite" in options or kind == "Namespace"
        self._client.change(kind, "default", name, {"metadata": {"labels": {key: value}}})

    def patch(self, *target: str, p: str, n: str = "default", field_manager: str = "kubectl-patch", **how: str) -> None:
        """Patch an object, with the patch type in *how* (default strategic)."""
        kind, name = _target(*target)
        media = MERGE if how.get("type") == "merge" else STRATEGIC
        self._client.change(kind, n, name, json.loads(p), how=media, manager=field_manager)

    def delete(self, *target: str, k: str = "", cascade: str = "background", **_: str) -> None:
        """Delete an object, all of a kind, or those of a directory, and wait until they are gone."""
        items = [(item["kind"], item["metadata"]) for item in self._kustomized(k)] if k else self._named(*target)
        places = [(kind, metadata.get("namespace", ""), metadata["name"]) for kind, metadata in items]
        for place in places:
            with suppress(Refused):  # its namespace or its CRD is already deleted
                self._client.delete(*place, policy=cascade.capitalize())
        _until(lambda: all(self._client.get(*place) is None for place in places))

    def _named(self, *target: str) -> list[tuple[str, Json]]:
        kind, name = _target(*target)
        if not name:
            return [(kind, item["metadata"]) for item in self._client.all(kind)]
        return [(kind, {"name": name, "namespace": "default"})]

    def _items(self, file: str) -> list[Json]:
        return self._files.get(file) or documents(self._root / file)

    def _placed(self, item: Json) -> Json:
        """Return *item* with the namespace that kubectl adds."""
        if self._client.discovery.of(item).namespaced:
            return {**item, "metadata": {"namespace": "default", **item["metadata"]}}
        return item

    def _kustomized(self, folder: str) -> list[Json]:
        (made,) = documents(self._root / folder / "kustomization.yaml")
        paths = [f"{folder}/{resource}" for resource in made["resources"]]
        return [
            item
            for path in paths
            for item in (documents(self._root / path) if path.endswith(".yaml") else self._kustomized(path))
        ]


def _until(holds: Callable[[], bool]) -> None:
    assert eventually(holds, PATIENCE, pause=0.1), "the command takes too long"


def _target(*words: str) -> tuple[str, str]:
    """Return the kind and the name of ``kind/name`` or ``kind name``."""
    resource, _, name = "/".join(words).partition("/")
    return next(kind for known, kind in _NAMES.items() if known in (resource, f"{resource}s")), name


def _rolled_out(item: Json) -> bool:
    """Return whether the rollout is complete, as ``kubectl rollout status`` decides."""
    status, replicas = item.get("status", {}), item.get("spec", {}).get("replicas")
    counts = [status.get(name) for name in ("replicas", "updatedReplicas", "availableReplicas")]
    return counts == [replicas] * 3 and status.get("observedGeneration") == item["metadata"]["generation"]
