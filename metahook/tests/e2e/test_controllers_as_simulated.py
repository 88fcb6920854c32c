"""Controllers of many shapes lead the same life in the simulator and on the real control plane."""

import json
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from difflib import unified_diff

import pytest

from metahook.envtest import Cluster
from metahook.envtest.client import Refused
from metahook.simulator.metacontroller.settings import MODES, Mode, Settings
from metahook.simulator.objects import Json, Key
from metahook.simulator.world import World
from toolkit.controllers import ROOM, TENANT, Decides
from toolkit.hooks.notes import NOTES
from toolkit.lives import LIVES, SITE_CRD, Life
from toolkit.recording_server import RecordingServer

QUIET = 0.7
"""Seconds without a call or a change, after which a step is over."""

PATIENCE = 30.0
"""Seconds after which a step that is quiet and differs from the simulated one has failed."""

CRDS = [ROOM, TENANT, SITE_CRD]
PARENTS = ("StaticSite", "Room", "Tenant")


class Simulated:
    """The life in the simulator."""

    def __init__(self, life: Life, mode: Mode) -> None:
        self.hook = life.hook()
        self.world = World(self.hook, Settings.read(life.controller, CRDS, mode))
        self.life = life
        self._earlier = 0

    def apply(self, manifest: Json) -> None:
        """Create or replace an object."""
        self.world.apply(manifest)

    def edit(self, kind: str, name: str, change: Json, namespace: str = "default") -> None:
        """Change an object by a merge patch."""
        self.world.edit(Key(kind, namespace, name), lambda it: _merge(it, change))

    def delete(self, kind: str, name: str, policy: str = "background", namespace: str = "default") -> None:
        """Delete an object, if it exists."""
        if self.world.api.get(Key(kind, namespace, name)) is not None:
            self.world.delete(Key(kind, namespace, name), policy)

    def end(self) -> "Seen":
        """Wait until nothing more happens; return what there is."""
        self.world.until_quiet(within=60)
        items = [each for kind in self.life.kinds for each in self.world.api.all(kind)]
        step, self._earlier = self.hook.requests[self._earlier :], len(self.hook.requests)
        return _seen(items, self.hook, step if self.life.is_exact else [])


class Real:
    """The life on a control plane."""

    def __init__(self, cluster: Cluster, hook: Decides, life: Life) -> None:
        self.cluster = cluster
        self.hook = hook
        self.life = life
        self._earlier = 0

    def apply(self, manifest: Json) -> None:
        """Create or replace an object."""
        metadata = manifest["metadata"]
        live = self.cluster.get(manifest["kind"], metadata["name"], metadata.get("namespace", ""))
        if live is None:
            self.cluster.client.create(manifest)
        else:
            own = {**live["metadata"], **metadata}
            self.cluster.client.replace({**live, **manifest, "metadata": own})

    def edit(self, kind: str, name: str, change: Json, namespace: str = "default") -> None:
        """Change an object by a merge patch."""
        self.cluster.patch(kind, name, change, namespace)

    def delete(self, kind: str, name: str, policy: str = "background", namespace: str = "default") -> None:
        """Delete an object, if it exists."""
        if self.cluster.get(kind, name, namespace) is not None:
            self.cluster.client.delete(kind, namespace, name, policy.title())

    def end(self, expected: "Seen") -> "Seen":
        """Wait until nothing more happens; return what there is, which on a busy machine is *expected* to come."""
        last = time.monotonic() + PATIENCE
        while _difference(expected, seen := self._quiet()) and time.monotonic() < last:
            pass
        self._earlier = len(self.hook.requests)
        return seen

    def _quiet(self) -> "Seen":
        before, since = "", time.monotonic()
        while time.monotonic() - since < QUIET:
            time.sleep(0.1)
            now = json.dumps([len(self.hook.requests), self._all()])
            before, since = (before, since) if now == before else (now, time.monotonic())
        self.cluster.wait_for(lambda: not self._is_terminating(), "no Namespace is being deleted")
        return _seen(self._all(), self.hook, self.hook.requests[self._earlier :] if self.life.is_exact else [])

    def _is_terminating(self) -> bool:
        """Tell whether a Namespace is being deleted, which takes some seconds without any change."""
        return any(each["kind"] == "Namespace" and "deletionTimestamp" in each["metadata"] for each in self._all())

    def _all(self) -> list[Json]:
        found = [{"kind": kind, **each} for kind in self.life.kinds for each in self.cluster.client.all(kind)]
        return [each for each in found if not _is_of_the_cluster(each)]


