"""Findings: the harm that a careless hook did to the cluster, read from the history.

Each rule is one way in which responses damage or overload a real cluster. A hook without findings may still be wrong; a
hook with findings is wrong.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import msgspec

from metahook.protocol.managed_fields import APPLIER, field_owners, owns
from metahook.protocol.observed import LAST_APPLIED
from metahook.protocol.request_builder import controller_of
from metahook.simulator.findings.claimed_results import AnsweredSync, first_missing_field, unmet_claim
from metahook.simulator.findings.evidence import Evidence, Occurrence
from metahook.simulator.findings.listed_children import repeated_children, unwatched_children, useless_selectors
from metahook.simulator.findings.loops import REPEATED, call_storms, growing_children, no_op_writes, repeated_writes
from metahook.simulator.findings.purity import missing_resyncs, mixed_parents
from metahook.simulator.history import Call, History, Write
from metahook.simulator.metacontroller.claims import NAME
from metahook.simulator.metacontroller.settings.selector import LABEL
from metahook.simulator.objects import Json, Key, labels, to_json, with_metadata


@dataclass(frozen=True)
class Violation:
    """``rule`` is a name in RULES, ``key`` the object, ``at`` the time in seconds."""

    rule: str
    key: Key
    at: float
    message: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.key}: {self.message}"


ViolationRule = Callable[[Evidence], Iterator[Occurrence]]


def findings(history: History, rules: Iterable[str] = ()) -> list[Violation]:
    """Return the findings of *history* by all *rules*, or by these; at most one for each rule and kind of object."""
    found: dict[tuple[str, str], Violation] = {}
    evidence = Evidence(history)
    for name in rules or RULES:
        for key, at, message in RULES[name](evidence):
            found.setdefault((name, key.kind), Violation(name, key, at, message))
    return list(found.values())


def _crashes(evidence: Evidence) -> Iterator[Occurrence]:
    for event in evidence.history.events("Crash"):
        yield event.key, event.at, "the response crashed Metacontroller, for all its controllers"


def _failing_syncs(evidence: Evidence) -> Iterator[Occurrence]:
    """Yield parents whose syncs keep failing, for another reason than that the API server refuses a child."""
    failed: dict[Key, int] = defaultdict(int)
    called: set[Key] = set()
    answered: set[Key] = set()
    refused = False
    for entry in evidence.history.entries:
        if isinstance(entry, Write):
            refused = refused or (entry.actor == NAME and entry.refused is not None)
        elif isinstance(entry, Call):
            failed[entry.key] = 0 if entry.key in answered else failed[entry.key]
            called.add(entry.key)
            answered |= {entry.key} if entry.hook != "customize" else set()
            refused = False
        elif entry.reason == "SyncError":
            answered.discard(entry.key)
            failed[entry.key] += not refused
            if failed[entry.key] == REPEATED:
                why = (
                    "because the hook's responses can't be used" if entry.key in called else "before the hook is called"
                )
                yield entry.key, entry.at, f"every sync fails, {why}"
            called.discard(entry.key)


def _wrong_deletes(evidence: Evidence) -> Iterator[Occurrence]:
    """Yield deleted children that a response for the same generation lists, or that no response ever listed."""
    syncs = evidence.syncs
    listed = {key for sync in syncs for key in sync.children}
    for write in evidence.history.writes(NAME):
        if write.verb != "delete" or not write.changed:
            continue
        by = next((sync for sync in reversed(syncs) if sync.at <= write.at and sync.owns(write.before)), None)
        if write.key not in listed:
            yield write.key, write.at, "deleted, but no response ever listed it: it belongs to another owner"
        elif (
            by
            and not by.finalizing
            and write.key not in by.children  # otherwise its update method deletes it, to create it again
            and any(write.key in sync.children for sync in syncs if sync.generation == by.generation)
        ):
            yield write.key, write.at, "deleted, although the parent's spec did not change"


def _removed_fields(evidence: Evidence) -> Iterator[Occurrence]:
    """Yield children of which a response drops a field, although the generation is the same and the child exists.

    A field that another manager owns stays, so it may be left out.
    """
    before: dict[tuple[Key, int | str], AnsweredSync] = {}
    for sync in evidence.syncs:
        if sync.finalizing:
            continue
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


def _emptied_statuses(evidence: Evidence) -> Iterator[Occurrence]:
    for write in evidence.history.writes(NAME):
        if write.verb == "update status" and len(_status(write.before)) > 1 and len(_status(write.after)) == 1:
            yield write.key, write.at, "the status was emptied: every response must contain the whole status"


def _overwritten_objects(evidence: Evidence) -> Iterator[Occurrence]:
    """Yield objects that Metacontroller neither created nor adopted, and yet changes."""
    creators: dict[Key, str] = {}
    for write in evidence.history.writes():
        if write.changed and write.before is None:
            creators[write.key] = write.actor
        if write.actor != NAME or not write.changed or write.before is None or write.key in evidence.parents:
            continue
        is_foreign = creators.get(write.key) != NAME and write.verb in ("apply", "update")
        if is_foreign and LABEL not in labels(write.before) and not _is_adopted(write.before, write.after):
            yield write.key, write.at, "an object of another owner was overwritten"


def _is_adopted(before: Json, after: Json | None) -> bool:
    """Tell whether *before* has an owner already, or gets one and nothing else."""
    if controller_of(before) is not None or after is None:
        return True
    return to_json(_without_owner(before)) == to_json(_without_owner(after))


def _without_owner(item: Json) -> Json:
    return with_metadata(item, ownerReferences=None, resourceVersion=None, managedFields=None, generation=None)


def _unreported_refusals(evidence: Evidence) -> Iterator[Occurrence]:
    """Yield children that the API server keeps refusing, while the status reports no problem."""
    refused: dict[Key, int] = defaultdict(int)
    parent: AnsweredSync | None = None
    for entry, sync in evidence.entries():
        parent = sync or parent
        if isinstance(entry, Write) and entry.actor == NAME and not _is_created_again(entry, parent):
            refused[entry.key] = refused[entry.key] + 1 if entry.refused else 0
    last = {sync.key: sync for sync in evidence.syncs}
    for key, times in refused.items():
        listing = [sync for sync in last.values() if key in sync.keys and not sync.finalizing]
        if times >= REPEATED and any(sync.ready != "False" for sync in listing):
            yield key, listing[-1].at, "the API server keeps refusing it, and the status does not report that"


def _is_created_again(write: Write, sync: AnsweredSync | None) -> bool:
    """Tell whether *sync* creates a child that its parent has already: a stale cache is without it."""
    is_refused = (write.refused or "").startswith("AlreadyExists")
    return is_refused and sync is not None and sync.owns(write.before)


def _early_ready(evidence: Evidence) -> Iterator[Occurrence]:
    """Yield parents that are Ready although a child is not rolled out, or differs from the response."""
    for sync in evidence.syncs:
        why = unmet_claim(sync) if sync.ready == "True" and not sync.finalizing else None
        if why:
            yield sync.key, sync.at, f"Ready is True, although {why}"


def _status(item: Json | None) -> Json:
    status: Json = (item or {}).get("status") or {}
    return status


RULES: dict[str, ViolationRule] = {
    "MetacontrollerCrash": _crashes,
    "WrongDelete": _wrong_deletes,
    "RemovedField": _removed_fields,
    "OverwrittenObject": _overwritten_objects,
    "EmptiedStatus": _emptied_statuses,
    "RepeatedChild": repeated_children,
    "UnwatchedChild": unwatched_children,
    "UnreportedRefusal": _unreported_refusals,
    "ReadyTooEarly": _early_ready,
    "UselessSelector": useless_selectors,
    "MixedParents": mixed_parents,
    "GrowingChildren": growing_children,
    "NeedsResync": missing_resyncs,
    "RepeatedWrites": repeated_writes,
    "NoOpWrites": no_op_writes,
    "CallStorm": call_storms,
    "FailingSync": _failing_syncs,
}
"""The rules by name, the most harmful first, and a cause before what follows from it."""
