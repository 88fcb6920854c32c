"""Requests to the hook of MyResources: good, malformed in each way, and hostile."""

import json
from typing import Any

from metahook.protocol.request_builder import customize_request
from tests.requests.builders import finished, grouped, my_resource, sync
from tests.service.recorded_answers.exchange import Exchange
from tests.service.recorded_answers.request import MIB, named, raw
from toolkit.builders import owned
from toolkit.hostile import BODY, CASES, PARENT

_WEB = my_resource(ports=[{"containerPort": 8080}])
_OBJECT: dict[str, Any] = {
    "metadata": {
        "name": "web",
        "namespace": "default",
        "uid": "u",
        "generation": 1,
        "labels": {"a": "b"},
        "annotations": {"a": "b"},
        "ownerReferences": [{"uid": "u", "apiVersion": "v1", "kind": "A", "name": "a", "controller": False}],
        "finalizers": ["a"],
        "creationTimestamp": "2026-01-31T12:00:00Z",
        "deletionTimestamp": None,
    },
    "spec": {"a": 1},
    "status": {
        "observedGeneration": 1,
        "replicas": 1,
        "updatedReplicas": 1,
        "availableReplicas": 1,
        "conditions": [{"type": "A", "status": "B", "reason": "C", "message": "d", "lastTransitionTime": "e"}],
    },
}
_REQUEST: dict[str, Any] = {
    "parent": my_resource(),
    "children": {"Deployment.apps/v1": {"web": _OBJECT}, "Service.v1": {}},
    "related": {"Pod.v1": {}},
}


_WRONG: tuple[Any, ...] = (None, 1.5, "", [])


def _malformed() -> dict[str, bytes]:
    """Return the request without each of its fields, and with a wrong value for each."""
    found = {}
    for path in _paths(_REQUEST):
        name = ".".join(map(str, path))
        found[f"without {name}"] = json.dumps(_changed(_REQUEST, path)).encode()
        for value in _WRONG:
            found[f"{name} = {json.dumps(value)}"] = json.dumps(_changed(_REQUEST, path, value)).encode()
    return found


def _paths(node: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    steps: Any = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    return [*([path] if path else []), *(inner for step, below in steps for inner in _paths(below, (*path, step)))]


def _changed(request: Any, path: tuple[str | int, ...], *value: Any) -> Any:
    """Return *request* with *value* at *path*, or without what is there."""
    changed = json.loads(json.dumps(request))
    node = changed
    for step in path[:-1]:
        node = node[step]
    if value:
        node[path[-1]] = value[0]
    else:
        del node[path[-1]]
    return changed


def _with_children(children: bytes) -> bytes:
    return b'{"parent":' + PARENT % b"1" + b',"children":{"Deployment.apps/v1":{' + children + b'},"Service.v1":{}}}'


_RULES = {
    **_malformed(),
    "no UTF-8": b"\xff",
    "no UTF-8 in what is skipped": BODY[:-1] + b',"later":"\xff"}',
    "no JSON in what is skipped": BODY[:-1] + b',"later":nul}',
    "too deep": b"[" * 5000,
    "a list": b"[]",
    "an empty text": b'""',
    "a spec of 4 MiB": json.dumps({**_REQUEST, "parent": my_resource(later="x" * 4 * MIB)}).encode(),
    "too many objects": _with_children(b",".join(b'"c%d":{"a":"%020d"}' % (each, each) for each in range(50_001))),
    "a number that is too long": json.dumps(_REQUEST).encode().replace(b'"a": 1', b'"a": ' + b"1" * 5000),
    "two children of a name": json.dumps(
        _changed(_REQUEST, ("children", "Deployment.apps/v1"), {"a": _OBJECT, "b": _OBJECT})
    ).encode(),
    "a twin of a key": BODY[:-1] + b',"parent":null}',
    "a kind that is not declared": json.dumps(
        _changed(_REQUEST, ("children",), {**_REQUEST["children"], "Ingress.v1": {}})
    ).encode(),
}  # fmt: skip


def _observed() -> bytes:
    """Return the request of a MyResource whose children are there."""
    made = [owned(child, _WEB) for child in sync(_WEB)["children"]]
    return json.dumps({"parent": _WEB, "children": grouped(*made), "related": {}}).encode()


def _ready() -> bytes:
    return json.dumps({"parent": _WEB, "children": grouped(*finished(_WEB)), "related": {}}).encode()


MYRESOURCE = {
    **named(
        {
            "plain": raw(body=BODY),
            "children that are there": raw(body=_observed()),
            "a finished rollout": raw(body=_ready()),
            "an invalid spec": raw(body=json.dumps({**_REQUEST, "parent": my_resource(replicas=-1)}).encode()),
            "being deleted": raw(body=json.dumps({**_REQUEST, "parent": my_resource(deleting=True)}).encode()),
            "customize": raw("POST /customize HTTP/1.1", body=customize_request(_WEB)),
            "customize of an invalid spec": raw(
                "POST /customize HTTP/1.1", body=customize_request(my_resource(replicas=-1))
            ),
            **{f"malformed: {name}": raw(body=body) for name, body in _RULES.items()},
        }
    ),
}
HOSTILE = {
    name: Exchange((sent,), ends=name.startswith("unfinished"))
    for name, sent in CASES.items()
    if name != "unfinished: a length that is too short"  # the client has closed: whether it is answered is a race
}