def _is_of_the_cluster(item: Json) -> bool:
    """Tell whether *item* is one that every cluster has."""
    name, namespace = (item["metadata"].get(field, "") for field in ("name", "namespace"))
    if item["kind"] == "Namespace":
        return not name.startswith("tenant-")
    return name in ("kube-root-ca.crt", "kubernetes") or namespace.startswith("kube-")


@dataclass
class Seen:
    """What there is at the end of a step.

    The objects, the last request to each hook for each parent, and the parents for which the step called a hook.
    """

    objects: dict[str, Json]
    requests: dict[str, Json]
    called: list[str]


def _merge(item: Json, change: Json) -> None:
    for name, value in change.items():
        if value is None:
            item.pop(name, None)
        elif isinstance(value, dict):
            _merge(item.setdefault(name, {}), value)
        else:
            item[name] = value


def _seen(items: list[Json], hook: Decides, step: list[tuple[str, Json]]) -> Seen:
    """Return what there is after a *step* with these requests."""
    there = {each["metadata"]["name"] for each in items}
    requests = {
        f"{name} {_parent(request)['metadata']['name']}": _keys(request)
        for name, request in hook.requests
        # One that is gone may be synced once more.
        if name == "finalize" or _parent(request)["metadata"]["name"] in there
    }
    uids = {each["metadata"]["uid"]: each["metadata"]["name"] for each in items}
    uids |= {_parent(request)["metadata"]["uid"]: _parent(request)["metadata"]["name"] for _, request in hook.requests}
    called = sorted(there & {_parent(request)["metadata"]["name"] for _, request in step})
    return Seen({_name(each): _comparable(each, uids) for each in items}, requests, called)


def _parent(request: Json) -> Json:
    found: Json = request.get("parent") or request["object"]
    return found


def _name(item: Json) -> str:
    metadata = item["metadata"]
    return f"{item['kind']} {metadata.get('namespace', '')}/{metadata['name']}"


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
    body = {name: item.get(name) for name in ("data", "status", "roleRef", "subjects")}
    if item["kind"] != "Service":
        body["spec"] = item.get("spec")
    if item["kind"] not in PARENTS:
        body.pop("status")
    text = json.dumps(metadata | body, sort_keys=True)
    for uid, name in uids.items():
        text = text.replace(uid, name)
    found: Json = json.loads(text)
    last = "metacontroller.k8s.io/last-applied-configuration"
    if last in (found["annotations"] or {}):
        found["annotations"][last] = json.loads(found["annotations"][last])
    return {name: value for name, value in found.items() if value}


@pytest.fixture(scope="module", params=MODES)
def real(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Cluster, Mode]]:
    """A control plane with Metacontroller in each mode."""
    folder = tmp_path_factory.mktemp("controllers")
    crds = folder / "crds.yaml"
    crds.write_text("\n---\n".join(map(json.dumps, CRDS)))
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
            yield Real(cluster, hook, life)
        finally:
            cluster.client.delete(kind, "", name)
            cluster.wait_for(lambda: _has_event(cluster, name, "Stopped"), f"{name} stops")
            _clean(cluster, life.kinds)


def _has_event(cluster: Cluster, name: str, reason: str) -> bool:
    return bool(cluster.client.all("Event", "default", fieldSelector=f"involvedObject.name={name},reason={reason}"))


def _clean(cluster: Cluster, kinds: tuple[str, ...]) -> None:
    """Delete all objects of a life, also those with finalizers."""
    for kind in kinds:
        for each in cluster.client.all(kind):
            metadata = each["metadata"]
            where = kind, metadata.get("namespace", ""), metadata["name"]
            if _is_of_the_cluster({"kind": kind, **each}):
                continue
            with suppress(Refused):  # it may be deleted already
                if metadata.get("finalizers"):
                    cluster.client.change(*where, {"metadata": {"finalizers": None}})
                cluster.client.delete(*where)
    cluster.wait_for(
        lambda: not [each for kind in PARENTS for each in cluster.client.all(kind)], "all objects are gone"
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
            expected = simulated.end()
            assert _difference(expected, stage.end(expected)) == [], f"step {number}"


def _difference(simulated: Seen, real: Seen) -> list[str]:
    """Return the lines in which two ends of a step differ."""
    old, new = (json.dumps(vars(it), indent=1, sort_keys=True) for it in (simulated, real))
    lines = unified_diff(old.splitlines(), new.splitlines(), "simulated", "real", n=2, lineterm="")
    return [line for line in lines if line.strip()]
