"""Findings: the harm that a careless hook did to the cluster, read from the history.

Each rule is one way in which responses damage or overload a real cluster. A hook without findings may still be wrong; a
hook with findings is wrong.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from metahook.protocol.managed_fields import APPLIER, field_owners, owns
from metahook.protocol.objects import group_key
from metahook.protocol.observed import LAST_APPLIED
from metahook.protocol.purity import differ, unasked
from metahook.protocol.request_builder import controller_of
from metahook.simulator.apiserver.built_in_kinds import BUILT_IN
from metahook.simulator.findings.evidence import AnsweredSync, Evidence, Occurrence, first_missing_field, unmet_claim
from metahook.simulator.findings.loops import REPEATED, call_storms, growing_children, no_op_writes, repeated_writes
from metahook.simulator.history import Call, History, Write
from metahook.simulator.metacontroller.children import NAME
from metahook.simulator.metacontroller.settings import LABEL
from metahook.simulator.objects import Json, Key, labels, to_json, with_metadata

_BUILT_IN = {(kind.api_version, kind.kind) for kind in BUILT_IN}


def repeated_children(evidence: Evidence) -> Iterator[Occurrence]:
    """Yield children that one response lists twice."""
    for sync in evidence.syncs:
        listed = set[tuple[object, Key]]()
        for key, child in sync.listed():
            if (child.get("apiVersion"), key) in listed:
                yield key, sync.at, "one response has two children of this name, and one is lost: list it once"
            listed.add((child.get("apiVersion"), key))


def unwatched_children(evidence: Evidence) -> Iterator[Occurrence]:
    """Yield children in another namespace than their parent, and those created of a kind that nobody watches."""
    created = {write.key for write in evidence.history.writes(NAME) if write.changed and write.before is None}
    for sync in evidence.syncs:
        for key, child in sync.listed():
            in_none = Key(key.kind, "", key.name)
            if sync.key.namespace and key.namespace not in ("", sync.key.namespace):
                message = f"its parent is in namespace {sync.key.namespace}, so Kubernetes deletes it"
                yield key, sync.at, f"{message}: leave out metadata.namespace, or use a cluster-scoped parent"
            elif sync.key.namespace and in_none in created:
                message = "its kind is cluster-scoped and the parent is not, so Kubernetes deletes it"
                yield in_none, sync.at, f"{message}: use a cluster-scoped parent"
            elif (
                key in created and group_key(kind=key.kind, api_version=str(child.get("apiVersion"))) not in sync.groups
            ):
                message = "its kind is not listed in the controller, which creates it and never sees it again"
                yield key, sync.at, f"{message}: add it to {sync.resources}"


def useless_selectors(evidence: Evidence) -> Iterator[Occurrence]:
    """Yield Services that select none of the Pods of the children beside them.

    A child of another API may have Pods with any labels.
    """
    seen = set[bytes]()
    for sync in evidence.syncs:
        if sync.call.response in seen or sync.finalizing:
            continue
        seen.add(sync.call.response)
        if all((child.get("apiVersion"), key.kind) in _BUILT_IN for key, child in sync.listed()):
            yield from _useless_selectors(sync)


def _useless_selectors(sync: AnsweredSync) -> Iterator[Occurrence]:
    pods = [pod for _, child in sync.listed() for pod in _pod_labels(child)]
    if not pods:
        return
    others = json.loads(sync.call.request).get("related") or {}
    pods += _pod_labels(sync.call.parent)
    pods += [pod for group in others.values() for item in group.values() for pod in _pod_labels(item)]
    pods += [pod for item in sync.observed.values() for pod in _pod_labels(item)]
    for key, child in sync.listed():
        selector = (child.get("spec") or {}).get("selector")
        if key.kind == "Service" and selector and not any(selector.items() <= labels.items() for labels in pods):
            yield key, sync.at, "its selector selects no Pods of the other children: use the labels of their Pods"


def _pod_labels(item: Json) -> list[Json]:
    """Return the labels of the Pods of *item*: of itself, or of each template in its spec."""
    if item.get("kind") == "Pod":
        return [(item.get("metadata") or {}).get("labels") or {}]
    spec = item.get("spec") or {}
    inner = [spec, (spec.get("jobTemplate") or {}).get("spec") or {}] if isinstance(spec, dict) else []
    templates = [each["template"] for each in inner if isinstance(each.get("template"), dict)]
    return [(template.get("metadata") or {}).get("labels") or {} for template in templates]


def missing_resyncs(evidence: Evidence) -> Iterator[Occurrence]:
    """Yield parents that got another response to the same request later, although no resync was requested."""
    earlier: dict[tuple[Key, bytes], AnsweredSync] = {}
    for sync in evidence.syncs:
        before = earlier.setdefault((sync.key, sync.call.request), sync)
        try:
            paths = unasked(before.call.response, sync.call.response, stored=False)
        except msgspec.DecodeError:  # half of a character, in what nobody reads of the response
            continue
        if paths:
            later = f"{sync.at - before.at:.0f} s later the same request has another response: {differ(paths)}"
            yield sync.key, sync.at, f"{later}, and no resync was requested"


def mixed_parents(evidence: Evidence) -> Iterator[Occurrence]:
    """Yield parents whose response has gained what only another parent has: its name, its uid or its data.

    A response counts as having gained it if an earlier one, from before the other parent, is without it although the
    user has asked for nothing else in between.
    """
    first: dict[tuple[Key, int | str], AnsweredSync] = {}
    others: dict[Key, tuple[int, set[str]]] = {}
    begun: dict[tuple[Key, int | str], int] = {}
    if len({sync.key for sync in evidence.syncs}) == 1:
        return
    for place, sync in enumerate(evidence.syncs):
        version = sync.key, sync.generation
        if sync.key not in others:
            others[sync.key] = place, _identity(sync)
        base = first.setdefault(version, sync)
        begun.setdefault(version, place)
        if base.call.response == sync.call.response:
            continue
        gained = words(_responded(sync)) - words(_responded(base))
        for key, (since, own) in others.items():
            foreign = gained & own if key != sync.key and since > begun[version] else None
            if foreign and foreign - words(json.loads(sync.call.request)):
                yield sync.key, sync.at, f"the response has data of {key}: two parents share an object in the hook"
                break


def _identity(sync: AnsweredSync) -> set[str]:
    """Return the words that tell the parent of *sync* from others."""
    parent = sync.call.parent
    metadata = {name: parent["metadata"].get(name) for name in ("name", "uid", "labels", "annotations")}
    body = {name: value for name, value in parent.items() if name not in ("apiVersion", "kind", "metadata", "status")}
    return words([list(metadata.values()), list(body.values())])


def _responded(sync: AnsweredSync) -> list[Json | None]:
    return [sync.response.status, *sync.response.children]


def words(value: Any) -> set[str]:
    """Return all texts in *value*, any JSON: keys and values."""
    found, left = set[str](), [value]
    while left:
        inner = left.pop()
        if isinstance(inner, dict):
            found |= inner.keys()
            left += inner.values()
        elif isinstance(inner, list):
            left += inner
        elif isinstance(inner, str):
            found.add(inner)
    return found


class Violation(msgspec.Struct, frozen=True):
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
    """Yield parents whose syncs keep failing, though the API server refuses no child, and the hook can be reached."""
    failed: dict[Key, int] = defaultdict(int)
    called: set[Key] = set()
    answered: set[Key] = set()
    is_excused = False
    for entry in evidence.history.entries:
        if isinstance(entry, Write):
            is_excused = is_excused or (entry.actor == NAME and entry.refused is not None)
        elif isinstance(entry, Call):
            failed[entry.key] = 0 if entry.key in answered else failed[entry.key]
            called.add(entry.key)
            answered |= {entry.key} if entry.hook != "customize" else set()
            is_excused = entry.status is None
        elif entry.reason == "SyncError":
            answered.discard(entry.key)
            failed[entry.key] += not is_excused
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
