"""The lives of controllers of many shapes: what happens to their objects, step by step."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, NamedTuple

import yaml
from stateful_set_services import PORT, SERVICES
from staticsites import SITES
from tenants import TENANTS as EXAMPLE_TENANTS

from metahook import Controller
from metahook.simulator.hook import Reply, in_process
from metahook.simulator.objects import Json
from toolkit import controllers as made
from toolkit.controllers import Decides, hooks, item, resource, room, tenant
from toolkit.hooks import raw
from toolkit.root import ROOT

Step = Callable[[Any], object]
"""It gets where a life is led: Simulated or Real of test_controllers_as_simulated.py."""


class Life(NamedTuple):
    """A controller, its hook, what happens to its objects, step by step, and the kinds of these.

    If it *is_exact*, it is also compared which objects the hook is called for at each step. That holds where no step
    writes again what a cache may lack.
    """

    controller: Json
    hook: Callable[[], Decides]
    steps: list[Step]
    kinds: tuple[str, ...] = ("Room", "Tenant", "ConfigMap", "Service")
    is_exact: bool = False


NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)


class Answers(Decides):
    """A controller of the toolkit, whose clock stands still."""

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        self._call = in_process(controller, lambda: NOW)

    def __call__(self, hook: str, body: bytes) -> Reply:
        """Return the response of the controller."""
        self.requests.append((hook, json.loads(body)))
        return self._call(hook, body)


EXAMPLES = ROOT / "examples"


def _example(folder: str, controller: Controller, kinds: tuple[str, ...], *steps: Step) -> Life:
    """Return a life of the example in a *folder*."""
    manifest = yaml.safe_load((EXAMPLES / folder / "controller.yaml").read_text())
    return Life(manifest, lambda: Answers(controller), list(steps), kinds)


def _reports(request: Json) -> Json:
    """Report the keys of all related objects."""
    return {"status": {"related": {group: sorted(items) for group, items in request["related"].items()}}}


def _rules(*rules: Json) -> Callable[[], Decides]:
    return lambda: Decides(sync=_reports, customize=lambda _: {"relatedResources": list(rules)})


def _related(version: str, *rules: Json) -> Life:
    there = {"labels": {"team": "a"}}
    controller = made.composite("rooms", hooks=hooks("sync", "customize", version=version))
    labelled = {"labels": {"look": "yes"}}
    return Life(
        controller,
        _rules(*rules),
        [
            lambda it: it.apply(item("v1", "Namespace", "there", metadata=there)),
            lambda it: it.apply(room("a")),
            lambda it: it.apply(item("v1", "ConfigMap", "far", "there", metadata=labelled)),
            lambda it: it.apply(item("v1", "ConfigMap", "near", "default", metadata=labelled)),
            lambda it: it.apply(item("example.com/v1", "Tenant", "whole", metadata=labelled, spec={})),
            lambda it: it.edit("ConfigMap", "far", {"metadata": {"labels": None}}, "there"),
        ],
    )


MAPS, TENANTS = {"apiVersion": "v1", "resource": "configmaps"}, {"apiVersion": "example.com/v1", "resource": "tenants"}
LOOK: Json = {"labelSelector": {"matchLabels": {"look": "yes"}}}

SELECTOR: Json = {"selector": {"matchLabels": {"room": "a"}}}


def _inner(request: Json) -> Json:
    """Desire a Tenant in a Tenant."""
    is_inner = request["parent"]["metadata"]["name"] == "inner"
    child = item("example.com/v1", "Tenant", "inner", spec=request["parent"]["spec"])
    return {"status": {}, "children": [] if is_inner else [child]}


def _looks(request: Json) -> Json:
    """Relate the ConfigMaps whose label has the name of the parent."""
    name = request["parent"]["metadata"]["name"]
    return {"relatedResources": [MAPS | {"labelSelector": {"matchLabels": {"look": name}}}]}


def _label(look: str | None) -> Json:
    return {"metadata": {"labels": {"look": look}}}


EVENTS: list[Step] = [
    lambda it: it.apply(room("a", word="hi")),
    lambda it: it.apply(room("b", word="hi")),
    lambda it: it.edit("Room", "a", {"metadata": {"annotations": {"sync": "now"}}}),
    lambda it: it.edit("ConfigMap", "a", {"data": {"more": "1"}}),
    lambda it: it.edit("ConfigMap", "a", {"metadata": {"ownerReferences": None}}),
    lambda it: it.delete("ConfigMap", "a"),
    lambda it: it.apply(item("v1", "ConfigMap", "far", "default", metadata={"labels": {"look": "a"}})),
    lambda it: it.edit("ConfigMap", "far", {"metadata": {"annotations": {"x": "y"}}}),
    lambda it: it.edit("ConfigMap", "far", _label("b")),
    lambda it: it.edit("ConfigMap", "far", _label(None)),
    lambda it: it.edit("ConfigMap", "far", {"metadata": {"annotations": {"x": "z"}}}),
    lambda it: it.edit("ConfigMap", "far", _label("b")),
    lambda it: it.delete("ConfigMap", "far"),
    lambda it: it.delete("Room", "a"),
]
"""Events of parents, children and related objects: each calls some of two parents."""


def _goes(policy: str) -> Life:
    return Life(
        raw.FINALIZED,
        lambda: Decides(sync=raw.copy, finalize=raw.waits),
        [
            lambda it: it.apply(room(word="hi")),
            lambda it: it.delete("Room", "a", policy),
            lambda it: it.edit("Room", "a", {"metadata": {"annotations": {"go": "yes"}}}),
        ],
    )


def _detached(request: Json) -> Json:
    left = request["attachments"]["ConfigMap.v1"]
    return {"attachments": [], "labels": {"copied": None}, "finalized": not left}


def _tenants(version: str) -> Life:
    return Life(
        raw.TENANTS | {"spec": raw.TENANTS["spec"] | {"hooks": hooks("sync", version=version)}},
        lambda: Decides(sync=raw.of_tenant),
        [
            # Not the name of another life, as its namespace may not be gone yet.
            lambda it: it.apply(tenant(f"team-{version}")),
            lambda it: it.edit("ConfigMap", "limits", {"data": {"word": "by hand"}}, f"team-{version}"),
            lambda it: it.delete("Tenant", f"team-{version}", namespace=""),
        ],
    )


def _words(controller: Json) -> Life:
    return Life(
        controller,
        lambda: Decides(sync=raw.copy),
        [
            lambda it: it.apply(room(word="hi")),
            lambda it: it.apply(room(word="ho")),
            lambda it: it.delete("ConfigMap", "a"),
            lambda it: it.delete("Room", "a"),
        ],
    )


SITE_CRD: Json = yaml.safe_load((EXAMPLES / "staticsite/crd.yaml").read_text())


def _site(**spec: Any) -> Json:
    spec = {"host": "www.example.com", "html": "hello", "replicas": 0, **spec}
    return item("example.com/v1", "StaticSite", "www", "default", spec=spec)


STUDIO = "tenant-studio"
QUOTA = {"spec": {"hard": {"pods": "99"}}}


def _claim() -> Json:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    return item("v1", "PersistentVolumeClaim", "data", STUDIO, spec=spec)


def _stateful_set() -> Json:
    labels = {"app": "db"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "postgres:18"}]}}
    spec = {"replicas": 0, "serviceName": "db", "selector": {"matchLabels": labels}, "template": template}
    return item("apps/v1", "StatefulSet", "db", "default", metadata={"annotations": {PORT: "5432"}}, spec=spec)


def _port(port: str | None) -> Json:
    return {"metadata": {"annotations": {PORT: port}}}


LIVES = {
    "events of two parents": Life(
        made.composite("rooms", made.CONFIG_MAPS, hooks=hooks("sync", "customize")),
        lambda: Decides(sync=raw.copy, customize=_looks),
        EVENTS,
        is_exact=True,
    ),
    "example of a static site": _example(
        "staticsite",
        SITES,
        ("StaticSite", "ConfigMap", "Deployment", "Service", "Ingress"),
        lambda it: it.apply(_site()),
        lambda it: it.edit("ConfigMap", "www", {"data": {"index.html": "by hand"}}),
        lambda it: it.apply(_site(html="bye")),
        lambda it: it.edit("Ingress", "www", {"spec": {"rules": [{"host": "mine.example.com"}]}}),
        lambda it: it.delete("Service", "www"),
        lambda it: it.delete("StaticSite", "www"),
    ),
    "example of a tenant": _example(
        "tenant",
        EXAMPLE_TENANTS,
        ("Tenant", "Namespace", "ResourceQuota", "RoleBinding", "NetworkPolicy"),
        lambda it: it.apply(tenant("studio", groups=["a", "b"])),
        lambda it: it.edit("ResourceQuota", "tenant", QUOTA, STUDIO),
        lambda it: it.edit("RoleBinding", "tenant", {"subjects": []}, STUDIO),
        lambda it: it.apply(tenant("studio", groups=["a"], pods=5)),
        lambda it: it.apply(_claim()),
        lambda it: it.delete("Tenant", "studio", namespace=""),
        lambda it: it.edit("ResourceQuota", "tenant", QUOTA, STUDIO),
        lambda it: it.edit("PersistentVolumeClaim", "data", {"metadata": {"finalizers": None}}, STUDIO),
        lambda it: it.delete("PersistentVolumeClaim", "data", namespace=STUDIO),
    ),
    "example of a Service per StatefulSet": _example(
        "service-per-statefulset",
        SERVICES,
        ("StatefulSet", "Service"),
        lambda it: it.apply(_stateful_set()),
        lambda it: it.edit("StatefulSet", "db", _port("6432")),
        lambda it: it.edit("Service", "db-client", {"spec": {"selector": {"app": "other"}}}),
        lambda it: it.edit("StatefulSet", "db", _port("no port")),
        lambda it: it.edit("StatefulSet", "db", _port(None)),
        lambda it: it.edit("StatefulSet", "db", _port("5432")),
        lambda it: it.delete("StatefulSet", "db"),
    ),
    "decorator": Life(
        raw.CONTROLLER | {"spec": raw.CONTROLLER["spec"] | {"hooks": hooks("sync", "finalize")}},
        lambda: Decides(sync=raw.attach, finalize=_detached),
        [
            lambda it: it.apply(room(word="hi")),
            lambda it: it.apply(raw.service()),
            lambda it: it.apply(raw.service(copy="yes")),
            lambda it: it.edit("ConfigMap", "a", {"data": {"word": "by hand"}}),
            lambda it: it.edit("Service", "s", {"metadata": {"annotations": {"copy": None}}}),
            lambda it: it.delete("Room", "a"),
        ],
    ),
    "cluster-scoped parent, v1": _tenants("v1"),
    "cluster-scoped parent, v2": _tenants("v2"),
    "finalize, background": _goes("background"),
    "finalize, foreground": _goes("foreground"),
    "finalize, orphan": _goes("orphan"),
    "Recreate": _words(made.composite("rooms", resource("v1", "configmaps", "Recreate"))),
    "OnDelete": _words(made.composite("rooms", resource("v1", "configmaps", None))),
    "Recreate of a kind with a generation": Life(
        made.composite("tenants", resource("example.com/v1", "tenants", "Recreate")),
        lambda: Decides(sync=_inner),
        [lambda it: it.apply(tenant(word="hi")), lambda it: it.apply(tenant(word="ho"))],
    ),
    "a selector of the parent": Life(
        raw.SELECTED,
        lambda: Decides(sync=raw.labelled),
        [
            lambda it: it.apply(item("v1", "ConfigMap", "orphan", "default", metadata=raw.MINE)),
            lambda it: it.apply(room(word="hi", **SELECTOR)),
            lambda it: it.edit("ConfigMap", "a", {"metadata": {"labels": {"room": "b"}}}),
        ],
    ),
    "related, v1": _related("v1", MAPS | LOOK, TENANTS | LOOK),
    "related, v2": _related("v2", MAPS | LOOK, TENANTS | LOOK),
    "related by namespaces": _related("v2", MAPS | LOOK | {"namespaceSelector": {"matchLabels": {"team": "a"}}}),
    "related by name": _related("v2", MAPS | {"names": ["far", "near"]}, TENANTS | {"names": ["whole"]}),
}
