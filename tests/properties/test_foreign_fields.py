"""Unknown fields and objects of others may stand in a request, and change nothing in the response."""

import json
from typing import Any

import pytest

from metahook.server.app import create_app
from tests.invalid.mutations import DEPLOYMENT, KEPT_BY_MANAGED_FIELDS, REQUESTS
from tests.requests.builders import MYRESOURCE, NOW, Json
from toolkit.mutations import CANARY, Path, replaced
from toolkit.served.asgi import call

APP = create_app(MYRESOURCE, clock=lambda: NOW)
OTHER_OWNER = [{"uid": "6f9619ff-8b86-4d01-b42d-00c04fc964ff", "controller": True}]


def answer_to(request: Json) -> bytes:
    response = call(APP, "/sync", json.dumps(request).encode())
    assert response.status_code == 200
    return response.content


def among(request: Json, **metadata: Any) -> Json:
    """Return *request* with two more Deployments, like the parent's but for their *metadata*: one before, one after."""
    group, key = DEPLOYMENT[1:]
    own = request["children"][group][key]
    strange = {**own, "metadata": {**own["metadata"], **metadata}, "spec": {}, "status": {}}
    another = {**strange, "metadata": {**strange["metadata"], "name": "another"}}
    groups = {**request["children"], group: {"a/stranger": strange, key: own, "z/another": another}}
    return {**request, "children": groups}


UNKNOWN_PLACES: dict[str, Path] = {
    "request": (),
    "parent": ("parent",),
    "parent's metadata": ("parent", "metadata"),
    "parent's spec": ("parent", "spec"),
    "parent's status": ("parent", "status"),
    "parent's condition": ("parent", "status", "conditions", 0),
    "child": DEPLOYMENT,
    "child's metadata": (*DEPLOYMENT, "metadata"),
    "child's owner": (*DEPLOYMENT, "metadata", "ownerReferences", 0),
    "child's spec": (*DEPLOYMENT, "spec"),
    "child's container": (*DEPLOYMENT, "spec", "template", "spec", "containers", 0),
    "child's status": (*DEPLOYMENT, "status"),
}


@pytest.mark.parametrize("path", UNKNOWN_PLACES.values(), ids=UNKNOWN_PLACES.keys())
@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS.keys())
def test_an_unknown_field_changes_nothing(request_: Json, path: Path) -> None:
    changed = replaced(request_, path, lambda node: {**node, "laterVersion": {"of": [CANARY, None]}})

    assert answer_to(changed) == answer_to(request_)


@pytest.mark.parametrize(
    "metadata",
    [{"namespace": "other"}, {"namespace": None}, {"name": "other", "ownerReferences": OTHER_OWNER}],
    ids=["another namespace", "no namespace", "another parent"],
)
@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS.keys())
def test_the_children_of_others_change_nothing(request_: Json, metadata: Json) -> None:
    assert answer_to(among(request_, **metadata)) == answer_to(request_)


def test_a_second_child_of_the_parents_own_does_change_what_is_kept() -> None:
    changed = among(KEPT_BY_MANAGED_FIELDS, name="second")

    assert answer_to(changed) != answer_to(KEPT_BY_MANAGED_FIELDS)
