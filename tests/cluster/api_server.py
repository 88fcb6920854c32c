"""A small model of the API server: one namespace of objects that have versions and generations."""

import copy
import itertools
import json
import re
from typing import Any

from app.simulator.apiserver import server_side_apply
from app.simulator.apiserver.stored import stored
from app.simulator.objects import text

Json = dict[str, Any]
Id = tuple[str, str]
"""Kind and name."""

WITHOUT_GENERATION = {"Service", "ConfigMap"}


class RefusedError(Exception):
    """Raised when a write is refused: the object is there already, or a field that can't change would."""


def identity(item: Json) -> Id:
    """Return the kind and the name of *item*."""
    return item["kind"], item["metadata"]["name"]


class ApiServer:
    """Objects by kind and name. Every write tells whether it changed anything."""

    def __init__(self) -> None:
        self.objects: dict[Id, Json] = {}
        self._applied: dict[Id, Json] = {}
        self._versions = itertools.count(1)

    def get(self, kind: str, name: str) -> Json | None:
        """Return a copy of an object, or None."""
        return copy.deepcopy(self.objects.get((kind, name)))

    def all(self, kind: str) -> list[Json]:
        """Return copies of all objects of *kind*."""
        return [copy.deepcopy(item) for (seen, _), item in self.objects.items() if seen == kind]

    def put(self, item: Json) -> None:
        """Place *item* as it is, whatever is there."""
        old = self.objects.get(identity(item), {"metadata": {}})
        made = {
            "uid": f"uid-{item['metadata']['name']}",
            **item["metadata"],
            "resourceVersion": str(next(self._versions)),
        }
        kept = {"status": old["status"]} if "status" in old and "status" not in item else {}
        self.objects[identity(item)] = copy.deepcopy({**item, **kept, "metadata": made})

    def create(self, manifest: Json) -> None:
        """Store a new object."""
        if identity(manifest) in self.objects:
            message = "already exists"
            raise RefusedError(message)
        version = next(self._versions)
        made: Json = {"uid": f"uid-{version}", "creationTimestamp": "2026-01-31T11:00:00Z"}
        if manifest["kind"] not in WITHOUT_GENERATION:
            made["generation"] = 1
        clean = stored(manifest)
        metadata = {**made, **clean["metadata"], "resourceVersion": str(version)}
        self.objects[identity(manifest)] = {**clean, "metadata": metadata}

    def update(self, item: Json) -> bool:
        """Store *item* (but for its status) over what is there, as whoever is not the manager that applies."""
        changed = self._replace({**item, "status": self.objects[identity(item)].get("status", {})})
        if identity(item) in self._applied:
            live = self.objects[identity(item)]
            self._applied[identity(item)] = server_side_apply.still_owned(self._applied[identity(item)], live)
            self._note(identity(item))
        return changed

    def apply(self, manifest: Json) -> bool:
        """Apply *manifest* as the one manager, by force; make the object if it is not there."""
        key = identity(manifest)
        live = self.objects.get(key)
        manifest = _as_yaml(manifest)
        if live is None:
            self.create(manifest)
        else:
            self._check_owner(live, manifest)
        changed = live is None or self._replace(server_side_apply.apply(live, self._applied.get(key), manifest))
        self._applied[key] = copy.deepcopy(manifest)
        self._note(key)
        return changed

    def put_status(self, item: Json) -> bool:
        """Store the status of *item* over the one that is there."""
        live = self.objects[identity(item)]
        return self._replace({**live, "status": item["status"]})

    def delete(self, kind: str, name: str) -> None:
        """Remove an object."""
        self.objects.pop((kind, name), None)
        self._applied.pop((kind, name), None)

    def _replace(self, item: Json) -> bool:
        live = self.objects[identity(item)]
        new = stored(item)
        if live.get("status") is None and not new.get("status"):
            new.pop("status", None)
        if item["kind"] == "Deployment" and _selector(live) not in (None, _selector(new)):
            message = "spec.selector: field is immutable"
            raise RefusedError(message)
        if new["kind"] == "Deployment" and _torn(new.get("spec", {}).get("strategy", {})):
            message = "spec.strategy.rollingUpdate: may not be specified when strategy type is Recreate"
            raise RefusedError(message)
        if text(new) == text(live):
            return False
        generation = {"generation": live["metadata"]["generation"] + 1} if _moved(live, new) else {}
        version = {"resourceVersion": str(next(self._versions))}
        self.objects[identity(item)] = {**new, "metadata": {**new["metadata"], **generation, **version}}
        return True

    def _check_owner(self, live: Json, manifest: Json) -> None:
        owners = {owner["uid"] for owner in live["metadata"].get("ownerReferences", []) if owner.get("controller")}
        if owners - {owner["uid"] for owner in manifest["metadata"].get("ownerReferences", [])}:
            message = "only one reference can have controller set to true"
            raise RefusedError(message)

    def _note(self, key: Id) -> None:
        managed = server_side_apply.managed_fields(self._applied[key])
        self.objects[key]["metadata"]["managedFields"] = managed


def _as_yaml(manifest: Json) -> Json:
    """Return *manifest* as an apply reads it: as YAML, which knows no control characters, and folds a next line."""
    if re.search("[\x7f-\x84\x86-\x9f\ufffe\uffff]", text(manifest)):
        message = "control characters are not allowed"
        raise RefusedError(message)
    read: Json = json.loads(text(manifest).replace("\x85", " "))
    return read


def _torn(strategy: Json) -> bool:
    return strategy.get("type") == "Recreate" and "rollingUpdate" in strategy


def _selector(deployment: Json) -> Json | None:
    found: Json | None = deployment.get("spec", {}).get("selector")
    return found


def _moved(live: Json, new: Json) -> bool:
    """Tell whether *new* is another generation: another spec, or for a Deployment also other annotations."""
    if "generation" not in live["metadata"]:
        return False
    annotated = live["kind"] == "Deployment" and live["metadata"].get("annotations") != new["metadata"].get(
        "annotations"
    )
    return annotated or text(live.get("spec")) != text(new.get("spec"))
