"""What is right, said a second time and in another way than app does: the properties compare with it.

Source: the invariants of the project; section "never passable" of its threat model; kubectl's rollout status.
"""

import re
from collections.abc import Iterator
from typing import Any

import jsonschema

from app.api.generated_schema import schema
from metahook.simulator.metacontroller.children import merge
from metahook.simulator.objects import to_json
from tests.requests.builders import KINDS, Json
from tests.strategies.observed import Situation

_STATUS = schema()["properties"]["status"]
_VALIDATOR = jsonschema.Draft202012Validator(_STATUS)
_OPEN_MAPS = {"labels", "annotations", "matchLabels", "nodeSelector", "requests", "limits"}
"""Maps whose keys are a user's words, not fields."""
_FORBIDDEN = {
    "hostNetwork", "hostPID", "hostIPC", "hostPort", "hostPath", "hostUsers", "privileged", "procMount",
    "seLinuxOptions", "appArmorProfile", "sysctls", "windowsOptions", "supplementalGroups",
    "shareProcessNamespace", "volumeDevices", "serviceAccountToken", "clusterTrustBundle", "csi", "nodeName",
    "schedulerName", "runtimeClassName", "dnsPolicy", "ephemeralContainers",
    "externalIPs", "loadBalancerIP", "externalName", "ownerReferences", "finalizers",
    "generateName", "uid", "resourceVersion", "managedFields", "status",
}  # fmt: skip
_METACONTROLLERS = re.compile(r"controller-uid$|metacontroller\.k8s\.io/")
_ONLY: Json = {
    "allowPrivilegeEscalation": [False],
    "automountServiceAccountToken": [False],
    "capabilities": [{"drop": ["ALL"]}, {"add": ["NET_BIND_SERVICE"]}, {"add": ["NET_BIND_SERVICE"], "drop": ["ALL"]}],
    "seccompProfile": [{"type": "RuntimeDefault"}],
    "runAsNonRoot": [True],
    "restartPolicy": ["Always"],
}


def _nodes(value: Any, path: str = "", field: str = "") -> Iterator[tuple[str, str, Any]]:
    """Walk through *value*: path, name of the field, value."""
    yield path, field, value
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _nodes(inner, f"{path}.{key}", "" if field in _OPEN_MAPS else key)
    if isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _nodes(inner, f"{path}[{place}]")


def forbidden(child: Json, namespace: str) -> Iterator[str]:
    """Yield what in *child* no MyResource may ever get."""
    for path, field, value in _nodes(child):
        if field in _FORBIDDEN or (field in _ONLY and value not in _ONLY[field]):
            yield f"{path} must never be there"
        if field in ("runAsUser", "runAsGroup", "fsGroup") and not 1 <= value < 2**31:
            yield f"{path} is root, or no ID"
        if field in ("httpGet", "tcpSocket") and "host" in value:
            yield f"{path} is a request to another host"
        if field == "namespace" and value != namespace and "parentRefs" not in path:
            yield f"{path} is another namespace"
        if field == "priorityClassName" and value.startswith("system-"):
            yield f"{path} is a class of the system's"
        if field in ("labels", "annotations") and any(map(_METACONTROLLERS.match, value)):
            yield f"{path} has a key of Metacontroller's"


def untidy(value: Any) -> Iterator[str]:
    """Yield the paths of nulls, of floats and of empty maps and lists in *value*, but for ``emptyDir: {}``."""
    for path, field, inner in _nodes(value):
        if inner is None or isinstance(inner, float) or (inner in ({}, []) and field != "emptyDir"):
            yield f"{path} is {inner}"


def status_problems(status: Json) -> Iterator[str]:
    """Yield why the API server would refuse or prune *status*."""
    yield from (f"status: {error.message}" for error in _VALIDATOR.iter_errors(status))
    known = _STATUS["properties"]
    conditions = status.get("conditions", [])
    yield from (f"status.{field} is pruned" for field in status.keys() - known.keys())
    fields = known["conditions"]["items"]["properties"].keys()
    yield from (f"a condition's {field} is pruned" for condition in conditions for field in condition.keys() - fields)
    if len({condition["type"] for condition in conditions}) < len(conditions):
        yield "two conditions of one type"


def _mine(situation: Situation, child: Json | None) -> Json | None:
    """Return *child* if no other object controls it."""
    owners = (child or {}).get("metadata", {}).get("ownerReferences", [])
    others = [
        owner for owner in owners if owner.get("controller") and owner["uid"] != situation.parent["metadata"]["uid"]
    ]
    return None if others else child


