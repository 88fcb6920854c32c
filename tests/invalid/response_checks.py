"""The verdict on an exchange: what must hold for the answer to any body whatever."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import httpx
from starlette.types import ASGIApp

from tests.requests.builders import Json
from toolkit.mutations import CANARY
from toolkit.served.asgi import post_all
from toolkit.served.refusals import error

MALFORMED = re.compile(r"(the body|parent|children|related|finalizing)\b[^\"'\\]*")
"""A place in a request, and its rule. metahook/tests/protocol has these texts."""


def faults(app: ASGIApp, path: str, bodies: Mapping[str, bytes]) -> dict[str, list[str]]:
    """Return what is wrong with the answers of *app* to *bodies*, for those with which anything is."""
    responses = post_all(app, path, bodies.values())
    found = {name: complaints(bodies[name], answer) for name, answer in zip(bodies, responses, strict=True)}
    return {name: said for name, said in found.items() if said}


def is_malformed(response: httpx.Response) -> bool:
    """Tell whether *response* refuses a malformed request, in a text that has nothing of it."""
    text = error(response.content)
    return response.status_code == 400 and CANARY not in text and MALFORMED.fullmatch(text) is not None


def complaints(body: bytes, response: httpx.Response) -> list[str]:
    """Return what is wrong with *response* to *body*."""
    if response.status_code != 200:
        return [] if is_malformed(response) else [f"{response.status_code}: {response.text}"]
    answer, request = response.json(), json.loads(body)
    return [
        *(["a null"] if _has_null(answer) else []),
        *(_of_rules(answer, request) if "relatedResources" in answer else _of_sync(answer, request)),
    ]


def _of_rules(answer: Json, request: Json) -> Iterator[str]:
    if any(rule["namespace"] != request["parent"]["metadata"]["namespace"] for rule in answer["relatedResources"]):
        yield "a rule for another namespace"


def _of_sync(answer: Json, request: Json) -> Iterator[str]:
    listed = [(child["kind"], child["metadata"]["name"]) for child in answer["children"]]
    if not answer["status"]:
        yield "no status"
    if len(set(listed)) < len(listed):
        yield "two children of one name"
    if not {("Deployment", name) for name in _observed(request)} <= set(listed):
        yield "the Deployment is missing"


def _observed(request: Json) -> set[str]:
    """Return the name of the parent's Deployment if it was observed: in its namespace, without another controller."""
    parent = request["parent"]["metadata"]
    seen = [item["metadata"] for item in (request["children"].get("Deployment.apps/v1") or {}).values()]
    mine = [item for item in seen if item.get("namespace") == parent["namespace"]]
    return {f"{parent['name']}-deployment"} & {
        item["name"] for item in mine if _controller(item) in (None, parent["uid"])
    }


def _controller(metadata: Json) -> object:
    owners = metadata.get("ownerReferences") or []
    return next((owner["uid"] for owner in owners if owner.get("controller")), None)


def _has_null(node: Any) -> bool:
    if isinstance(node, dict):
        return any(map(_has_null, node.values()))
    if isinstance(node, list):
        return any(map(_has_null, node))
    return node is None
