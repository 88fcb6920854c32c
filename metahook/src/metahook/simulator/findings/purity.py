"""Purity, as the history shows it: the same request later, and what a hook that keeps what it saw gives to others."""

import json
from collections.abc import Iterator
from typing import Any

from metahook.protocol.purity import differ, unasked
from metahook.simulator.findings.claimed_results import AnsweredSync
from metahook.simulator.findings.evidence import Evidence, Occurrence
from metahook.simulator.objects import Json, Key


def missing_resyncs(evidence: Evidence) -> Iterator[Occurrence]:
    """Yield parents that got another response to the same request later, although no resync was requested."""
    earlier: dict[tuple[Key, bytes], AnsweredSync] = {}
    for sync in evidence.syncs:
        before = earlier.setdefault((sync.key, sync.call.request), sync)
        if paths := unasked(before.call.response, sync.call.response, stored=False):
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