def asked_kinds(spec: Json) -> set[str]:
    """Return the kinds of the children that *spec* asks for beside the Deployment."""
    most = spec.get("autoscaling", {}).get("maxReplicas", spec.get("replicas", 1))
    asked = {
        "Service": bool(spec.get("ports")) and spec.get("service", {}).get("mode") != "Disabled",
        "PodDisruptionBudget": spec.get("podDisruptionBudget") == "Auto" and most > 1,
        "HorizontalPodAutoscaler": "autoscaling" in spec,
        "Ingress": "expose" in spec and "gateway" not in spec["expose"],
        "HTTPRoute": "gateway" in spec.get("expose", {}),
    }
    return {kind for kind, is_asked in asked.items() if is_asked}


def is_taken(situation: Situation, kind: str) -> bool:
    """Tell whether the name of the child of *kind* belongs to another owner."""
    parent = situation.parent["metadata"]
    held = list((situation.related or {}).get(KINDS[kind].KIND.group_key, {}).values())
    owners = [
        owner["uid"] for item in held for owner in item["metadata"].get("ownerReferences", []) if owner["controller"]
    ]
    return bool(held) and owners != [parent["uid"]] and _mine(situation, situation.child(kind, parent["name"])) is None


def expected_children(situation: Situation) -> set[tuple[str, str]]:
    """Return kind and name of the children that a valid parent must have."""
    name = situation.parent["metadata"]["name"]
    others = {(kind, name) for kind in asked_kinds(situation.parent["spec"]) if not is_taken(situation, kind)}
    deployment = set() if held(situation) else {("Deployment", f"{name}-deployment")}
    return {*deployment, *others}


def held(situation: Situation) -> bool:
    """Tell whether the first start waits: a dependency is not seen to be met, and nothing has run."""
    name = situation.parent["metadata"]["name"]
    ran = "readyGeneration" in (situation.parent.get("status") or {})
    there = _mine(situation, situation.child("Deployment", f"{name}-deployment")) is not None
    seen = (situation.related or {}).get("MyBackup.example.com/v1", {})
    asked = situation.parent["spec"].get("dependencies") or []
    return not ran and not there and any(f"default/{each['name']}" not in seen for each in asked)


def ready_is_earned(situation: Situation, answer: Json) -> bool:
    """Tell whether all is there that Ready promises."""
    metadata = situation.parent["metadata"]
    if "deletionTimestamp" in metadata or any(
        is_taken(situation, kind) for kind in asked_kinds(situation.parent["spec"])
    ):
        return False
    if not any(wanted["kind"] == "Deployment" for wanted in answer["children"]):
        return False
    for wanted in answer["children"]:
        seen = _mine(situation, situation.child(wanted["kind"], wanted["metadata"]["name"]))
        if seen is None or "deletionTimestamp" in seen["metadata"] or "spec" not in seen:
            return False
        if to_json(merge(seen["spec"], {}, wanted["spec"])) != to_json(seen["spec"]):
            return False
        if wanted["kind"] == "Deployment" and not _is_served(situation, seen):
            return False
    return True


def _is_served(situation: Situation, deployment: Json) -> bool:
    """Tell whether *deployment* is rolled out, or was Ready, and an autoscaler has changed the number of Pods since."""
    parent, status = situation.parent, deployment.get("status") or {}
    if _rolled_out(deployment, deployment["spec"]["replicas"], parent["metadata"]):
        return True
    autoscaling = parent["spec"].get("autoscaling")
    was_ready = (parent.get("status") or {}).get("readyGeneration") == parent["metadata"]["generation"]
    is_updated = status.get("replicas", 0) == status.get("updatedReplicas", 0)
    least = autoscaling.get("minReplicas", 1) if autoscaling else None
    return was_ready and is_updated and least is not None and status.get("availableReplicas", 0) >= least


def _rolled_out(deployment: Json, replicas: int, parent: Json) -> bool:
    status = deployment.get("status") or {}
    counts = [status.get(key, 0) for key in ("replicas", "updatedReplicas", "availableReplicas")]
    mark = (deployment["metadata"].get("annotations") or {}).get("mygroup.example.com/applied")
    return (
        mark == f"{parent['generation']}-{parent['uid'][:8]}"
        and status.get("observedGeneration", 0) >= deployment["metadata"]["generation"]
        and counts == [replicas] * 3
    )
