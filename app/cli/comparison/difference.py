"""A difference: what another answer to the same request changes, for the children, the status and the Pods."""

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from app.cli.comparison.answers import OK, Answer
from app.cli.comparison.changes import changes
from app.cli.comparison.pods import applied, as_stored, bare, has_pods, records, restarts
from app.cli.files.recordings import Identity, Recording

Json = dict[str, Any]


class Pods(Enum):
    """What becomes of the Pods that run."""

    KEEP = "keep"
    RESTART = "restart"
    END = "end"


@dataclass(frozen=True)
class ChildChange:
    """A child that is added, removed, or changed at some paths."""

    what: str
    kind: str
    name: str
    paths: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Difference:
    """Nothing in it is set where nothing differs."""

    codes: tuple[int, int] | None = None
    """How it was answered before and after, if one of the two is no 200."""
    children: list[ChildChange] = field(default_factory=list)
    said: tuple[str, str] | None = None
    """State and reason before and after."""
    status: list[str] = field(default_factory=list)
    """Paths in the status."""
    rules: list[str] = field(default_factory=list)
    """Paths in the related rules."""
    resync: bool = False
    pods: Pods = Pods.KEEP

    def __bool__(self) -> bool:
        return self != Difference()


def between(recording: Recording, old: Answer, new: Answer) -> Difference:
    """Return how the answer *new* differs from *old*."""
    if old.code != new.code or new.code != OK:
        codes = None if old.code == new.code else (old.code, new.code)
        return Difference(codes=codes, pods=_pods(recording, old, new) if new.code == OK else Pods.KEEP)
    status = changes(old.status, new.status, "status")
    children = [change for key in _keys(old, new) for change in _child(key, recording, old, new)]
    return Difference(
        children=children,
        said=(old.said, new.said) if old.said != new.said else None,
        status=status,
        rules=changes(old.rules, new.rules, "relatedResources"),
        resync=old.resync != new.resync,
        pods=_pods(recording, old, new) if children else Pods.KEEP,
    )


def from_observed(recording: Recording, new: Answer) -> Difference:
    """Return what the answer *new* changes in what is observed; a status on its way is not compared."""
    if new.code != OK:
        return Difference(codes=(OK, new.code))
    if recording.parent["metadata"].get("deletionTimestamp"):
        return Difference()
    seen, last = recording.observed(), records(recording.body)
    found = [_written(key, seen.get(key), last.get(key, {}), new.children.get(key)) for key in {**seen, **new.children}]
    before = Answer(OK, status=recording.parent.get("status") or {})
    lost = _is_ready(recording.parent) and before.said != new.said
    return Difference(
        children=[change for change in found if change],
        said=(before.said, new.said) if lost else None,
        pods=_pods(recording, None, new),
    )


def _keys(old: Answer, new: Answer) -> list[Identity]:
    return sorted({**old.children, **new.children})


def _child(key: Identity, recording: Recording, old: Answer, new: Answer) -> list[ChildChange]:
    """Return how one child differs; one that is kept with no record of it is as it is observed."""
    before, after = old.children.get(key), new.children.get(key)
    if before is None or after is None:
        return [ChildChange("added" if after else "removed", *key)]
    if bare(after):
        return []
    if bare(before):
        seen = recording.observed().get(key)
        change = _written(key, seen, {}, after)
        return [change] if change else []
    paths = changes(before, after, "")
    return [ChildChange("changed", *key, paths)] if paths else []


def _written(key: Identity, seen: Json | None, last: Json, asked: Json | None) -> ChildChange | None:
    """Return how the child that is *seen* changes when *asked* is applied."""
    if seen is None or asked is None:
        return ChildChange("added" if asked else "removed", *key)
    paths = changes(as_stored(seen), applied(seen, last, asked), "")
    return ChildChange("changed", *key, paths) if paths else None


def _pods(recording: Recording, old: Answer | None, new: Answer) -> Pods:
    """Return what becomes of the Pods with *new* that does not with *old*."""
    if recording.hook != "sync" or recording.parent["metadata"].get("deletionTimestamp"):
        return Pods.KEEP
    last = records(recording.body)
    ends = [_of_deployment(key, seen, last, old, new) for key, seen in recording.observed().items()]
    return next((end for end in (Pods.END, Pods.RESTART) if end in ends), Pods.KEEP)


def _of_deployment(key: Identity, seen: Json, last: dict[Identity, Json], old: Answer | None, new: Answer) -> Pods:
    if key[0] != "Deployment" or not has_pods(seen):
        return Pods.KEEP
    before = old.children.get(key) if old else None
    after = new.children.get(key)
    if after is None:
        return Pods.END
    record = last.get(key) or (before if before and not bare(before) else {})
    now, then = as_stored(seen), applied(seen, record, after)
    anyway = applied(seen, record, before) if before else now
    return Pods.RESTART if restarts(now, then) and restarts(anyway, then) else Pods.KEEP


def _is_ready(parent: Json) -> bool:
    """Tell whether the status of *parent* says Ready, of the spec that it has."""
    status = parent.get("status")
    conditions = status.get("conditions") if isinstance(status, dict) else None
    generation = parent["metadata"].get("generation")
    wanted = {"type": "Ready", "status": "True", "observedGeneration": generation}.items()
    found = conditions if isinstance(conditions, list) else []
    return any(all(item.get(key) == value for key, value in wanted) for item in found if isinstance(item, dict))
