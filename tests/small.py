"""Small children, and a hook whose answer a test sets."""

import json
from typing import Any

import pytest

from tests.build import my_resource
from tests.cluster.api_server import ApiServer
from tests.metacontroller import MODES, Metacontroller, Mode

Json = dict[str, Any]

both_modes = pytest.mark.parametrize("mode", MODES)
WRITES = {"dynamic-apply": ("POST", "PUT"), "server-side-apply": ("PATCH", "PATCH")}
"""How a child is made, and how it is changed."""


def deployment(name: str = "web-deployment", **more: Any) -> Json:
    """Return a small Deployment, as an answer lists it."""
    labels = {"myresource": "web"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "nginx:1"}]}}
    spec = {"selector": {"matchLabels": labels}, "template": template, **more}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "labels": labels}, "spec": spec}


def with_main(**main: Any) -> Json:
    """Return a Deployment with these fields in its container."""
    made = deployment()
    made["spec"]["template"]["spec"]["containers"][0].update(main)
    return made


def service(**selector: str) -> Json:
    """Return a small Service, as an answer lists it."""
    spec = {"selector": selector or {"myresource": "web"}, "ports": [{"port": 80}]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": spec}


def foreign(item: Json) -> Json:
    """Return *item* as somebody else made it."""
    return {**item, "metadata": {**item["metadata"], "namespace": "default", "labels": {}}}


class Hook:
    """A hook whose answer a test sets."""

    def __init__(self, *children: Json) -> None:
        self.answer: Json = {"status": {"state": "Building"}, "children": list(children)}

    def __call__(self, _: bytes) -> bytes:
        """Return the answer."""
        return json.dumps(self.answer).encode()


def started(mode: Mode, hook: Hook) -> Metacontroller:
    """Return a Metacontroller that has a parent to sync."""
    api = ApiServer()
    api.put(my_resource())
    return Metacontroller(api, mode, hook)


def synced(mode: Mode, hook: Hook) -> Metacontroller:
    """Return a Metacontroller that has synced its parent."""
    metacontroller = started(mode, hook)
    metacontroller.sync("web")
    return metacontroller


def seen(metacontroller: Metacontroller, kind: str = "Deployment", name: str = "web-deployment") -> Json:
    """Return an object as it is stored."""
    found = metacontroller.api.get(kind, name)
    assert found is not None
    return found
