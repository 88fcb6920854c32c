"""A small model of what Metacontroller does with a hook's answers, so that tests can count what they cost.

Source: Metacontroller 4.17, pkg/controller/composite and pkg/controller/common, with the settings that
metacontroller/compositecontroller.yaml has: generateSelector, InPlace, hook version v2. Only the API requests for
children and status are modelled; its cache is never late.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from app.simulator.metacontroller.dynamic_apply import LAST_APPLIED, updated, with_last_applied
from app.simulator.objects import text
from tests.cluster.api_server import ApiServer, RefusedError, identity

Json = dict[str, Any]
Mode = Literal["dynamic-apply", "server-side-apply"]
MODES: tuple[Mode, Mode] = ("dynamic-apply", "server-side-apply")

CHILD_KINDS = {"Deployment": "apps/v1", "Service": "v1"}
PARENT = "MyResource"
_LABEL = "controller-uid"
_RESOURCES = {"services": "Service", "deployments": "Deployment", "configmaps": "ConfigMap"}


def _no_rules(_: bytes) -> bytes:
    return b'{"relatedResources": []}'


@dataclass
class Metacontroller:
    """Calls ``sync`` and does what it says to the API server, in one of the two modes."""

    api: ApiServer
    mode: Mode
    sync_hook: Callable[[bytes], bytes]
    customize_hook: Callable[[bytes], bytes] = _no_rules
    requests: list[str] = field(default_factory=list)
    """Every request that writes, or tries to, such as ``PUT Deployment web-deployment``."""
    changes: list[str] = field(default_factory=list)
    """Those that changed something."""
    refusals: list[str] = field(default_factory=list)
    _sent: dict[tuple[str, str], tuple[str, str, str]] = field(default_factory=dict)

    def sync(self, name: str) -> list[str]:
        """Sync the parent *name*; return the requests that it took."""
        parent = self.api.get(PARENT, name)
        done = len(self.requests)
        if parent is None:
            return []
        observed = self._claimed(parent)
        answer = json.loads(self.sync_hook(self._body(parent, observed)))
        if "deletionTimestamp" not in parent["metadata"]:
            self._manage(parent, observed, [_labelled(child, parent) for child in answer.get("children") or []])
        self._write_status(parent, answer.get("status") or {})
        return self.requests[done:]

    def restart(self) -> None:
        """Forget what was sent, as a new process."""
        self._sent.clear()

    def _body(self, parent: Json, observed: list[Json]) -> bytes:
        customized = json.loads(self.customize_hook(text({"controller": {}, "parent": parent}).encode()))
        children = {f"{kind}.{version}": _keyed(observed, kind) for kind, version in CHILD_KINDS.items()}
        related: dict[str, dict[str, Json]] = {}
        for rule in customized["relatedResources"]:
            kind = _RESOURCES[rule["resource"]]
            named = [item for item in self.api.all(kind) if item["metadata"]["name"] in rule["names"]]
            related.setdefault(f"{kind}.{rule['apiVersion']}", {}).update(_keyed(named, kind))
        body = {"controller": {}, "parent": parent, "children": children, "related": related, "finalizing": False}
        return text(body).encode()

    def _claimed(self, parent: Json) -> list[Json]:
        """Return the parent's children: adopt orphans that carry its label, release children that lost it."""
        uid = parent["metadata"]["uid"]
        mine = []
        for item in (item for kind in CHILD_KINDS for item in self.api.all(kind)):
            controllers = [owner for owner in item["metadata"].get("ownerReferences", []) if owner.get("controller")]
            marked = item["metadata"].get("labels", {}).get(_LABEL) == uid
            if marked and not controllers and "deletionTimestamp" not in parent["metadata"]:
                self._send("ADOPT", item, self.api.update, _owned(item, parent))
                mine.append(_owned(item, parent))
            elif [owner["uid"] for owner in controllers] == [uid]:
                if marked:
                    mine.append(item)
                else:
                    self._send("RELEASE", item, self.api.update, _released(item))
        return mine

    def _manage(self, parent: Json, observed: list[Json], desired: list[Json]) -> None:
        seen = {identity(item): item for item in observed}
        wanted = {identity(item): item for item in desired}
        for key, item in seen.items():
            if key not in wanted and "deletionTimestamp" not in item["metadata"]:
                self._send("DELETE", item, self.api.delete, *key)
        write = self._dynamic if self.mode == "dynamic-apply" else self._server_side
        for key, item in wanted.items():
            if "deletionTimestamp" not in seen.get(key, item)["metadata"]:
                write(parent, seen.get(key), item)

    def _dynamic(self, parent: Json, seen: Json | None, child: Json) -> None:
        if seen is None:
            made = _owned(with_last_applied(child, child), parent)
            self._send("POST", child, self.api.create, made)  # if it is there already, nobody hears of it
            return
        new = updated(seen, child)
        if text(new) != text(seen):
            self._send("PUT", child, self.api.update, new)

    def _server_side(self, parent: Json, seen: Json | None, child: Json) -> None:
        owned = _owned(child, parent)
        key = identity(child)
        if seen is not None:
            if self._sent.get(key) == (text(owned), *_version(seen)):
                return
            if LAST_APPLIED in seen["metadata"].get("annotations", {}):
                self._send("PATCH", child, self.api.update, _without_last_applied(seen))
        if self._send("PATCH", child, self.api.apply, owned):
            stored = self.api.objects[key]
            self._sent[key] = (text(owned), *_version(stored))

    def _write_status(self, parent: Json, status: Json) -> None:
        live = self.api.get(*identity(parent))
        full = {**status, "observedGeneration": parent["metadata"]["generation"]}
        if live is not None and text(live.get("status")) != text(full):
            self._send("PUT status", parent, self.api.put_status, {**live, "status": full})

    def _send(self, verb: str, item: Json, write: Callable[..., bool | None], *arguments: Any) -> bool:
        """Send a request about *item*, which is to *write*; tell whether it was accepted."""
        request = f"{verb} {item['kind']} {item['metadata']['name']}"
        self.requests.append(request)
        try:
            changed = write(*arguments)
        except RefusedError as refusal:
            self.refusals.append(f"{request}: {refusal}")
            return False
        if changed is not False:
            self.changes.append(request)
        return True


