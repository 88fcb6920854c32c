"""Hooks without metahook: functions from a request to a response, and the controllers that call them."""

from typing import Any

from toolkit.controllers import CONFIG_MAPS, composite, config_map, decorator, hooks, item, resource

Json = dict[str, Any]


def copy(request: Json) -> Json:
    """Desire a ConfigMap with the word of the spec."""
    parent = request["parent"]
    child = config_map(parent["metadata"]["name"], word=parent["spec"].get("word", ""))
    return {"status": {"children": len(request["children"]["ConfigMap.v1"])}, "children": [child]}


def of_tenant(request: Json) -> Json:
    """Desire a Namespace, and a ConfigMap in it."""
    name = request["parent"]["metadata"]["name"]
    children = [item("v1", "Namespace", name), config_map("limits", name, word="hi")]
    return {"status": {"seen": [sorted(group) for group in request["children"].values()]}, "children": children}


TENANTS = composite("tenants", resource("v1", "namespaces"), CONFIG_MAPS)


def waits(request: Json) -> Json:
    """Keep the child until a user says so."""
    is_done = request["parent"]["metadata"].get("annotations", {}).get("go") == "yes"
    return copy(request) | {"finalized": is_done, "children": [] if is_done else copy(request)["children"]}


FINALIZED = composite("rooms", CONFIG_MAPS, hooks=hooks("sync", "finalize"))


SELECTED = composite("rooms", CONFIG_MAPS, generateSelector=False)
MINE = {"labels": {"room": "a"}}


def labelled(request: Json) -> Json:
    """Desire a ConfigMap with a label, if the spec has a selector for it."""
    answer = copy(request)
    answer["children"][0]["metadata"]["labels"] = {"room": "a"}
    return answer


WATCHED = {"annotationSelector": {"matchAnnotations": {"copy": "yes"}}}
CONTROLLER = decorator(
    "copier", [resource("v1", "services", None) | WATCHED, resource("example.com/v1", "rooms", None)], CONFIG_MAPS
)


def attach(request: Json) -> Json:
    """Attach a ConfigMap, and count them on the object."""
    parent, known = request["object"], request["attachments"]["ConfigMap.v1"]
    word = parent["spec"].get("word", "")
    return {
        "attachments": [config_map(parent["metadata"]["name"], word=word)],
        "labels": {"copied": "yes", "old": None},
        "annotations": {"copies": str(len(known))},
        "status": {"copies": len(known)} if parent["kind"] == "Room" else None,
    }


def service(**annotations: str) -> Json:
    ports = {"ports": [{"port": 80}], "selector": {"a": "b"}}
    return item("v1", "Service", "s", "default", spec=ports, metadata={"annotations": annotations})
