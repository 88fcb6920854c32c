"""Controllers of other shapes than that of Widgets, as their manifests, and hooks of raw JSON for them."""

import json
from collections.abc import Callable
from typing import Any

from metahook.simulator.hook import Reply
from metahook.simulator.metacontroller.settings import Mode, Settings
from metahook.simulator.world import World

Json = dict[str, Any]

METACONTROLLER = "metacontroller.k8s.io/v1alpha1"
ANYTHING = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def crd(kind: str, plural: str, scope: str = "Namespaced") -> Json:
    """Return a CRD of example.com with a status, that allows any field."""
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": ANYTHING, "status": ANYTHING}}}
    version = {"name": "v1", "served": True, "storage": True, "subresources": {"status": {}}, "schema": schema}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"kind": kind, "plural": plural, "singular": kind.lower()},
            "scope": scope,
            "versions": [version],
        },
    }


ROOM = crd("Room", "rooms")
TENANT = crd("Tenant", "tenants", "Cluster")


def hooks(*names: str, version: str = "v2") -> Json:
    """Return ``spec.hooks`` with these hooks of *version*; an address is added where they are served."""
    return {name: {"version": version} for name in names}


def composite(resource: str, *children: Json, **more: Any) -> Json:
    """Return the CompositeController of *resource* of example.com/v1, called after it."""
    spec = {
        "generateSelector": True,
        "parentResource": {"apiVersion": "example.com/v1", "resource": resource},
        "childResources": list(children),
        "hooks": hooks("sync"),
    }
    metadata = {"name": resource}
    return {"apiVersion": METACONTROLLER, "kind": "CompositeController", "metadata": metadata, "spec": spec | more}


def decorator(name: str, resources: list[Json], *attachments: Json, **more: Any) -> Json:
    """Return a DecoratorController."""
    spec = {"resources": resources, "attachments": list(attachments), "hooks": hooks("sync")}
    metadata = {"name": name}
    return {"apiVersion": METACONTROLLER, "kind": "DecoratorController", "metadata": metadata, "spec": spec | more}


def resource(api_version: str, plural: str, method: str | None = "InPlace") -> Json:
    """Return a rule for children, or with a *method* of None for the resources of a decorator."""
    rule = {"apiVersion": api_version, "resource": plural}
    return rule | ({"updateStrategy": {"method": method}} if method else {})


CONFIG_MAPS = resource("v1", "configmaps")


def item(api_version: str, kind: str, name: str, namespace: str | None = None, **more: Any) -> Json:
    """Return an object."""
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {}) | more.pop("metadata", {})
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **more}


def config_map(name: str, namespace: str | None = None, **data: str) -> Json:
    """Return a ConfigMap."""
    return item("v1", "ConfigMap", name, namespace, data=data)


def room(name: str = "a", **spec: Any) -> Json:
    """Return a Room in the namespace default."""
    return item("example.com/v1", "Room", name, "default", spec=spec)


def tenant(name: str = "team-a", **spec: Any) -> Json:
    """Return a Tenant, which is cluster-scoped."""
    return item("example.com/v1", "Tenant", name, spec=spec)


class Decides:
    """A hook of functions of the request: one for each of its hooks."""

    def __init__(self, **functions: Callable[[Json], Json]) -> None:
        self.functions = functions
        self.requests: list[tuple[str, Json]] = []

    def __call__(self, hook: str, body: bytes) -> Reply:
        """Return the response of the function for *hook*."""
        request = json.loads(body)
        self.requests.append((hook, request))
        return Reply(200, json.dumps(self.functions[hook](request)).encode())

    def last(self, hook: str = "sync") -> Json:
        """Return the last request to *hook*."""
        return next(request for name, request in reversed(self.requests) if name == hook)


def cluster(controller: Json, hook: Decides, *objects: Json, mode: Mode = "dynamic-apply") -> World:
    """Return a quiet world with *controller*, in which *objects* were created."""
    made = World(hook, Settings.read(controller, [ROOM, TENANT], mode))
    for each in objects:
        made.apply(each)
    assert made.until_quiet()
    return made