def _keyed(items: list[Json], kind: str) -> dict[str, Json]:
    return {
        f"{item['metadata']['namespace']}/{item['metadata']['name']}": item for item in items if item["kind"] == kind
    }


def _version(item: Json) -> tuple[str, str]:
    """Return what tells that *item* was written by somebody: its generation, or its version if it has none."""
    metadata = item["metadata"]
    return metadata["uid"], str(metadata.get("generation") or metadata["resourceVersion"])


def _labelled(child: Json, parent: Json) -> Json:
    metadata = {"namespace": parent["metadata"]["namespace"], **child["metadata"]}
    labels = {_LABEL: parent["metadata"]["uid"], **metadata.get("labels", {})}
    return {**child, "metadata": {**metadata, "labels": labels}}


def _owned(child: Json, parent: Json) -> Json:
    metadata = parent["metadata"]
    owner = {
        "apiVersion": parent["apiVersion"],
        "kind": parent["kind"],
        "name": metadata["name"],
        "uid": metadata["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }
    others = child["metadata"].get("ownerReferences", [])
    return {**child, "metadata": {**child["metadata"], "ownerReferences": [*others, owner]}}


def _released(child: Json) -> Json:
    return {**child, "metadata": {**child["metadata"], "ownerReferences": []}}


def _without_last_applied(child: Json) -> Json:
    annotations = {key: value for key, value in child["metadata"]["annotations"].items() if key != LAST_APPLIED}
    return {**child, "metadata": {**child["metadata"], "annotations": annotations}}
