"""A life: a workload that is done in a world of its own, and what came of it."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


from metahook import Controller
from metahook.simulator.history import Call, Entry, Write
from metahook.simulator.hook import Hook, Reply, in_process
from metahook.simulator.metacontroller.claims import NAME
from metahook.simulator.metacontroller.settings import Mode, Settings
from metahook.simulator.objects import Json, Key, controller_of, is_deleting, key_of, to_json
from metahook.simulator.world import NeverQuiet, World
from tests.plans.workloads import Step, Workload
from tests.watching import WITH_BACKUPS
from tests.worlds import CHILDREN, PARENT

REST = 120
"""Seconds after which a step counts as done, even if something is still to come."""

LAST_REST = 1000
"""Seconds after the last step; longer than any deadline."""

PATIENCE = 1000
"""Things that may happen until all is at rest."""

FURTHER = 5
"""Syncs that must write nothing once all is at rest."""


@dataclass(frozen=True)
class Outcome:
    """What came of a life. What is done for a parent that is gone, unknown to Metacontroller, is not counted."""

    end: list[str]
    """The objects that are there, without what depends on the way there."""
    writes: Counter[Key]
    """Metacontroller's writes by object."""
    syncs: int
    wrong: list[str]
    """Deletes of children that their living parent asks for."""
    restless: list[str]
    """What happened after all should have been at rest."""


class Life:
    """A world, and the hook that is ``served`` in it; ``span`` is when the steps were done that faults are put in."""

    def __init__(self, mode: Mode, hook: Hook | Controller) -> None:
        self.world = World(self._called, Settings(PARENT, CHILDREN, mode=mode, served=WITH_BACKUPS))
        self.world.max_actions = PATIENCE
        self.served = in_process(hook, self.world.clock.time) if isinstance(hook, Controller) else hook
        self.span = (0.0, 0.0)
        self._syncs = 0
        self._writes: Counter[Key] = Counter()
        self._wrong: list[str] = []
        self._restless: list[str] = []
        self.world.history.listeners.append(self._count)

    def lead(self, workload: Workload) -> Outcome:
        """Do what is given and the steps of *workload*, and return what came of it."""
        try:
            self._do(workload.given)
            self.span = (self.world.clock.now, math.inf)
            self._do(workload.steps)
            self.world.run(REST)
            self.world.until_quiet(LAST_REST)
        except NeverQuiet as error:
            self._restless.append(str(error))
        self.span = (self.span[0], self.world.clock.now)
        syncs, writes, wrong = self._syncs, +self._writes, [*self._wrong]
        return Outcome(self._end(), writes, syncs, wrong, self._restless or self._further())

    def sync(self) -> None:
        """Let all parents be synced."""
        for item in self.world.api.all(PARENT.kind):
            self.world.metacontroller.enqueue(key_of(item))

    def _do(self, steps: Iterable[Step]) -> None:
        for step in steps:
            step(self)
            self.world.until_quiet(REST)

    def _further(self) -> list[str]:
        """Return what is written when there is nothing to write."""
        history, before = self.world.history, len(self.world.history.entries)
        for _ in range(FURTHER):
            self.sync()
            self.world.run(1)
        writes = (entry for entry in history.entries[before:] if isinstance(entry, Write))
        return [str(write) for write in writes if write.actor == NAME and write.changed]

    def _called(self, hook: str, body: bytes) -> Reply:
        return self.served(hook, body)

    def _count(self, entry: Entry) -> None:
        """Count a sync, or a write, of a parent that lives."""
        if isinstance(entry, Call):
            self._syncs += entry.hook == "sync" and self.world.api.get(entry.key) is not None
        elif isinstance(entry, Write) and entry.actor == NAME and entry.changed:
            item = entry.after or entry.before or {}
            owner = self._parent(item)
            self._writes[entry.key] += item["kind"] == PARENT.kind or owner is not None
            asks = owner and (item["kind"] == "Deployment" or owner["spec"].get("ports"))
            if entry.verb == "delete" and owner and asks and not is_deleting(owner):
                self._wrong.append(str(entry))

    def _parent(self, child: Json) -> Json | None:
        """Return the parent that *child* is controlled by, if that lives."""
        uid = controller_of(child)
        return next((item for item in self.world.api.all(PARENT.kind) if item["metadata"]["uid"] == uid), None)

    def _end(self) -> list[str]:
        """Return the objects as text, with nothing in them that depends on the way there."""
        found = [self.world.get(key) for key in sorted(self.world.api.all_keys())]
        told = "\n".join(sorted(to_json(_lasting(item)) for item in found if not _empty(item)))
        for item in found:
            uid = item["metadata"]["uid"]
            told = told.replace(uid, f"uid of {item['kind']}").replace(f"-{uid[:8]}", "-uid")
        return told.split("\n")


_PASSING = {
    "uid", "resourceVersion", "generation", "creationTimestamp", "lastTransitionTime", "lastUpdateTime", "since",
    "startedAt", "deployment.kubernetes.io/revision", "pod-template-hash",
}  # fmt: skip


def _empty(item: Json) -> bool:
    """Tell whether *item* is an old ReplicaSet without Pods: how many there are depends on the way."""
    return bool(item["kind"] == "ReplicaSet" and not item["spec"]["replicas"])


def _lasting(item: Json) -> Json:
    """Return *item* without times, versions and names that are made up."""
    kept: Json = _without(item)
    if item["kind"] in ("ReplicaSet", "Pod"):
        kept["metadata"] = {"labels": kept["metadata"]["labels"]}
    if item["kind"] in ("ReplicaSet", "Deployment"):
        status = kept.pop("status", {})
        kept["conditions"] = sorted(f"{each['type']} {each['status']}" for each in status.get("conditions", []))
        kept["counts"] = {name: count for name, count in status.items() if name.endswith("eplicas")}
    return kept


def _without(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without(inner) for name, inner in value.items() if name not in _PASSING}
    return [_without(item) for item in value] if isinstance(value, list) else value
