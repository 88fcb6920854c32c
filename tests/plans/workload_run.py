"""A run of a workload in a world of its own, and its outcome."""

import json
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from app.core.child_metadata import EARLIER_FAILURE, REVERTED
from metahook import LAST_APPLIED, Controller
from metahook.protocol.request_builder import controller_of
from metahook.simulator.history import Call, Entry, Write
from metahook.simulator.hook import Hook, Reply, in_process
from metahook.simulator.metacontroller.children import NAME
from metahook.simulator.metacontroller.settings import Mode, Settings
from metahook.simulator.objects import Json, Key, is_deleting, key_of, to_json
from metahook.simulator.world import NeverQuiet, World
from tests.plans.judge import Judge
from tests.plans.times import ManagedFields, Times
from tests.plans.workloads import Step, Workload
from tests.properties.oracle import asked_kinds
from tests.requests.watched_objects import WITH_BACKUPS
from tests.simulated.worlds import CHILDREN, PARENT

REST = 120
"""Seconds after which the next step starts, even if the world is not quiet."""

LAST_REST = 1000
"""Seconds after the last step; longer than any deadline."""

PATIENCE = 1000
"""Timers that may run until the world is quiet."""

FURTHER = 5
"""Syncs of a quiet world, which must write nothing."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of a run. Syncs and writes for a deleted parent, before Metacontroller knows, are not counted."""

    end: list[str]
    """The final objects, without the parts that depend on the history."""
    writes: Counter[Key]
    """Metacontroller's writes by object."""
    syncs: int
    wrong_deletes: list[str]
    """Deletions of children that an existing parent desires."""
    untrue: list[str]
    """What the Pods show to be wrong in a status."""
    late_writes: list[str]
    """Writes to a world that should have been quiet, or why it never became quiet."""


class WorkloadRun:
    """A world, and the hook that is ``served`` in it; ``span`` is the time of the steps that get faults."""

    def __init__(self, mode: Mode, hook: Hook | Controller) -> None:
        self.world = World(self._called, Settings(PARENT, CHILDREN, mode=mode, served=WITH_BACKUPS))
        self.world.max_actions = PATIENCE
        self.managed_fields = ManagedFields()
        served = in_process(hook, self.world.clock.time) if isinstance(hook, Controller) else hook
        self.served = self.managed_fields.before(served)
        self.span = (0.0, 0.0)
        self._syncs = 0
        self._writes: Counter[Key] = Counter()
        self._wrong_deletes: list[str] = []
        self._late_writes: list[str] = []
        self.judge = Judge()
        self.times = Times()
        self.world.history.listeners.append(self._count)

    def execute(self, workload: Workload) -> Outcome:
        """Run the given steps and the steps of *workload*, and return the outcome."""
        try:
            self._do(workload.given)
            self.span = (self.world.clock.now, math.inf)
            self._do(workload.steps)
            self.world.run(REST)
            self.world.until_quiet(LAST_REST)
        except NeverQuiet as error:
            self._late_writes.append(str(error))
        self.span = (self.span[0], self.world.clock.now)
        syncs, writes, wrong_deletes = self._syncs, +self._writes, [*self._wrong_deletes]
        late_writes = self._late_writes or self._further_writes()
        return Outcome(self._end(), writes, syncs, wrong_deletes, self.judge.violations, late_writes)

    def sync(self) -> None:
        """Sync all parents."""
        for item in self.world.api.all(PARENT.kind):
            self.world.metacontroller.enqueue(key_of(item))

    def _do(self, steps: Iterable[Step]) -> None:
        for step in steps:
            step(self)
            self.world.until_quiet(REST)

    def _further_writes(self) -> list[str]:
        """Return the writes of further syncs of a quiet world."""
        history, before = self.world.history, len(self.world.history.entries)
        for _ in range(FURTHER):
            self.sync()
            self.world.run(1)
        writes = (entry for entry in history.entries[before:] if isinstance(entry, Write))
        return [str(write) for write in writes if write.actor == NAME and write.changed]

    def _called(self, hook: str, body: bytes) -> Reply:
        return self.served(hook, body)

    def _count(self, entry: Entry) -> None:
        """Judge it, and count a sync or a write of an existing parent."""
        for follower in (self.managed_fields, self.judge, self.times):
            follower.follow(entry, self.world.clock.time())
        if isinstance(entry, Call):
            self._syncs += entry.hook == "sync" and self.world.api.get(entry.key) is not None
        elif isinstance(entry, Write) and entry.actor == NAME and entry.changed:
            item = entry.after or entry.before or {}
            owner = self._parent(item)
            self._writes[entry.key] += item["kind"] == PARENT.kind or owner is not None
            is_desired = owner and item["kind"] in {"Deployment", *asked_kinds(owner["spec"])}
            if entry.verb == "delete" and owner and is_desired and not is_deleting(owner):
                self._wrong_deletes.append(str(entry))

    def _parent(self, child: Json) -> Json | None:
        """Return the parent that controls *child*, if it exists."""
        uid = controller_of(child)
        return next((item for item in self.world.api.all(PARENT.kind) if item["metadata"]["uid"] == uid), None)

    def _end(self) -> list[str]:
        """Return the objects as text, without the parts that depend on the history."""
        found = [self.world.get(key) for key in sorted(self.world.api.all_keys())]
        # The number of old ReplicaSets without Pods depends on the history.
        kept = [item for item in found if item["kind"] != "ReplicaSet" or item["spec"]["replicas"]]
        lines = "\n".join(sorted(to_json(_stable(item)) for item in kept))
        for item in found:
            uid = item["metadata"]["uid"]
            lines = lines.replace(uid, f"uid of {item['kind']}").replace(f"-{uid[:8]}", "-uid")
        return lines.split("\n")


_REMEMBERED = (EARLIER_FAILURE, REVERTED)
"""The annotations in which children remember what has happened to them, and when."""

_VOLATILE = {
    "uid", "resourceVersion", "generation", "creationTimestamp", "lastTransitionTime", "lastUpdateTime", "since",
    "countedAt",
    "override", "readyGeneration", "startedAt", "deployment.kubernetes.io/revision", "pod-template-hash",
    *_REMEMBERED, *(f"f:{name}" for name in _REMEMBERED),
}  # fmt: skip


def _stable(item: Json) -> Json:
    """Return *item* without times, versions and generated names."""
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
        kept = {name: _without(inner) for name, inner in value.items() if name not in _VOLATILE}
        if applied := kept.get(LAST_APPLIED):
            kept[LAST_APPLIED] = _without(json.loads(applied))
        return kept
    return [_without(item) for item in value] if isinstance(value, list) else value
