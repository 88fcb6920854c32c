"""Controllers of other shapes than the operator's lead the same life in the simulator and on the real control plane."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from difflib import unified_diff
from typing import Any, NamedTuple, Protocol

import pytest

from metahook.envtest import Cluster
from metahook.envtest.client import Refused
from metahook.simulator.metacontroller.settings import MODES, Mode, Settings
from metahook.simulator.objects import Json, Key
from metahook.simulator.world import World
from tests.e2e.foreign import RecordingServer
from tests.hooks.notes import NOTES
from tests.simulated import controllers as made
from tests.simulated.controllers import (
    CONFIG_MAPS,
    ROOM,
    TENANT,
    Decides,
    config_map,
    hooks,
    item,
    resource,
    room,
    tenant,
)
from tests.simulator import test_composite, test_decorator

QUIET = 0.7
"""Seconds without a call or a change, after which a step is over."""

SERVED = {"ControllerRevision": "ControllerRevision.metacontroller.k8s.io"}
KINDS = ("Room", "Tenant", "ConfigMap", "Service", "ControllerRevision")


class Stage(Protocol):
    """Where a life is led."""

    def apply(self, manifest: Json) -> None:
        """Create or replace an object."""

    def edit(self, kind: str, name: str, change: Json, namespace: str = "default") -> None:
        """Change an object by a merge patch, in which null removes a field."""

    def delete(self, kind: str, name: str, policy: str = "background", namespace: str = "default") -> None:
        """Delete an object."""


class Life(NamedTuple):
    """A controller, its hook, and what happens to its objects, step by step."""

    controller: Json
    hook: Callable[[], Decides]
    steps: list[Callable[[Stage], object]]


def _reports(request: Json) -> Json:
    """Report the keys of all related objects."""
    return {"status": {"related": {group: sorted(items) for group, items in request["related"].items()}}}


def _rules(*rules: Json) -> Callable[[], Decides]:
    return lambda: Decides(sync=_reports, customize=lambda _: {"relatedResources": list(rules)})


def _related(version: str, *rules: Json) -> Life:
    there = {"metadata": {"labels": {"team": "a"}}}
    controller = made.composite("rooms", hooks=hooks("sync", "customize", version=version))
    labelled = {"labels": {"look": "yes"}}
    return Life(
        controller,
        _rules(*rules),
        [
            lambda it: it.apply(item("v1", "Namespace", "there", **there)),
            lambda it: it.apply(room("a")),
            lambda it: it.apply(item("v1", "ConfigMap", "far", "there", metadata=labelled)),
            lambda it: it.apply(item("v1", "ConfigMap", "near", "default", metadata=labelled)),
            lambda it: it.apply(item("example.com/v1", "Tenant", "whole", metadata=labelled, spec={})),
            lambda it: it.edit("ConfigMap", "far", {"metadata": {"labels": None}}, "there"),
        ],
    )


MAPS, TENANTS = {"apiVersion": "v1", "resource": "configmaps"}, {"apiVersion": "example.com/v1", "resource": "tenants"}
LOOK = {"labelSelector": {"matchLabels": {"look": "yes"}}}

SELECTOR = {"selector": {"matchLabels": {"room": "a"}}, "template": {"metadata": {"labels": {"room": "a"}}}}


def _inner(request: Json) -> Json:
    """Desire a Tenant in a Tenant."""
    is_inner = request["parent"]["metadata"]["name"] == "inner"
    child = item("example.com/v1", "Tenant", "inner", spec=request["parent"]["spec"])
    return {"status": {}, "children": [] if is_inner else [child]}


def _goes(policy: str) -> Life:
    return Life(
        test_composite.FINALIZED,
        lambda: Decides(sync=test_composite.copy, finalize=test_composite.waits),
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
        test_composite.TENANTS | {"spec": test_composite.TENANTS["spec"] | {"hooks": hooks("sync", version=version)}},
        lambda: Decides(sync=test_composite.of_tenant),
        [
            # Not the name of another life, as its namespace may not be gone yet.
            lambda it: it.apply(tenant(f"team-{version}")),
            lambda it: it.edit("ConfigMap", "limits", {"data": {"word": "by hand"}}, f"team-{version}"),
            lambda it: it.delete("Tenant", f"team-{version}", namespace=""),
        ],
    )


def _words(controller: Json, decide: Callable[[Json], Json], **spec: Any) -> Life:
    return Life(
        controller,
        lambda: Decides(sync=decide),
        [
            lambda it: it.apply(room(word="hi", **spec)),
            lambda it: it.apply(room(word="ho", **spec)),
            lambda it: it.delete("ConfigMap", "a"),
            lambda it: it.delete("Room", "a"),
        ],
    )


LIVES = {
    "decorator": Life(
        test_decorator.CONTROLLER | {"spec": test_decorator.CONTROLLER["spec"] | {"hooks": hooks("sync", "finalize")}},
        lambda: Decides(sync=test_decorator.attach, finalize=_detached),
        [
            lambda it: it.apply(room(word="hi")),
            lambda it: it.apply(test_decorator.service()),
            lambda it: it.apply(test_decorator.service(copy="yes")),
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
    "Recreate": _words(made.composite("rooms", resource("v1", "configmaps", "Recreate")), test_composite.copy),
    "OnDelete": _words(made.composite("rooms", resource("v1", "configmaps", None)), test_composite.copy),
    "Recreate of a kind with a generation": Life(
        made.composite("tenants", resource("example.com/v1", "tenants", "Recreate")),
        lambda: Decides(sync=_inner),
        [lambda it: it.apply(tenant(word="hi")), lambda it: it.apply(tenant(word="ho"))],
    ),
    "a selector of the parent": Life(
        test_composite.SELECTED,
        lambda: Decides(sync=test_composite.labelled),
        [
            lambda it: it.apply(item("v1", "ConfigMap", "orphan", "default", metadata=test_composite.MINE)),
            lambda it: it.apply(room(word="hi", **SELECTOR)),
            lambda it: it.edit("ConfigMap", "a", {"metadata": {"labels": {"room": "b"}}}),
        ],
    ),
    "RollingInPlace": _words(test_composite.rolling("RollingInPlace"), test_composite.many, **SELECTOR),
    "RollingRecreate": _words(test_composite.rolling("RollingRecreate"), test_composite.many, **SELECTOR),
    "related, v1": _related("v1", MAPS | LOOK, TENANTS | LOOK),
    "related, v2": _related("v2", MAPS | LOOK, TENANTS | LOOK),
    "related by namespaces": _related("v2", MAPS | LOOK | {"namespaceSelector": {"matchLabels": {"team": "a"}}}),
    "related by name": _related("v2", MAPS | {"names": ["far", "near"]}, TENANTS | {"names": ["whole"]}),
}


class Simulated:
    """The life in the simulator."""

    def __init__(self, life: Life, mode: Mode) -> None:
        self.hook = life.hook()
        self.world = World(self.hook, Settings.read(life.controller, [ROOM, TENANT], mode))

    def apply(self, manifest: Json) -> None:
        self.world.apply(manifest)

    def edit(self, kind: str, name: str, change: Json, namespace: str = "default") -> None:
        self.world.edit(Key(kind, namespace, name), lambda it: _merge(it, change))

    def delete(self, kind: str, name: str, policy: str = "background", namespace: str = "default") -> None:
        if self.world.api.get(Key(kind, namespace, name)) is not None:
            self.world.delete(Key(kind, namespace, name), policy)

    def end(self) -> "Seen":
        """Wait until nothing more happens; return what there is."""
        self.world.until_quiet(within=60)
        return _seen([each for kind in KINDS for each in self.world.api.all(kind)], self.hook)


class Real:
    """The life on a control plane."""

    def __init__(self, cluster: Cluster, hook: Decides) -> None:
        self.cluster = cluster
        self.hook = hook

    def apply(self, manifest: Json) -> None:
        metadata = manifest["metadata"]
        live = self.cluster.get(manifest["kind"], metadata["name"], metadata.get("namespace", ""))
        if live is None:
            self.cluster.client.create(manifest)
        else:
            own = {**live["metadata"], **metadata}
            self.cluster.client.replace({**live, **manifest, "metadata": own})

    def edit(self, kind: str, name: str, change: Json, namespace: str = "default") -> None:
        self.cluster.patch(kind, name, change, namespace)

    def delete(self, kind: str, name: str, policy: str = "background", namespace: str = "default") -> None:
        if self.cluster.get(kind, name, namespace) is not None:
            self.cluster.client.delete(kind, namespace, name, policy.title())

    def end(self) -> "Seen":
        """Wait until nothing more happens; return what there is."""
        before, since = "", time.monotonic()
        while time.monotonic() - since < QUIET:
            time.sleep(0.1)
            now = json.dumps([len(self.hook.requests), self._all()])
            before, since = (before, since) if now == before else (now, time.monotonic())
        return _seen(self._all(), self.hook)

    def _all(self) -> list[Json]:
        found = [{"kind": kind, **each} for kind in KINDS for each in self.cluster.client.all(SERVED.get(kind, kind))]
        return [each for each in found if not _is_of_the_cluster(each)]


def _is_of_the_cluster(item: Json) -> bool:
    """Tell whether *item* is one that every cluster has."""
    name, namespace = (item["metadata"].get(field, "") for field in ("name", "namespace"))
    return name in ("kube-root-ca.crt", "kubernetes") or namespace.startswith("kube-")


@dataclass
class Seen:
    """What there is at the end of a step: the objects, and the last request to each hook for each parent."""

    objects: dict[str, Json]
    requests: dict[str, Json]


def _merge(item: Json, change: Json) -> None:
    for name, value in change.items():
        if value is None:
            item.pop(name, None)
        elif isinstance(value, dict):
            _merge(item.setdefault(name, {}), value)
        else:
            item[name] = value


def _seen(items: list[Json], hook: Decides) -> Seen:
    requests = {f"{name} {_parent(request)['metadata']['name']}": _keys(request) for name, request in hook.requests}
    uids = {each["metadata"]["uid"]: each["metadata"]["name"] for each in items}
    uids |= {_parent(request)["metadata"]["uid"]: _parent(request)["metadata"]["name"] for _, request in hook.requests}
    return Seen({_name(each): _comparable(each, uids) for each in items}, requests)


def _parent(request: Json) -> Json:
    found: Json = request.get("parent") or request["object"]
    return found


def _name(item: Json) -> str:
    metadata = item["metadata"]
    # The name of a ControllerRevision has the hash of a uid.
    name = json.dumps(item["parentPatch"], sort_keys=True) if "parentPatch" in item else metadata["name"]
    return f"{item['kind']} {metadata.get('namespace', '')}/{name}"


def _keys(request: Json) -> Json:
    """Return the keys of the objects in *request*, by group, and its plain fields."""
    groups = {name: value for name, value in request.items() if name in ("children", "attachments", "related")}
    return {name: {group: sorted(items) for group, items in value.items()} for name, value in groups.items()} | {
        "finalizing": request.get("finalizing"),
        "fields": sorted(request),
    }


def _comparable(item: Json, uids: dict[str, str]) -> Json:
    """Return *item* without what differs between clusters, and with names in place of *uids*."""
    metadata = {name: item["metadata"].get(name) for name in ("labels", "annotations", "finalizers", "ownerReferences")}
    metadata["deleting"] = "deletionTimestamp" in item["metadata"]
    body = {name: item.get(name) for name in ("data", "status", "parentPatch", "children")}
    if item["kind"] != "Service":
        body["spec"] = item.get("spec")
    if item["kind"] == "Service":
        body.pop("status")
    text = json.dumps(metadata | body, sort_keys=True)
    for uid, name in uids.items():
        text = text.replace(uid, name)
    found: Json = json.loads(text)
    for condition in (found.get("status") or {}).get("conditions") or []:
        condition["message"] = condition["message"].partition("rooms.example.com-")[0]
    for group in found["children"] or ():
        group["names"].sort()  # they are in the order of a map in Go
    last = "metacontroller.k8s.io/last-applied-configuration"
    if last in (found["annotations"] or {}):
        found["annotations"][last] = json.loads(found["annotations"][last])
    return {name: value for name, value in found.items() if value}


@pytest.fixture(scope="module", params=MODES)
def real(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Cluster, Mode]]:
    """A control plane with Metacontroller in each mode."""
    folder = tmp_path_factory.mktemp("controllers")
    crds = folder / "crds.yaml"
    crds.write_text(f"{json.dumps(ROOM)}\n---\n{json.dumps(TENANT)}\n")
    with Cluster(folder / "cluster", apply_strategy=request.param) as cluster:
        cluster.install(NOTES, crds)
        yield cluster, request.param


def _run(cluster: Cluster, life: Life, name: str) -> Iterator[Real]:
    """Yield the stage of *life*, whose controller is called *name*, and clean up after it."""
    with RecordingServer(hook := life.hook()) as server:
        controller = json.loads(json.dumps(life.controller | {"metadata": {"name": name}}))
        for hook_name, spec in controller["spec"]["hooks"].items():
            spec["webhook"] = {"url": f"{server.url}/{hook_name}"}
        kind = controller["kind"]
        cluster.client.create(controller)
        cluster.wait_for(lambda: _has_event(cluster, name, "Started"), f"{name} starts")
        try:
            yield Real(cluster, hook)
        finally:
            cluster.client.delete(kind, "", name)
            cluster.wait_for(lambda: _has_event(cluster, name, "Stopped"), f"{name} stops")
            _clean(cluster)


def _has_event(cluster: Cluster, name: str, reason: str) -> bool:
    return bool(cluster.client.all("Event", "default", fieldSelector=f"involvedObject.name={name},reason={reason}"))


def _clean(cluster: Cluster) -> None:
    """Delete all objects of a life, also those with finalizers."""
    for kind in (SERVED.get(kind, kind) for kind in KINDS):
        for each in cluster.client.all(kind):
            metadata = each["metadata"]
            where = kind, metadata.get("namespace", ""), metadata["name"]
            if _is_of_the_cluster(each):
                continue
            with suppress(Refused):  # it may be deleted already
                if metadata.get("finalizers"):
                    cluster.client.change(*where, {"metadata": {"finalizers": None}})
                cluster.client.delete(*where)
    cluster.wait_for(
        lambda: not [each for kind in ("Room", "Tenant") for each in cluster.client.all(kind)], "all objects are gone"
    )


@pytest.mark.parametrize("what", LIVES)
def test_a_life_is_as_in_the_simulator(real: tuple[Cluster, Mode], what: str) -> None:
    cluster, mode = real
    name = "".join(letter if letter.isalnum() else "-" for letter in what.lower())
    life = LIVES[what]
    life = life._replace(controller=life.controller | {"metadata": {"name": name}})
    simulated = Simulated(life, mode)
    for stage in _run(cluster, life, name):
        for number, step in enumerate(life.steps):
            step(simulated)
            step(stage)
            expected, seen = simulated.end(), stage.end()
            assert _difference(expected, seen) == [], f"step {number}"


def _difference(simulated: Seen, real: Seen) -> list[str]:
    """Return the lines in which two ends of a step differ."""
    texts = (json.dumps([it.objects, it.requests], indent=1, sort_keys=True) for it in (simulated, real))
    lines = (text.splitlines() for text in texts)
    return [line for line in unified_diff(*lines, "simulated", "real", n=2, lineterm="") if line.strip()]
