"""Builders: each makes something whole and valid; a test changes only what it is about."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from app.api.names import GROUP
from app.core.controller import controller
from app.core.desired.children import CHILDREN
from app.core.watch import Watch
from metahook import Object
from metahook.protocol.sender import Grouped, sync_request

Json = dict[str, Any]

NOW = datetime(2026, 1, 31, 12, 0, 0, tzinfo=UTC)
NOW_TEXT = "2026-01-31T12:00:00Z"
EARLIER_TEXT = "2026-01-31T11:00:00Z"
UID = "b848bea7-865d-4a1f-bf45-a10293c59ffe"
MYRESOURCE = controller(Watch())
"""The controller with the default settings."""

KINDS: dict[str, type[Object]] = {kind.KIND.kind: kind for kind in CHILDREN}


def my_resource(
    name: str = "web",
    *,
    generation: int = 1,
    uid: str = UID,
    status: Json | None = None,
    deleting: bool = False,
    labels: Json | None = None,
    spec: Json | None = None,
    **fields: Any,
) -> Json:
    """Return a MyResource as the API server stores it; *fields* are those of its spec."""
    metadata: Json = {"name": name, "namespace": "default", "uid": uid, "generation": generation}
    if labels:
        metadata["labels"] = labels
    if deleting:
        metadata["deletionTimestamp"] = NOW_TEXT
    return {
        "apiVersion": "mygroup.example.com/v1alpha1",
        "kind": "MyResource",
        "metadata": metadata,
        "spec": {"image": "nginx:1.27", **fields} if spec is None else spec,
        **({"status": status} if status else {}),
    }


def owned(manifest: Json, parent: Json, *, generation: int = 1, **metadata: Any) -> Json:
    """Return *manifest* as the API server stores it after Metacontroller created it for *parent*."""
    uid = parent["metadata"]["uid"]
    owner = {
        "apiVersion": parent["apiVersion"],
        "kind": parent["kind"],
        "name": parent["metadata"]["name"],
        "uid": uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }
    labels = {**manifest["metadata"].get("labels", {}), "controller-uid": uid}
    made = {"labels": labels, "ownerReferences": [owner], "uid": f"child-{uid}", "generation": generation}
    return {**manifest, "metadata": {**manifest["metadata"], **made, **metadata}}


def rolled_out(deployment: Json) -> Json:
    """Return *deployment* with the status of a finished rollout."""
    replicas = deployment["spec"]["replicas"]
    status = {
        "observedGeneration": deployment["metadata"]["generation"],
        "replicas": replicas,
        "updatedReplicas": replicas,
        "readyReplicas": replicas,
        "availableReplicas": replicas,
        "conditions": [
            {"type": "Available", "status": "True", "reason": "MinimumReplicasAvailable"},
            {"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable"},
        ],
    }
    return {**deployment, "status": status}


def grouped(*objects: Json, kinds: tuple[str, ...] = tuple(KINDS)) -> Grouped:
    """Return *objects* by kind, as Metacontroller sends them; every one of *kinds* has a group."""
    groups: Grouped = {KINDS[kind].KIND.group_key: {} for kind in kinds}
    for item in objects:
        key = f"{item['metadata']['namespace']}/{item['metadata']['name']}"
        groups.setdefault(f"{item['kind']}.{item['apiVersion']}", {})[key] = item
    return groups


def sync(
    parent: Json,
    *children: Json,
    related: Grouped | None = None,
    now: datetime = NOW,
    watch: Watch | None = None,
    listed: tuple[str, ...] = tuple(KINDS),
) -> Json:
    """Return the answer for *parent* with the observed *children*, whose kinds the CompositeController has *listed*."""
    asked = controller(watch) if watch else MYRESOURCE
    body = sync_request(parent, grouped(*children, kinds=listed), related or {})
    answer: Json = json.loads(asked.answer_sync(body, now))
    return answer


def kinds(answer: Json) -> list[str]:
    """Return the kinds of the children in *answer*."""
    return [item["kind"] for item in answer["children"]]


def child(answer: Json, kind: str) -> Json:
    """Return the only child of *kind* in *answer*."""
    found: list[Json] = [item for item in answer["children"] if item["kind"] == kind]
    (only,) = found
    return only


def finished(parent: Json) -> list[Json]:
    """Return the children of *parent* as they are once they were made and rolled out."""
    children = [owned(item, parent) for item in sync(parent)["children"]]
    return [rolled_out(item) if item["kind"] == "Deployment" else item for item in children]


def applied(observed: Json, answer: Json) -> Json:
    """Return the *observed* child once Metacontroller has applied the *answer*: its annotations and its spec."""
    made = child(answer, observed["kind"])
    own = {key: text for key, text in observed["metadata"]["annotations"].items() if GROUP not in key}
    metadata = {**observed["metadata"], "annotations": {**own, **made["metadata"]["annotations"]}}
    return {**observed, "metadata": metadata, "spec": {**observed["spec"], **made["spec"]}}


def sent_again(parent: Json, deployment: Json) -> Json:
    """Return *deployment*, which differs from *parent*'s spec, as it is once what was sent again has arrived."""
    answer = sync(parent, deployment, now=NOW + timedelta(seconds=30))
    return {**applied(deployment, answer), "spec": deployment["spec"]}


def condition(answer: Json, kind: str = "Ready") -> Json:
    """Return the condition of type *kind* in *answer*."""
    found: list[Json] = [item for item in answer["status"]["conditions"] if item["type"] == kind]
    (only,) = found
    return only


def reason(answer: Json) -> str:
    """Return the reason of the condition Ready in *answer*."""
    found: str = condition(answer)["reason"]
    return found
