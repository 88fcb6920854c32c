"""Findings: the harm that a careless hook did to the cluster, read from the history.

Each rule is one way in which responses damage or overload a real cluster. A hook without findings may still be wrong; a
hook with findings is wrong.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import msgspec

from metahook.protocol.last_applied import LAST_APPLIED
from metahook.protocol.managed_fields import APPLIER, field_owners, owns
from metahook.simulator.claimed_results import AnsweredSync, answered_syncs, first_missing_field, unmet_claim
from metahook.simulator.history import YOU, Call, History, Write
from metahook.simulator.metacontroller.claims import NAME
from metahook.simulator.metacontroller.selector import LABEL
from metahook.simulator.objects import Json, Key, labels, to_json

REPEATED = 4
"""Times in a row from which on a repetition counts as a loop."""

MOST_CALLS = 50
"""Calls for one parent within a second."""


@dataclass(frozen=True)
class HarmFinding:
    """``rule`` is a name in RULES, ``key`` the object, ``at`` the time in seconds."""

    rule: str
    key: Key
    at: float
    message: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.key}: {self.message}"


HarmRule = Callable[[History], Iterator[tuple[Key, float, str]]]


def findings(history: History) -> list[HarmFinding]:
    """Return the findings of *history*, at most one for each rule and kind of object."""
    found: dict[tuple[str, str], HarmFinding] = {}
    for name, rule in RULES.items():
        for key, at, message in rule(history):
            found.setdefault((name, key.kind), HarmFinding(name, key, at, message))
    return list(found.values())


def _crashes(history: History) -> Iterator[tuple[Key, float, str]]:
    for event in history.events("Crash"):
        yield event.key, event.at, "the response crashed Metacontroller, for all its controllers"


def _failing_syncs(history: History) -> Iterator[tuple[Key, float, str]]:
    """Yield parents whose syncs keep failing, for another reason than that the API server refuses a child."""
    failed: dict[Key, int] = defaultdict(int)
    answered: set[Key] = set()
    refused = False
    for entry in history.entries:
        if isinstance(entry, Write):
            refused = refused or (entry.actor == NAME and entry.refused is not None)
        elif isinstance(entry, Call):
            failed[entry.key] = 0 if entry.key in answered else failed[entry.key]
            answered |= {entry.key} if entry.hook == "sync" else set()
            refused = False
        elif entry.reason == "SyncError":
            answered.discard(entry.key)
            failed[entry.key] += not refused
            if failed[entry.key] == REPEATED:
                yield entry.key, entry.at, "every sync fails, because the hook's responses can't be used"


def _call_storms(history: History) -> Iterator[tuple[Key, float, str]]:
    times: dict[Key, list[float]] = defaultdict(list)
    for call in history.calls("sync", "customize"):
        recent = [at for at in times[call.key] if at > call.at - 1] + [call.at]
        times[call.key] = recent
        if len(recent) > MOST_CALLS:
            yield call.key, call.at, "the hook is called in a tight loop"


def _wrong_deletes(history: History) -> Iterator[tuple[Key, float, str]]:
    """Yield deleted children that a response for the same generation lists, or that no response ever listed."""
    listed = [(sync, sync.keys) for sync in answered_syncs(history)]
    for write in history.writes(NAME):
        if write.verb != "delete" or not write.changed:
            continue
        by = [sync for sync, _ in listed if sync.at <= write.at and sync.owns(write.before)]
        if not any(write.key in keys for _, keys in listed):
            yield write.key, write.at, "deleted, but no response ever listed it: it belongs to another owner"
        elif by and any(write.key in keys for sync, keys in listed if sync.generation == by[-1].generation):
            yield write.key, write.at, "deleted, although the parent's spec did not change"


def _removed_fields(history: History) -> Iterator[tuple[Key, float, str]]:
    """Yield children of which a response drops a field, although the generation is the same and the child exists.

    A field that another manager owns stays, so it may be left out.
    """
    before: dict[tuple[Key, int], AnsweredSync] = {}
    for sync in answered_syncs(history):
        earlier = before.get((sync.key, sync.generation))
        before[(sync.key, sync.generation)] = sync
        for key, child in sync.children.items() if earlier else ():
            gone = (
                first_missing_field(child.get("spec"), earlier.children.get(key, {}).get("spec"), "spec")
                if earlier
                else None
            )
            if gone and key in sync.observed and not _is_left_to_another(sync.observed[key], gone):
                yield key, sync.at, f"{gone} was removed, although the parent's spec did not change"


def _is_left_to_another(observed: Json, path: str) -> bool:
    """Tell whether another manager owns the field, so that server-side apply does not remove it from *observed*."""
    metadata = observed["metadata"]
    owners = field_owners(msgspec.Raw(to_json(metadata.get("managedFields") or []).encode()))
    is_owned = any(owner.manager != APPLIER and owns(owner.fields, f".{path}") for owner in owners)
    return is_owned and LAST_APPLIED not in (metadata.get("annotations") or {})


def _emptied_statuses(history: History) -> Iterator[tuple[Key, float, str]]:
    for write in history.writes(NAME):
        if write.verb == "update status" and len(_status(write.before)) > 1 and len(_status(write.after)) == 1:
            yield write.key, write.at, "the status was emptied: every response must contain the whole status"


def _repeated_writes(history: History) -> Iterator[tuple[Key, float, str]]:
    for write, times in _writes_in_a_row(history, changed=True):
        if times == REPEATED:
            yield write.key, write.at, "written again and again, although nothing else changes"


def _no_op_writes(history: History) -> Iterator[tuple[Key, float, str]]:
    for write, times in _writes_in_a_row(history, changed=False):
        if times == REPEATED - 1:
            yield write.key, write.at, "every sync sends a write that changes nothing"


def _writes_in_a_row(history: History, *, changed: bool) -> Iterator[tuple[Write, int]]:
    """Yield Metacontroller's writes with this *changed*, each with its count since another actor's last write."""
    times: dict[Key, int] = defaultdict(int)
    for write in history.writes():
        if write.actor != NAME and write.changed:
            times.clear()
        elif write.actor == NAME and write.changed == changed and write.refused is None:
            times[write.key] += 1
            yield write, times[write.key]


def _overwritten_objects(history: History) -> Iterator[tuple[Key, float, str]]:
    creators: dict[Key, str] = {}
    for write in history.writes():
        if write.changed and write.before is None:
            creators[write.key] = write.actor
        foreign = write.actor == NAME and write.changed and creators.get(write.key) != NAME and write.before is not None
        if foreign and write.verb in ("apply", "update") and LABEL not in labels(write.before or {"metadata": {}}):
            yield write.key, write.at, "an object of another owner was overwritten"


def _growing_children(history: History) -> Iterator[tuple[Key, float, str]]:
    created: dict[tuple[str, str], int] = defaultdict(int)
    for write in history.writes():
        if write.actor == YOU:
            created.clear()
        if write.actor == NAME and write.changed and write.before is None and write.after is not None:
            owner = str(write.after["metadata"].get("ownerReferences", [{}])[0].get("uid"))
            created[(owner, write.key.kind)] += 1
            if created[(owner, write.key.kind)] == REPEATED + 1:
                yield write.key, write.at, "the hook creates more and more children"


def _unreported_refusals(history: History) -> Iterator[tuple[Key, float, str]]:
    """Yield children that the API server keeps refusing, while the status reports no problem."""
    refused: dict[Key, int] = defaultdict(int)
    for write in history.writes(NAME):
        refused[write.key] = refused[write.key] + 1 if write.refused else 0
    last = {sync.key: sync for sync in answered_syncs(history)}
    for key, times in refused.items():
        listing = [sync for sync in last.values() if key in sync.keys]
        if times >= REPEATED and any(sync.ready != "False" for sync in listing):
            yield key, listing[-1].at, "the API server keeps refusing it, and the status does not report that"


def _early_ready(history: History) -> Iterator[tuple[Key, float, str]]:
    """Yield parents that are Ready although a child is not rolled out, or differs from the response."""
    for sync in answered_syncs(history):
        why = unmet_claim(sync) if sync.ready == "True" else None
        if why:
            yield sync.key, sync.at, f"Ready is True, although {why}"


def _status(item: Json | None) -> Json:
    status: Json = (item or {}).get("status") or {}
    return status


RULES: dict[str, HarmRule] = {
    "MetacontrollerCrash": _crashes,
    "WrongDelete": _wrong_deletes,
    "RemovedField": _removed_fields,
    "OverwrittenObject": _overwritten_objects,
    "EmptiedStatus": _emptied_statuses,
    "ReadyTooEarly": _early_ready,
    "UnreportedRefusal": _unreported_refusals,
    "GrowingChildren": _growing_children,
    "RepeatedWrites": _repeated_writes,
    "NoOpWrites": _no_op_writes,
    "CallStorm": _call_storms,
    "FailingSync": _failing_syncs,
}
"""The rules by name, the most harmful first."""
