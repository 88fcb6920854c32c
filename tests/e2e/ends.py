"""The objects at the end of a test, without fields that vary between runs, and the children replaced meanwhile."""

import json
from collections.abc import Iterator

from app.core.child_metadata import PASSING_ANNOTATIONS
from metahook import LAST_APPLIED
from metahook.envtest.client import Client
from metahook.simulator.objects import Json
from tests.e2e.record import Record

KINDS = ("MyResource", "Deployment", "Service", "ReplicaSet", "Pod")

_GIVEN = (
    *PASSING_ANNOTATIONS,
    LAST_APPLIED,
    "clusterIP",
    "clusterIPs",
    "nodePort",
    "lastTransitionTime",
    "lastUpdateTime",
    "deployment.kubernetes.io/revision",
    "override",
)
"""Fields that are unique to an object, count its writes, or tell what once happened to it."""


_COUNTS = ("replicas", "updatedReplicas", "availableReplicas")


def ended(client: Client, namespace: str) -> dict[str, Json]:
    """Return the MyResources of *namespace* and their children, comparable with those of another namespace."""
    uids = {item["metadata"]["uid"]: item["metadata"]["name"] for item in client.all("MyResource", namespace)}
    return {
        f"{kind} {item['metadata']['name']}": comparable(kind, item, uids)
        for kind in ("MyResource", "Deployment", "Service")
        for item in client.all(kind, namespace)
    }


def comparable(kind: str, item: Json, uids: dict[str, str]) -> Json:
    """Return *item* without its namespace and varying fields, and with names instead of the parents' *uids*."""
    metadata, status = item["metadata"], item.get("status", {})
    if kind == "Deployment":
        conditions = {each["type"]: [each["status"], each["reason"]] for each in status["conditions"]}
        status = {"conditions": conditions, **{count: status.get(count) for count in _COUNTS}}
    kept = {field: metadata.get(field, {}) for field in ("labels", "annotations")}
    text = json.dumps({**kept, "spec": item["spec"], "status": status})
    for uid, name in uids.items():
        text = text.replace(uid, name).replace(uid[:8], name)
    text = text.replace(metadata["namespace"], "here")
    found: Json = json.loads(text, object_pairs_hook=_without_given)
    return found


def _without_given(pairs: list[tuple[str, object]]) -> Json:
    return {key: value for key, value in pairs if key not in _GIVEN}


def replaced(record: Record, kind: str, namespace: str) -> list[str]:
    """Return the names under which objects were replaced or deleted."""
    return [
        key.name
        for key, versions in record.everything(kind, namespace).items()
        if len({version.item["metadata"]["uid"] for version in versions}) > 1 or versions[-1].deleted
    ]


def versions(client: Client, namespace: str) -> dict[str, str]:
    """Return the resourceVersion of each object."""
    return {
        f"{kind} {namespace}/{item['metadata']['name']}": item["metadata"]["resourceVersion"]
        for kind in KINDS
        for item in client.all(kind, namespace)
    }


def moved(before: dict[str, str], after: dict[str, str]) -> Iterator[str]:
    """Yield the objects that were created, changed or deleted in between."""
    return (key for key in sorted(before.keys() | after.keys()) if before.get(key) != after.get(key))
