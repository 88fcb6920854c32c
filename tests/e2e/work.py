"""Work: MyResources of one namespace, each of which changes in its own way in each round."""

from collections.abc import Callable
from typing import Any

from app.core.child_metadata import GENERATION_STAMP, REPAIR_ANNOTATION
from metahook.simulator.objects import Json
from tests.e2e.namespace import PORT, Namespace, child
from tests.e2e.record import Record

SPECS: dict[str, Callable[[int], Json]] = {
    "image": lambda number: {"replicas": 2, "image": f"nginx:{number}"},
    "replicas": lambda number: {"replicas": 1 + number % 3},
    "memory": lambda number: {"memory": f"{64 + number}Mi"},
    "variable": lambda number: {"env": [{"name": "ROUND", "value": str(number)}]},
    "affinity": lambda number: {**PORT, "service": {"sessionAffinity": ("None", "ClientIP")[number % 2]}},
    "strategy": lambda number: {"strategy": {"type": ("RollingUpdate", "Recreate")[number % 2]}},
    "scaled": lambda _: {"replicas": 1},
    "unlabelled": lambda _: {},
}
"""The spec of a MyResource in a round, by name."""

BY_HAND: dict[str, Json] = {
    "scaled": {"spec": {"replicas": 3}},
    "unlabelled": {"metadata": {"labels": {"myresource": None}}},
}
"""The changes that a user makes in two of the Deployments in each round."""

TIMES_SCALED = 2
"""A third time within ten minutes would be a fight, which is Overridden: see test_drift.py."""


class Work:
    """The work in the namespace *there*."""

    def __init__(self, there: Namespace, record: Record) -> None:
        self.there = there
        self.rounds = 0
        self._record = record
        for name, spec in SPECS.items():
            there.make(name, **spec(0))
        self.is_done()

    def goes_on(self) -> None:
        """Start another round, and wait until a child shows one of its changes."""
        self.rounds += 1
        for name, spec in SPECS.items():
            self.there.change(name, **spec(self.rounds))
        for name, change in BY_HAND.items():
            if (name == "scaled" and self.rounds > TIMES_SCALED) or (name == "unlabelled" and self._is_in_repair(name)):
                continue
            self.there.edit("Deployment", change, child("Deployment", name))
        generation = self.there.get("MyResource", "image")["metadata"]["generation"]
        self.there.eventually(lambda: self._applied("image") >= generation)

    def is_done(self) -> None:
        """Wait until all changes are applied."""
        for name in SPECS:
            self.there.wait_until_ready(name, within=120)

    def _is_in_repair(self, name: str) -> bool:
        """Tell whether a label is not back yet: the repair of one that is removed again and again ends."""
        metadata = self.there.get("Deployment", child("Deployment", name))["metadata"]
        return "myresource" not in metadata["labels"] or REPAIR_ANNOTATION in metadata["annotations"]

    def _applied(self, name: str) -> int:
        """Return the parent generation that a Deployment was applied for."""
        found: Any = self._record.latest("Deployment", self.there.name, child("Deployment", name))
        return int(found["metadata"]["annotations"][GENERATION_STAMP].partition("-")[0])
