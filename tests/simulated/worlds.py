"""Worlds with the operator's hook in them, on top of those of the toolkit: a test of the operator finds all here."""

from collections.abc import Iterable
from typing import Any

from app.core.desired import children
from metahook import Controller, Kind
from metahook.simulator.hook import Hook
from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Key
from metahook.simulator.world import World
from tests.requests.builders import MY_RESOURCE as PARENT
from tests.requests.builders import MYRESOURCE, Json
from toolkit import worlds
from toolkit.worlds import DEPLOYMENT, SERVICE, Since, both_modes, calls, foreign, ready, synced

__all__ = ["DEPLOYMENT", "PARENT", "SERVICE", "Json", "Since", "both_modes", "calls", "foreign", "ready", "synced"]

CHILDREN = tuple(child.KIND for child in children.CHILDREN)
WEB = Key("MyResource", "default", "web")


def parent(name: str = "web", *, namespace: str = "default", **spec: Any) -> Json:
    """Return a MyResource as a user writes it."""
    return worlds.parent(name, namespace=namespace, kind=PARENT, **spec)


def deployment(name: str = "web-deployment", **more: Any) -> Json:
    """Return a small Deployment with the label of a MyResource."""
    return worlds.deployment(name, label="myresource", **more)


def service(**selector: str) -> Json:
    """Return a small Service, as a response lists it."""
    return worlds.service(**(selector or {"myresource": "web"}))


def world(
    mode: Mode,
    hook: Hook | Controller = MYRESOURCE,
    *objects: Json,
    children: Iterable[Kind] = CHILDREN,
    **settings: Any,
) -> World:
    """Return a world with the operator's hook, or another one for MyResources, in which *objects* were just created."""
    return worlds.world(mode, hook, *objects, kind=PARENT, children=children, **settings)


def settled(
    mode: Mode,
    hook: Hook | Controller = MYRESOURCE,
    *objects: Json,
    children: Iterable[Kind] = CHILDREN,
    **more: Any,
) -> World:
    """Return such a world once it is quiet; without *objects* it has the parent ``web``."""
    return worlds.settled(mode, hook, *objects, kind=PARENT, children=children, **more)
