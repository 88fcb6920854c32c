"""Loops: harm that repeats for ever, such as a write after each sync; and when a world is stopped because of it."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from metahook.protocol.objects import changed_paths
from metahook.protocol.observed import LAST_APPLIED
from metahook.simulator.findings.evidence import AnsweredSync, Evidence, Occurrence
from metahook.simulator.history import YOU, Call, Entry, History, Write
from metahook.simulator.metacontroller.children import NAME
from metahook.simulator.objects import Json, Key

REPEATED = 4
"""Times in a row from which on a repetition counts as a loop."""

MANY = 30
"""Times from which on a repetition counts as a loop, although others act in between."""

MOST_CALLS = 50
"""Calls for one parent within a second."""

MOST_BYTES = 8 * 2**20
"""Bytes of requests and responses for one parent after which a world looks for loops."""


def call_storms(evidence: Evidence) -> Iterator[Occurrence]:
    """Yield parents for which the hook is called more often than any change needs."""
    times: dict[Key, list[float]] = defaultdict(list)
    for call in evidence.history.calls("sync", "finalize", "customize"):
        recent = [at for at in times[call.key] if at > call.at - 1] + [call.at]
        times[call.key] = recent
        if len(recent) > MOST_CALLS:
            yield call.key, call.at, "the hook is called in a tight loop"
    yield from _short_resyncs(evidence)


def _short_resyncs(evidence: Evidence) -> Iterator[Occurrence]:
    """Yield parents for which the hook keeps asking for a sync within a second, although nothing is written."""
    times: dict[Key, int] = defaultdict(int)
    for entry, sync in evidence.entries():
        if isinstance(entry, Write) and entry.changed:
            times.clear()
        elif sync is not None:
            seconds = sync.response.resync_after
            times[sync.key] = times[sync.key] + 1 if 0 < seconds < 1 else 0
            if times[sync.key] == MANY:
                why = f"resyncAfterSeconds is {seconds}: write 1 or more"
                yield sync.key, sync.at, f"the hook is called in a loop, although nothing changes; {why}"


def repeated_writes(evidence: Evidence) -> Iterator[Occurrence]:
    """Yield objects that each sync changes."""
    for write, times in _writes_in_a_row(evidence, changed=True):
        if times == REPEATED:
            where = _changed_path(write)
            yield write.key, write.at, f"written again and again, although nothing else changes{where}"


def no_op_writes(evidence: Evidence) -> Iterator[Occurrence]:
    """Yield objects that each sync writes without a change."""
    for write, times in _writes_in_a_row(evidence, changed=False):
        if times == REPEATED - 1:
            yield write.key, write.at, "every sync sends a write that changes nothing"


def _writes_in_a_row(evidence: Evidence, *, changed: bool) -> Iterator[tuple[Write, int]]:
    """Yield Metacontroller's writes with this *changed*, each with its count since another actor's last write.

    Several writes of an object by one sync count once. Each object that Metacontroller creates allows one more write: a
    status may tell which children are not there yet, and each one that is calls the hook again. A stale cache shows a
    write of another actor late.
    """
    times: dict[Key, int] = defaultdict(int)
    created, counted = set[Key](), set[Key]()
    unseen = set[str]()
    for entry, sync in evidence.entries():
        if isinstance(entry, Call):
            counted.clear()
            seen = unseen & {item["metadata"]["resourceVersion"] for item in sync.observed.values()} if sync else None
            if seen:
                times.clear()
                created.clear()
                unseen -= seen
        elif not isinstance(entry, Write):
            continue
        elif entry.actor != NAME and entry.changed:
            times.clear()
            created.clear()
            unseen |= {entry.after["metadata"]["resourceVersion"]} if entry.after else set()
        elif entry.actor == NAME and entry.changed == changed and entry.refused is None and entry.key not in counted:
            created |= {entry.key} if entry.before is None else set()
            counted.add(entry.key)
            times[entry.key] += 1
            yield entry, times[entry.key] - len(created)


def _changed_path(write: Write) -> str:
    """Return the first path that *write* changed, as the end of a sentence."""
    if write.before is None or write.after is None:
        return ""
    path = next(iter(changed_paths(_own(write.before), _own(write.after), "")), None)
    return "" if path is None else f": {path} is another one each time"


def _own(item: Json) -> Json:
    """Return *item* without what the API server and Metacontroller note in it."""
    metadata = {name: value for name, value in item["metadata"].items() if name not in _NOTED}
    annotations = {name: value for name, value in (metadata.get("annotations") or {}).items() if name != LAST_APPLIED}
    return {**item, "metadata": {**metadata, "annotations": annotations}}


_NOTED = ("resourceVersion", "generation", "managedFields", "uid", "creationTimestamp")


def growing_children(evidence: Evidence) -> Iterator[Occurrence]:
    """Yield children of a parent that gets more and more of them."""
    grown = _Growth()
    for entry, sync in evidence.entries():
        if isinstance(entry, Write):
            key = grown.written(entry)
            if key is not None:
                yield key, entry.at, "the hook creates more and more children"
        elif sync is not None and grown.listed(sync):
            yield sync.key, sync.at, "each response lists more children than the one before"


class _Growth:
    """Counts the children that a parent got, and the responses that list more of them, since a user acted."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._created: dict[tuple[Any, str], int] = defaultdict(int)
        self._most: dict[tuple[Any, str], int] = defaultdict(int)
        self._longest: dict[Key, int] = {}
        self._times: dict[Key, int] = defaultdict(int)
        self._in_a_row: dict[Key, int] = defaultdict(int)

    def written(self, write: Write) -> Key | None:
        """Count *write*; return its key if its owner now has more new children than its responses ever listed."""
        if write.actor == YOU:
            self._begin()
        elif write.actor != NAME and write.changed:
            self._in_a_row.clear()
        elif write.changed and write.before is None and write.after is not None:
            owner = write.after["metadata"].get("ownerReferences", [{}])[0].get("uid"), write.key.kind
            self._created[owner] += 1
            return write.key if self._created[owner] == REPEATED + 2 * self._most[owner] else None
        return None

    def listed(self, sync: AnsweredSync) -> bool:
        """Count *sync*; tell whether the list of children has become longer too often."""
        kinds = [child["kind"] for child in sync.response.children]
        for kind in set(kinds):
            self._most[sync.uid, kind] = max(self._most[sync.uid, kind], kinds.count(kind))
        is_longer = len(kinds) > self._longest.setdefault(sync.key, len(kinds))
        self._longest[sync.key] = max(len(kinds), self._longest[sync.key])
        self._times[sync.key] += is_longer
        self._in_a_row[sync.key] += is_longer
        return is_longer and (self._in_a_row[sync.key] == REPEATED + 1 or self._times[sync.key] == MANY)


class Storm:
    """Tells when the calls for a parent need so much memory, since a user acted, that a loop is likely."""

    def __init__(self, history: History) -> None:
        self.is_due = False
        self._bytes: dict[Key, int] = defaultdict(int)
        self._most = MOST_BYTES
        history.listeners.append(self._on_entry)

    def look_again(self) -> None:
        """Wait for twice as much from now on."""
        self.is_due = False
        self._most *= 2

    def _on_entry(self, entry: Entry) -> None:
        if isinstance(entry, Call):
            self._bytes[entry.key] += len(entry.request) + len(entry.response)
            self.is_due = self.is_due or self._bytes[entry.key] > self._most
        elif isinstance(entry, Write) and entry.actor == YOU:
            self._bytes.clear()
            self._most = MOST_BYTES
