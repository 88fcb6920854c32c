import hashlib
import re
from datetime import datetime
from functools import partial
from typing import Annotated, ClassVar, Literal

import msgspec

from metahook import (
    Conditions,
    ConfigMap,
    Controller,
    Deployment,
    Kind,
    Manifest,
    Object,
    Parent,
    Service,
    SyncRequest,
    SyncResponse,
    crd,
    drifted_field,
    ready,
    rolled_out,
    set_condition,
    try_read,
)
from metahook.server import Address, serve

SITE = Kind("example.com/v1", "StaticSite", "staticsites")
HOST = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
SERVICE_NAME = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")


class SiteSpec(msgspec.Struct):
    host: Annotated[str, msgspec.Meta(pattern=HOST, max_length=253)]
    """The name under which browsers find the site."""
    html: Annotated[str, msgspec.Meta(max_length=500_000)]
    """The page."""
    replicas: Annotated[int, msgspec.Meta(ge=0, le=100)] = 2


class SiteStatus(Conditions, frozen=True, kw_only=True):
    """Available is True while Pods serve the page, maybe an older one; Ready once all of them serve the newest."""


Words = tuple[Literal["True", "False"], str, str]
"""Status, reason and message of a condition."""

READY = '.status.conditions[?(@.type=="Ready")].status'
CRD = crd(SITE, SiteSpec, SiteStatus, columns={"Host": ".spec.host", "Ready": READY})


class Ingress(Object, frozen=True):
    KIND: ClassVar[Kind] = Kind("networking.k8s.io/v1", "Ingress", "ingresses")


def sync(request: SyncRequest, now: datetime) -> SyncResponse:
    """Return the objects that serve the page of one StaticSite, and whether they do."""
    parent, spec = request.parent, try_read(request.parent.spec, SiteSpec)
    condition = partial(set_condition, now=now, generation=parent.generation)
    if spec is None or not SERVICE_NAME.fullmatch(parent.name):
        message = "The spec does not fit the CRD, or metadata.name is not a DNS label that starts with a letter."
        conditions = condition(parent.conditions, "Ready", "False", "InvalidSpec", message)
        return SyncResponse({"conditions": conditions}, kept=request.children.kept())
    children = [_config_map(parent, spec), _deployment(parent, spec), _service(parent), _ingress(parent, spec)]
    conditions = condition(parent.conditions, "Available", *_available(request))
    return SyncResponse({"conditions": condition(conditions, "Ready", *_ready(request, children))}, children)


def _available(request: SyncRequest) -> Words:
    if ready(request.children.get(Deployment, request.parent.name), "Available"):
        return "True", "PodsAvailable", "Pods serve the page."
    return "False", "TooFewPods", "Too few Pods serve the page."


def _ready(request: SyncRequest, desired: list[Manifest]) -> Words:
    """Compare what is observed with what is *desired*: a status never reports what is only asked for."""
    if waiting := [child["kind"] for child in desired if drifted_field(child, request.children)]:
        return "False", "Updating", f"Waiting for an update of {', '.join(waiting)}."
    if not rolled_out(request.children.get(Deployment, request.parent.name)):
        return "False", "RollingOut", "Waiting for all Pods to serve the newest page."
    return "True", "RolledOut", "All Pods serve the newest page."


def _config_map(parent: Parent, spec: SiteSpec) -> Manifest:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": _metadata(parent), "data": {"index.html": spec.html}}


def _deployment(parent: Parent, spec: SiteSpec) -> Manifest:
    container = {
        "name": "nginx",
        "image": "nginxinc/nginx-unprivileged:1.29-alpine",
        "ports": [{"containerPort": 8080}],
        "readinessProbe": {"httpGet": {"port": 8080}},
        "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}},
        "volumeMounts": [{"name": "page", "mountPath": "/usr/share/nginx/html"}],
    }
    # Another page is another template, so it rolls out, and the Deployment reports when it has.
    annotations = {"example.com/page": hashlib.sha256(spec.html.encode()).hexdigest()}
    template = {
        "metadata": {"labels": _labels(parent), "annotations": annotations},
        "spec": {"containers": [container], "volumes": [{"name": "page", "configMap": {"name": parent.name}}]},
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": _metadata(parent),
        "spec": {"replicas": spec.replicas, "selector": {"matchLabels": _labels(parent)}, "template": template},
    }


def _service(parent: Parent) -> Manifest:
    spec = {"selector": _labels(parent), "ports": [{"port": 80, "targetPort": 8080}]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": _metadata(parent), "spec": spec}


def _ingress(parent: Parent, spec: SiteSpec) -> Manifest:
    backend = {"service": {"name": parent.name, "port": {"number": 80}}}
    path = {"path": "/", "pathType": "Prefix", "backend": backend}
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": _metadata(parent),
        "spec": {"rules": [{"host": spec.host, "http": {"paths": [path]}}]},
    }


def _metadata(parent: Parent) -> Manifest:
    return {"name": parent.name, "namespace": parent.namespace}


def _labels(parent: Parent) -> dict[str, str]:
    return {"staticsite": parent.name}


SITES = Controller(
    sync=sync,
    children=(ConfigMap, Deployment, Service, Ingress),
    example_spec={"host": "www.example.com", "html": "<h1>hello</h1>"},
    parent=SITE,
)

if __name__ == "__main__":
    serve(SITES, Address("0.0.0.0", 8080), Address("0.0.0.0", 8081))
