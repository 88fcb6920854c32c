"""Builders: each makes something whole and valid, of any parent; a test changes only what it is about."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from metahook import Kind
from metahook.protocol.request_builder import Grouped
from metahook.simulator.apiserver.server_side_apply import managed_fields
from metahook.simulator.apiserver.stored_object import stored_object
from metahook.simulator.apiserver.validation import WITHOUT_GENERATION

Json = dict[str, Any]

NOW = datetime(2026, 1, 31, 12, 0, 0, tzinfo=UTC)
NOW_TEXT = "2026-01-31T12:00:00Z"
EARLIER_TEXT = "2026-01-31T11:00:00Z"
UID = "b848bea7-865d-4a1f-bf45-a10293c59ffe"

KIB = 1024
MIB = 1024 * KIB


def stored_parent(
    kind: Kind,
    spec: Json,
    name: str = "web",
    *,
    generation: int = 1,
    uid: str = UID,
    status: Json | None = None,
    deleting: bool = False,
    labels: Json | None = None,
) -> Json:
    """Return a parent of *kind* as the API server stores it."""
    metadata: Json = {"name": name, "namespace": "default", "uid": uid, "generation": generation}
    if labels:
        metadata["labels"] = labels
    if deleting:
        metadata["deletionTimestamp"] = NOW_TEXT
    made = {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata, "spec": spec}
    return {**made, **({"status": status} if status else {})}


def owned(manifest: Json, parent: Json, *, generation: int = 1, **metadata: Any) -> Json:
    """Return *manifest* as the API server stores it after Metacontroller created it for *parent*, an hour ago."""
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
    applied = {**manifest["metadata"], "labels": labels, "ownerReferences": [owner]}
    (entry,) = managed_fields({**manifest, "metadata": applied})
    made: Json = {"uid": f"child-{uid}", "resourceVersion": "1", "managedFields": [{**entry, "time": EARLIER_TEXT}]}
    if manifest["kind"] not in WITHOUT_GENERATION:
        made["generation"] = generation
    # A test that is about an object without a spec has it as it is: the API server would refuse some.
    stored = stored_object(manifest) if "spec" in manifest else manifest
    return {**stored, "metadata": {**applied, **made, **metadata}}


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


def by_kind(*objects: Json, kinds: Iterable[Kind]) -> Grouped:
    """Return *objects* by kind, as Metacontroller sends them; every one of *kinds* has a group."""
    groups: Grouped = {kind.group_key: {} for kind in kinds}
    for item in objects:
        key = f"{item['metadata']['namespace']}/{item['metadata']['name']}"
        groups.setdefault(f"{item['kind']}.{item['apiVersion']}", {})[key] = item
    return groups


def padded(item: Json, size: int) -> Json:
    """Return *item* with managed fields that make it about *size* bytes long, as those of real Pods do."""
    fields: Json = {f"f:field-{number}": {".": {}, "f:inner": {}} for number in range(size // 38)}
    return {**item, "metadata": {**item["metadata"], "managedFields": [{"manager": "kubelet", "fieldsV1": fields}]}}


def kinds(answer: Json) -> list[str]:
    """Return the kinds of the children in *answer*."""
    return [item["kind"] for item in answer["children"]]


def child(answer: Json, kind: str) -> Json:
    """Return the only child of *kind* in *answer*."""
    found: list[Json] = [item for item in answer["children"] if item["kind"] == kind]
    (only,) = found
    return only


def condition(answer: Json, kind: str = "Ready") -> Json:
    """Return the condition of type *kind* in *answer*."""
    found: list[Json] = [item for item in answer["status"]["conditions"] if item["type"] == kind]
    (only,) = found
    return only


def reason(answer: Json) -> str:
    """Return the reason of the condition Ready in *answer*."""
    found: str = condition(answer)["reason"]
    return found
