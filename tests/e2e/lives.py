"""Lives that are led on the real control plane and in the simulator, step by step."""

from collections.abc import Callable
from typing import Any, Protocol

from app.simulator.metacontroller.settings import Mode
from app.simulator.objects import Json, Key, with_metadata
from tests.e2e.namespace import PORT, child
from tests.worlds import WEB, foreign, parent, service, world


class Stage(Protocol):
    """Where a life is led."""

    def make(self, name: str = "web", **spec: Any) -> None:
        """Make the MyResource."""

    def change(self, name: str = "web", **spec: Any) -> None:
        """Change its spec; None removes a field."""

    def edit(self, kind: str, change: Json, name: str = "") -> None:
        """Change an object by hand."""

    def delete(self, kind: str, name: str = "") -> None:
        """Delete an object by hand."""

    def put(self, item: Json) -> None:
        """Make an object of somebody else."""


Step = Callable[[Stage], None]

LIVES: dict[str, list[Step]] = {
    "made, and another image": [lambda it: it.make(replicas=2, **PORT), lambda it: it.change(image="nginx:1.28")],
    "scaled up and down": [
        lambda it: it.make(),
        lambda it: it.change(replicas=3),
        lambda it: it.change(replicas=1),
    ],
    "ports added and removed": [
        lambda it: it.make(),
        lambda it: it.change(**PORT),
        lambda it: it.change(ports=None),
    ],
    "strategy there and back": [
        lambda it: it.make(),
        lambda it: it.change(strategy={"type": "Recreate"}),
        lambda it: it.change(strategy=None),
    ],
    "scaled by hand": [lambda it: it.make(), lambda it: it.edit("Deployment", {"spec": {"replicas": 4}})],
    "label removed by hand": [
        lambda it: it.make(),
        lambda it: it.edit("Deployment", {"metadata": {"labels": {"myresource": None}}}),
    ],
    "Service changed by hand": [
        lambda it: it.make(**PORT),
        lambda it: it.edit("Service", {"spec": {"selector": {"myresource": "other"}}}),
    ],
    "children deleted by hand": [
        lambda it: it.make(**PORT),
        lambda it: it.delete("Service"),
        lambda it: it.delete("Deployment"),
    ],
    "image that can't be pulled, and back": [
        lambda it: it.make(),
        lambda it: it.change(image="nginx:bad"),
        lambda it: it.change(image="nginx:1.27"),
    ],
    "foreign Service, which goes": [
        lambda it: it.put(foreign(service(app="other"))),
        lambda it: it.make(**PORT),
        lambda it: it.delete("Service"),
    ],
    "made and deleted": [lambda it: it.make(**PORT), lambda it: it.delete("MyResource")],
}


class Simulated:
    """The simulator as a stage."""

    def __init__(self, mode: Mode) -> None:
        self.world = world(mode)
        self._spec: Json = {}

    def make(self, name: str = "web", **spec: Any) -> None:
        """Make the MyResource."""
        self.world.apply(parent(name, **spec))

    def change(self, name: str = "web", **spec: Any) -> None:
        """Change its spec; None removes a field."""
        self.edit("MyResource", {"spec": spec}, name)

    def edit(self, kind: str, change: Json, name: str = "") -> None:
        """Change an object by hand."""
        self.world.edit(Key(kind, WEB.namespace, name or child(kind)), lambda item: merge(item, change))

    def delete(self, kind: str, name: str = "") -> None:
        """Delete an object by hand."""
        self.world.delete(Key(kind, WEB.namespace, name or child(kind)))

    def put(self, item: Json) -> None:
        """Make an object of somebody else."""
        self.world.apply(with_metadata(item, namespace=WEB.namespace))

    def is_still(self) -> None:
        """Let time pass until nothing happens any more; a minute is less than any deadline."""
        self.world.still(60)


def merge(item: Json, change: Json) -> None:
    """Change *item* in place, as a merge patch does."""
    for name, value in change.items():
        if value is None:
            item.pop(name, None)
        elif isinstance(value, dict):
            merge(item.setdefault(name, {}), value)
        else:
            item[name] = value
