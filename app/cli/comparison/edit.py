"""An edit: what a MyResource's children are before and after a change of its spec."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import msgspec

from app.cli.comparison.pods import applied, as_stored, bare, records, restarts
from app.cli.errors import InputError
from app.cli.files.parents import Json, answered, composed
from app.cli.files.recordings import Identity, Recording
from app.core.watch import Watch
from metahook.simulator.metacontroller.dynamic_apply import with_last_applied

Children = dict[Identity, Json]


class Given(NamedTuple):
    """A MyResource of a file, and the objects beside it."""

    parent: Json
    path: str
    others: list[Json]


@dataclass(frozen=True)
class Edit:
    """Children by kind and name."""

    before: Children
    after: Children
    restarts: list[str]
    """Where the Pod template of the Deployment differs, which restarts Pods."""
    running: bool = True
    """Whether there is a Deployment whose Pods could restart."""


def of_files(old: Given, new: Given, now: datetime, watch: Watch) -> Edit:
    """Return the edit from the MyResource *old* to *new*: what the hook asks for before and after."""
    _check_same(old.parent, old.path, new)
    namespace = {**new.parent["metadata"], **old.parent["metadata"]}.get("namespace", "default")
    before, after = (_asked(given, namespace, now, watch) for given in (old, new))
    both = [(before[key], after[key]) for key in before if key in after and key[0] == "Deployment"]
    return Edit(before, after, [path for old_child, new_child in both for path in _in_any_mode(old_child, new_child)])


def of_recording(recorded: Recording, new: Given, now: datetime, watch: Watch) -> Edit:
    """Return the edit from what a recorded request shows to what it would show with the spec of *new*.

    Children that are there are compared as they would be stored, so what others added to them counts.
    """
    if recorded.hook != "sync":
        message = f"{recorded.file}: a request to customize has no children; name a request to sync"
        raise InputError(message)
    moment = recorded.time or now
    old_asked = _children(answered(recorded.body, moment, recorded.file, watch))
    _check_same(recorded.parent, recorded.file, new)
    edited = msgspec.json.encode({**recorded.request, "parent": _edited(recorded.parent, new.parent)})
    new_asked = _valid_children(answered(edited, moment, new.path, watch), new.path)
    seen, last = recorded.observed(), records(recorded.body)
    before = {key: _upon(seen.get(key), last.get(key, {}), child) for key, child in old_asked.items()}
    after = {
        key: _upon(
            before[key] if key in seen and key in before else seen.get(key), _record(key, old_asked, last), child
        )
        for key, child in new_asked.items()
    }
    running = [key for key in seen if key[0] == "Deployment" and key in before]
    paths = [path for key in running if key in after for path in restarts(before[key], after[key])]
    return Edit(before, after, paths, running=bool(running))


def _upon(seen: Json | None, last: Json, asked: Json) -> Json:
    """Return the child that is *asked* for as it is stored over the one that is *seen*, if there is one."""
    return asked if seen is None else applied(seen, last, asked)


def _record(key: Identity, asked: Children, last: Children) -> Json:
    """Return what was applied last once *asked* is applied."""
    return asked[key] if key in asked and not bare(asked[key]) else last.get(key, {})


def _in_any_mode(old: Json, new: Json) -> list[str]:
    """Return what restarts Pods in either of Metacontroller's ways to apply."""
    made = as_stored(old)
    starts = (with_last_applied(made, old), made)
    return list(dict.fromkeys(path for start in starts for path in restarts(made, applied(start, old, new))))


def _asked(given: Given, namespace: str, now: datetime, watch: Watch) -> Children:
    """Return the children of a MyResource that has started: it waits for no dependency any more."""
    whose = f"{given.path}: {given.parent['metadata']['name']}"
    metadata = {**given.parent["metadata"], "namespace": namespace}
    parent = {**given.parent, "metadata": metadata, "status": {"readyGeneration": 1}}
    body = composed(parent, [], given.others, whose, watch)
    return _valid_children(answered(body, now, whose, watch), whose)


def _valid_children(answer: bytes, whose: str) -> Children:
    """Return the children in *answer*; raise InputError if it keeps what there was, as the spec can't be used."""
    conditions = msgspec.json.decode(answer)["status"]["conditions"]
    problem = next((item["message"] for item in conditions if item["reason"] == "InvalidSpec"), None)
    if problem:
        message = f"{whose}: {problem}"
        raise InputError(message)
    return _children(answer)


def _children(answer: bytes) -> Children:
    found = msgspec.json.decode(answer)["children"]
    return {(child["kind"], child["metadata"]["name"]): child for child in found}


def _edited(parent: Json, new: Json) -> Json:
    """Return *parent* as it is stored with the spec of *new*."""
    generation = parent["metadata"]["generation"] + 1
    return {**parent, "spec": new.get("spec"), "metadata": {**parent["metadata"], "generation": generation}}


def _check_same(old: Json, old_path: str, new: Given) -> None:
    """Raise InputError unless both are the same MyResource; a file that names no namespace means any."""
    for field in ("name", "namespace"):
        one, other = (parent["metadata"].get(field) for parent in (old, new.parent))
        if one != other and None not in (one, other):
            message = f"{new.path}: another {field} than in {old_path}; compare files of the same MyResource"
            raise InputError(message)
