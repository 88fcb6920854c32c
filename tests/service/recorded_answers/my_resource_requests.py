"""Requests to the hook of MyResources: good, malformed (tests/invalid has each way), and hostile."""

import json

from metahook.protocol.request_builder import customize_request
from tests.requests.builders import Json, finished, grouped, my_resource, sync
from tests.service.recorded_answers.exchange import Exchange
from tests.service.recorded_answers.request import (
    CHUNKED,
    HALF,
    JSON,
    LAST_CHUNK,
    MIB,
    PLAIN,
    TEXT,
    asking,
    chunk,
    named,
    raw,
)
from toolkit.builders import owned
from toolkit.hostile import BODY, CASES, PARENT

_WEB = my_resource(ports=[{"containerPort": 8080}])
_OBJECT: Json = {"metadata": {"name": "web", "namespace": "default", "uid": "u", "generation": 1}, "spec": {"a": 1}}
_REQUEST: Json = {
    "parent": my_resource(),
    "children": {"Deployment.apps/v1": {"web": _OBJECT}, "Service.v1": {}},
    "related": {"Pod.v1": {}},
}


def _with_children(children: bytes) -> bytes:
    return b'{"parent":' + PARENT % b"1" + b',"children":{"Deployment.apps/v1":{' + children + b'},"Service.v1":{}}}'


_RULES = {
    "no children": json.dumps({**_REQUEST, "children": None}).encode(),
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
        {**_REQUEST, "children": {"Deployment.apps/v1": {"a": _OBJECT, "b": _OBJECT}, "Service.v1": {}}}
    ).encode(),
    "a twin of a key": BODY[:-1] + b',"parent":null}',
    "a kind that is not declared": json.dumps(
        {**_REQUEST, "children": {**_REQUEST["children"], "Ingress.v1": {}}}
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

# Several requests, and requests in pieces

SHORT_PAUSE = 0.1
LONG = raw(body=BODY[:-1] + b',"later":"' + b"x" * 256 * 1024 + b'"}')
"""Its end arrives before it is decided, in a thread."""
CUSTOMIZE = raw("POST /customize HTTP/1.1", body=customize_request(_WEB))

CONNECTIONS = {
    "half a body": Exchange((PLAIN[:-10],)),
    "half a chunked body": Exchange((CHUNKED + chunk(BODY[:20]),)),
    "a head in pieces": Exchange((PLAIN[:10], PLAIN[10:40], PLAIN[40:]), SHORT_PAUSE),
    "a body in pieces": Exchange((PLAIN[:-30], PLAIN[-30:-10], PLAIN[-10:]), SHORT_PAUSE),
    "chunks in pieces": Exchange((CHUNKED, chunk(BODY[:20]), chunk(BODY[20:]), LAST_CHUNK), SHORT_PAUSE),
    "a client that leaves before its body ends": Exchange((PLAIN[:-10],), ends=True),
    "a client that leaves in a head": Exchange((HALF,), ends=True),
    "a client that only sends": Exchange((LONG,), ends=True),
    "several requests on a connection": Exchange((PLAIN, CUSTOMIZE, PLAIN)),
    "pipelined requests": Exchange((PLAIN * 3,)),
    "a request after 400": Exchange((raw(body=b"{}"), PLAIN)),
    "a request after 404": Exchange((raw("POST /sync/ HTTP/1.1", body=BODY), PLAIN)),
    "a request after 405": Exchange((raw("PUT /sync HTTP/1.1", body=BODY), PLAIN)),
    "a request after 415": Exchange((raw("POST /sync HTTP/1.1", TEXT, body=b"x" * 200_000), PLAIN)),
    "a request after garbage": Exchange((b"canary\r\n\r\n", PLAIN)),
    "a request after HTTP/1.0": Exchange((raw("POST /sync HTTP/1.0", body=BODY), PLAIN)),
    "asks before it sends a body": Exchange((asking("/sync", len(BODY)), BODY)),
    "asks and sends the next request": Exchange((asking("/sync", len(BODY)), BODY, PLAIN)),
    "asks before a body for no path": Exchange((asking("/none", len(BODY)), BODY)),
    "asks before a body that is too large": Exchange((asking("/sync", 100 * MIB), BODY)),
    "expects something else": Exchange((raw("POST /sync HTTP/1.1", JSON, "Expect: the-unexpected", body=BODY),)),
}
