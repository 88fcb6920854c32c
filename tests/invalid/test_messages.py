"""The texts of malformed requests: each occurs, and no others."""

import json
from collections.abc import Iterator

import pytest

from metahook.server.app import create_app
from metahook.server.telemetry.refusals import MOST
from tests.invalid.messages import TEXTS
from tests.requests.builders import MYRESOURCE, NOW, NOW_TEXT, Json, my_resource
from toolkit.mutations import CANARY, REPLACEMENTS, places, replaced, without
from toolkit.served.asgi import post_all

APP = create_app(MYRESOURCE, clock=lambda: NOW)

OBJECT: Json = {
    "metadata": {
        "name": "web",
        "namespace": "default",
        "uid": "u",
        "resourceVersion": "1",
        "generation": 1,
        "labels": {CANARY: CANARY},
        "annotations": {CANARY: CANARY},
        "ownerReferences": [{"uid": CANARY, "apiVersion": CANARY, "kind": CANARY, "name": CANARY, "controller": False}],
        "finalizers": [CANARY],
        "creationTimestamp": NOW_TEXT,
        "deletionTimestamp": None,
    },
    "spec": {CANARY: 1},
    "status": {
        "observedGeneration": 1,
        "replicas": 1,
        "updatedReplicas": 1,
        "readyReplicas": 1,
        "availableReplicas": 1,
        "conditions": [
            {
                "type": CANARY,
                "status": CANARY,
                "reason": CANARY,
                "message": CANARY,
                "lastTransitionTime": NOW_TEXT,
                "lastUpdateTime": NOW_TEXT,
                "observedGeneration": 1,
            }
        ],
    },
}
"""An object with every field that is read of a child."""

PARENT = my_resource()
BODY: Json = {
    "parent": {**PARENT, "metadata": {**PARENT["metadata"], "creationTimestamp": None, "deletionTimestamp": None}},
    "children": {"Deployment.apps/v1": {CANARY: OBJECT}, "Service.v1": {CANARY: OBJECT}},
    "related": {CANARY: {}},
    "finalizing": False,
}
WRONG = [REPLACEMENTS[name] for name in ("null", "a fraction", "empty text", "an empty list", "an empty map")]
LONG_NUMBER = b"1" * 5000


def damaged() -> Iterator[bytes]:
    """Yield the body without each of its fields and items, and with each of them changed by each of WRONG."""
    for path in places(BODY):
        if path:
            yield json.dumps(without(BODY, path)).encode()
        for change in WRONG:
            yield json.dumps(replaced(BODY, path, change)).encode()


def special() -> Iterator[bytes]:
    """Yield bodies that break the other rules."""
    yield b""
    yield b"{"
    yield b"\xff"
    yield b"[" * 5000
    yield json.dumps({**BODY, "finalizing": True}).encode()
    for group in BODY["children"]:
        twins = {**BODY, "children": {**BODY["children"], group: {"a": OBJECT, "b": OBJECT}}}
        huge = {**BODY, "children": {**BODY["children"], group: {"a": {**OBJECT, "spec": {"a": "@"}}}}}
        yield json.dumps(twins).encode()
        yield json.dumps(huge).encode().replace(b'"@"', LONG_NUMBER)


def test_every_text_is_the_answer_to_a_request_and_there_are_no_others(caplog: pytest.LogCaptureFixture) -> None:
    answers = [answer.json() for answer in post_all(APP, "/sync", [*damaged(), *special()])]
    texts = [answer["error"] for answer in answers if "error" in answer]

    assert set(texts) == TEXTS - {"the body is incomplete"}
    assert [message for message in caplog.messages if CANARY in message] == []
    logged = [json.loads(message.partition(" error=")[2].rpartition(" id=")[0]) for message in caplog.messages]
    assert logged == [*list(dict.fromkeys(texts))[:MOST], "other causes"]
