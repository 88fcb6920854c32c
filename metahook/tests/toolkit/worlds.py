"""Worlds for tests: a simulated cluster with a hook in it, small children, and short queries of the history."""

import json
from collections.abc import Iterable
from typing import Any

import pytest

from metahook import Controller, Kind
from metahook.simulator.history import Write
from metahook.simulator.hook import Hook, Reply
from metahook.simulator.metacontroller.settings import MODES, Mode, Settings
from metahook.simulator.objects import Key, with_metadata
from metahook.simulator.world import World
from toolkit.widgets import LABEL, WIDGET, WIDGETS

Json = dict[str, Any]

both_modes = pytest.mark.parametrize("mode", MODES)

CHILDREN = tuple(child.KIND for child in WIDGETS.children)
WEB = Key("Widget", "default", "web")
DEPLOYMENT = Key("Deployment", "default", "web-deployment")
SERVICE = Key("Service", "default", "web")

MAKES = {
    "dynamic-apply": "create Deployment web-deployment",
    "server-side-apply": "apply Deployment web-deployment",
}
CHANGES = {
    "dynamic-apply": "update Deployment web-deployment",
    "server-side-apply": "apply Deployment web-deployment",
}
"""The requests that create and update a Deployment."""


class Answers:
    """A hook whose response and rules a test sets; ``says`` is sent instead of the response."""

    def __init__(self, *children: Json | None) -> None:
        self.answer: Json = {"status": {"state": "Building"}, "children": list(children)}
        self.rules: list[Json] = []
        self.says: Reply | Exception | None = None

    def __call__(self, hook: str, body: bytes) -> Reply:  # noqa: ARG002 - a hook gets it
        """Return the response."""
        if hook == "customize":
            return Reply(200, json.dumps({"relatedResources": self.rules}).encode())
        if isinstance(self.says, Exception):
            raise self.says
        return self.says or Reply(200, json.dumps(self.answer).encode())


def parent(name: str = "web", *, namespace: str = "default", kind: Kind = WIDGET, **spec: Any) -> Json:
    """Return a Widget, or another *kind* of parent, as a user writes it."""
    return {
        "apiVersion": kind.api_version,
        "kind": kind.kind,
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"image": "nginx:1.27", **spec},
    }


def deployment(name: str = "web-deployment", *, label: str = LABEL, **more: Any) -> Json:
    """Return a small Deployment, as a response lists it."""
    labels = {label: "web"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "nginx:1"}]}}
    spec = {"selector": {"matchLabels": labels}, "template": template, **more}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "labels": labels}, "spec": spec}


def with_main(**main: Any) -> Json:
    """Return a Deployment with these fields in its container."""
    made = deployment()
    made["spec"]["template"]["spec"]["containers"][0].update(main)
    return made


def service(**selector: str) -> Json:
    """Return a small Service, as a response lists it."""
    spec = {"selector": selector or {LABEL: "web"}, "ports": [{"port": 80}]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": spec}


def foreign(item: Json) -> Json:
    """Return *item* as another owner creates it, for other Pods."""
    made = with_metadata(item, namespace="default", labels={"app": "other"})
    if item["kind"] == "Deployment":
        template = {**item["spec"]["template"], "metadata": {"labels": {"app": "other"}}}
        made["spec"] = {**item["spec"], "selector": {"matchLabels": {"app": "other"}}, "template": template}
    return made


def world(
    mode: Mode,
    hook: Hook | Controller = WIDGETS,
    *objects: Json,
    kind: Kind = WIDGET,
    children: Iterable[Kind] = CHILDREN,
    controllers: bool = True,
    **settings: Any,
) -> World:
    """Return a world with *hook* in it, for parents of *kind*, in which *objects* were just created."""
    made = World(hook, Settings(kind, tuple(children), mode=mode, **settings), controllers=controllers)
    for item in objects:
        made.apply(item)
    return made


def settled(mode: Mode, hook: Hook | Controller = WIDGETS, *objects: Json, kind: Kind = WIDGET, **more: Any) -> World:
    """Return such a world once it is quiet; without *objects* it has the parent ``web``."""
    made = world(mode, hook, *(objects or [parent(kind=kind)]), kind=kind, **more)
    assert made.until_quiet()
    return made


def without_controllers(mode: Mode, hook: Hook | Controller, *objects: Json, **settings: Any) -> World:
    """Return a quiet world without Kubernetes' own controllers: nothing rolls out, nothing is garbage collected."""
    return settled(mode, hook, *objects, controllers=False, **settings)


class Since:
    """The write requests of Metacontroller since this was created."""

    def __init__(self, world: World, actor: str = "metacontroller") -> None:
        self._world = world
        self._actor = actor
        self._from = len(world.history.entries)

    def _all(self) -> list[Write]:
        entries = self._world.history.entries[self._from :]
        return [entry for entry in entries if isinstance(entry, Write) and entry.actor == self._actor]

    @property
    def requests(self) -> list[str]:
        """All of them."""
        return [str(write) for write in self._all()]

    @property
    def writes(self) -> list[str]:
        """Those that changed something."""
        return [str(write) for write in self._all() if write.changed]

    @property
    def refused(self) -> list[str]:
        """Those that were refused."""
        return [str(write) for write in self._all() if write.refused]

    @property
    def refusals(self) -> list[str]:
        """The errors of those that were refused."""
        return [write.refused for write in self._all() if write.refused]


def web(world: World) -> Key:
    """Return the key of the parent ``web``."""
    return Key(world.settings.parent.kind, "default", "web")


def synced(world: World, key: Key | None = None) -> Since:
    """Sync the parent ``web``, or that with *key*, once more, by an annotation; return what Metacontroller did."""
    done, now = Since(world), str(world.clock.now)
    world.edit(key or web(world), lambda item: item["metadata"].setdefault("annotations", {}).update(touched=now))
    assert world.until_quiet()
    return done


def calls(world: World, hook: str = "sync") -> int:
    """Return how often *hook* was called."""
    return sum(1 for _ in world.history.calls(hook))


def events(world: World, reason: str = "SyncError") -> list[str]:
    """Return the messages of the Events with *reason*."""
    return [event.message for event in world.history.events(reason)]


def ready(world: World, key: Key | None = None) -> tuple[str, str]:
    """Return the status and the reason of the condition Ready of the parent ``web``, or of that with *key*."""
    found = [item for item in world.get(key or web(world))["status"]["conditions"] if item["type"] == "Ready"]
    (only,) = found
    return only["status"], only["reason"]
