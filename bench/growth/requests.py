"""Sync requests of which one part grows: a request for each number of things.

Each shows a MyResource at rest, as most syncs do: its children are as desired, with the managed fields that
Metacontroller has, and its status is the one that the hook computed before.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import msgspec

from app.core.controller import controller
from app.core.desired.generation import GenerationMemo
from bench.pods import with_all_fields
from metahook import ConfigMap, Controller, SyncRequest, SyncResponse, drifted_field
from metahook.protocol.sender import Grouped, sync_request
from metahook.simulator.apiserver.server_side_apply import managed_fields
from tests.build import EARLIER_TEXT, NOW, grouped, my_resource, owned, rolled_out
from tests.given.observed import as_made
from tests.pods import HEALTHY, crashing, pod, shown
from tests.watching import WATCH, backup, config_map, related

Json = dict[str, Any]

SERVED = controller(WATCH, GenerationMemo())
"""The controller as it is served: it remembers what a generation asks for."""

TEXT = "a value of some length, as it is common"

STORED = {"uid": "5a9f4a8e-3d0c-4a55-9a0f-3e8f2b2f1f5e", "resourceVersion": "48213", "creationTimestamp": EARLIER_TEXT}
"""Metadata that the API server adds."""


@dataclass(frozen=True)
class Part:
    """A part of a request that grows to *most* things; *make* returns the request that has so many of them."""

    name: str
    most: int
    make: Callable[[int], bytes]
    controller: Controller = field(default=SERVED)


def at_rest(
    spec: Json,
    objects: Grouped | None = None,
    changed: Callable[[Json], Json] = lambda child: child,
    name: str = "web",
) -> bytes:
    """Return the request of a MyResource at rest, whose Deployment is *changed* after it was made."""
    parent, others = my_resource(name, spec={"image": "nginx:1.27", **spec}), objects or {}
    made = [as_made(child, parent, "managed-fields") for child in _answer(parent, [], others)["children"]]
    children = [changed(rolled_out(child)) if child["kind"] == "Deployment" else child for child in made]
    status = _answer(parent, children, others)["status"]
    return sync_request({**parent, "status": status}, grouped(*children), others)


def _answer(parent: Json, children: Iterable[Json], objects: Grouped) -> Json:
    answer: Json = json.loads(SERVED.answer_sync(sync_request(parent, grouped(*children), objects), NOW))
    return answer


def stored(item: Json, writer: str = "kubectl") -> Json:
    """Return *item* as the API server stores it, with the managed fields of its *writer*."""
    entry = {**managed_fields(item)[0], "manager": writer, "time": EARLIER_TEXT}
    return {**item, "metadata": {**item["metadata"], **STORED, "managedFields": [entry]}}


def ready_pods(number: int) -> bytes:
    """Return a request with so many Pods that are available."""
    pods = (with_all_fields(pod(HEALTHY), each) for each in range(number))
    return at_rest({"replicas": max(number, 1)}, shown(*pods))


def crashing_pods(number: int) -> bytes:
    """Return a request with so many Pods that crash."""
    parent = my_resource(replicas=max(number, 1))
    pods = shown(*(with_all_fields(pod(crashing()), each) for each in range(number)))
    (made,) = _answer(parent, [], {})["children"]
    deployment = rolled_out(as_made(made, parent, "managed-fields"))
    deployment["status"] |= {"availableReplicas": 0, "readyReplicas": 0, "conditions": []}
    return sync_request(parent, grouped(deployment), pods)


def config_maps(number: int) -> bytes:
    """Return a request with so many ConfigMaps of 1 KiB, of each of which a variable has a key."""
    refs = [{"configMapKeyRef": {"name": f"c{each}", "key": "a"}} for each in range(number)]
    env = [{"name": f"VARIABLE_{each}", "valueFrom": ref} for each, ref in enumerate(refs)]
    return at_rest({"env": env}, related(*(stored(config_map(f"c{each}", a="x" * 1024)) for each in range(number))))


def keys(number: int) -> bytes:
    """Return a request with a ConfigMap of so many keys, all of which are used."""
    data = {f"key-{each}": TEXT for each in range(number)}
    return at_rest({"envFrom": [{"configMapRef": {"name": "c"}}]}, related(stored(config_map("c", **data))))


def variables(number: int) -> bytes:
    """Return a request with so many environment variables."""
    return at_rest({"env": [{"name": f"VARIABLE_{each}", "value": TEXT} for each in range(number)]})


def arguments(number: int) -> bytes:
    """Return a request with so many arguments."""
    return at_rest({"args": [f"--option-{each}={TEXT}" for each in range(number)]})


def ports(number: int) -> bytes:
    """Return a request with so many ports, and the Service for them."""
    return at_rest({"ports": [{"name": f"port-{each}", "containerPort": 8000 + each} for each in range(number)]})


def volumes(number: int) -> bytes:
    """Return a request with so many volumes, each of which is mounted."""
    given = [{"name": f"volume-{each}", "emptyDir": {"sizeLimit": "1Gi"}} for each in range(number)]
    mounts = [{"name": f"volume-{each}", "mountPath": f"/data/{each}"} for each in range(number)]
    return at_rest({"volumes": given, "volumeMounts": mounts})


def dependencies(number: int) -> bytes:
    """Return a request with so many dependencies, all of which are Ready."""
    one = {"apiVersion": "example.com/v1", "resource": "mybackups"}
    given = [{**one, "name": f"backup-{each}"} for each in range(number)]
    return at_rest({"dependencies": given}, related(*(_backup(f"backup-{each}") for each in range(number))))


def _backup(name: str) -> Json:
    """Return an object of another operator, as large as such objects are."""
    spec = {"schedule": "0 3 * * *", "target": {"bucket": "backups", "prefix": name}, "retention": {"daily": 7}}
    types = ("Ready", "Scheduled", "Synced")
    times = {"lastTransitionTime": EARLIER_TEXT, "observedGeneration": 1, "reason": "Succeeded", "message": TEXT}
    status = {"observedGeneration": 1, "conditions": [{"type": each, "status": "True", **times} for each in types]}
    item = stored({**backup(name), "spec": spec, "status": status})
    return {**item, "metadata": {**item["metadata"], "generation": 1}}


def managers(number: int) -> bytes:
    """Return a request whose Deployment has so many more managers, each with an annotation; one is ``kubectl edit``."""
    entries = [_manager(f"manager-{each}", "Apply") for each in range(number)]
    return at_rest({}, changed=lambda child: _with_entries(child, [_manager("kubectl-edit", "Update"), *entries]))


def _manager(name: str, operation: str) -> Json:
    """Return the entry of a manager, of an annotation."""
    fields: Json = {"f:metadata": {"f:annotations": {f"f:example.com/{name}": {}}}}
    entry = {"manager": name, "operation": operation, "apiVersion": "apps/v1", "time": EARLIER_TEXT}
    return {**entry, "fieldsType": "FieldsV1", "fieldsV1": fields}


def fields_of_a_manager(number: int) -> bytes:
    """Return a request whose Deployment has a manager with so many fields."""
    fields: Json = {"f:status": {f"f:field-{each}": {".": {}, "f:inner": {}} for each in range(number)}}
    status = {"subresource": "status", "operation": "Update", "manager": "kube-controller-manager"}
    entry = {**status, "fieldsV1": fields}
    return at_rest({}, changed=lambda child: _with_entries(child, [entry]))


def _with_entries(child: Json, entries: list[Json]) -> Json:
    metadata = child["metadata"]
    return {**child, "metadata": {**metadata, "managedFields": [*metadata["managedFields"], *entries]}}


class _Spec(msgspec.Struct):
    count: int


def _sync_many(request: SyncRequest, _: datetime) -> SyncResponse:
    """Return as many ConfigMaps as the spec has as its count, and whether they are as desired."""
    parent, count = request.parent, msgspec.json.decode(request.parent.spec, type=_Spec).count
    desired = [config_map(f"{parent.name}-{each}", text=TEXT) for each in range(count)]
    drifts = [drifted_field(child, request.children) for child in desired]
    return SyncResponse(status={"state": "Building" if any(drifts) else "Ready"}, children=desired)


MANY = Controller(sync=_sync_many, children=(ConfigMap,))
"""A hook of which a parent has many children."""


def children(number: int) -> bytes:
    """Return a request of another hook, with so many ConfigMaps as children."""
    parent = my_resource(spec={"count": number}, status={"state": "Ready"})
    desired = [config_map(f"web-{each}", text=TEXT) for each in range(number)]
    made = {f"default/{child['metadata']['name']}": stored(owned(child, parent), "metacontroller") for child in desired}
    return sync_request(parent, {"ConfigMap.v1": made}, {})


PARTS = (
    Part("Pods that are ready", 1000, ready_pods),
    Part("Pods that crash", 1000, crashing_pods),
    Part("ConfigMaps", 256, config_maps),
    Part("keys of a ConfigMap", 1000, keys),
    Part("children", 1000, children, MANY),
    Part("variables", 256, variables),
    Part("arguments", 256, arguments),
    Part("ports", 32, ports),
    Part("volumes", 32, volumes),
    Part("dependencies", 16, dependencies),
    Part("managers", 100, managers),
    Part("fields of a manager", 1000, fields_of_a_manager),
)
