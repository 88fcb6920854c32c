"""An edit: the children of a MyResource before and after a change of its spec."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import msgspec

from app.cli.files.requests import Json, answer_sync, compose_sync, edit_sync
from app.core.child_metadata import GENERATION_STAMP, PASSING_ANNOTATIONS
from app.core.desired.children import CHILDREN
from app.core.reasons import INVALID_SPEC
from app.core.watch import Watch
from metahook.cli.comparison.children import (
    Children,
    EditedChildren,
    apply_to,
    as_stored,
    is_bare,
    last_applied_children,
    restart_paths,
)
from metahook.cli.errors import InputError
from metahook.cli.files.recordings import Recording
from metahook.simulator.metacontroller.dynamic_apply import with_last_applied

_WRITE_ANNOTATIONS = frozenset({GENERATION_STAMP, *PASSING_ANNOTATIONS})


@dataclass(frozen=True)
class Edit(EditedChildren):
    """The children before and after an edit of their MyResource."""

    has_deployment: bool = True
    """Whether there is a Deployment whose Pods could restart."""
    ready: str = ""
    """Reason and message of Ready after the edit, if these are known."""


class ParentFile(NamedTuple):
    """A file with one MyResource, and the other objects in it."""

    parent: Json
    path: str
    others: list[Json]


def edit_of_file(old: ParentFile, new: ParentFile, now: datetime, watch: Watch) -> Edit:
    """Return the edit from the MyResource *old* to *new*, by the children that the hook desires for each."""
    _check_same(old.parent, old.path, new)
    namespace = {**new.parent["metadata"], **old.parent["metadata"]}.get("namespace", "default")
    before, after = (_desired_children(file, namespace, now, watch) for file in (old, new))
    deployments = [key for key in before if key in after and key[0] == "Deployment"]
    return Edit(
        before,
        after,
        [path for key in deployments for path in _by_any_strategy(before[key], after[key])],
        hidden=_WRITE_ANNOTATIONS,
    )


def edit_of_recording(recorded: Recording, new: ParentFile, now: datetime, watch: Watch) -> Edit:
    """Return the edit from a recorded request to the same request with the spec of *new*, and its related objects.

    Observed children are compared as they would be stored, with the fields that others added to them.
    """
    if recorded.hook != "sync":
        message = f"{recorded.file}: a request to customize has no children; name a request to sync"
        raise InputError(message)
    if recorded.is_redacted:
        message = (
            f"{recorded.file}: its values are redacted, so all would differ; record with: myresource record --values"
        )
        raise InputError(message)
    moment = recorded.time or now
    old_desired = _children(answer_sync(recorded.body, moment, recorded.file, watch))
    _check_same(recorded.parent, recorded.file, new)
    edited = edit_sync(recorded.request, _edited(recorded.parent, new.parent), new.others, new.path, watch)
    response = answer_sync(edited, moment, new.path, watch)
    new_desired = _valid_children(response, new.path)
    observed, last = recorded.observed(), last_applied_children(recorded.body, CHILDREN)
    before = {key: _stored_over(observed.get(key), last.get(key, {}), child) for key, child in old_desired.items()}
    current = {key: before.get(key, child) for key, child in observed.items()}
    applied = {**last, **{key: child for key, child in old_desired.items() if not is_bare(child)}}
    after = {key: _stored_over(current.get(key), applied.get(key, {}), child) for key, child in new_desired.items()}
    deployments = [key for key in observed if key[0] == "Deployment" and key in before]
    paths = [path for key in deployments if key in after for path in restart_paths(before[key], after[key])]
    return Edit(
        before, after, paths, has_deployment=bool(deployments), ready=_ready(response), hidden=_WRITE_ANNOTATIONS
    )


def _stored_over(observed: Json | None, last_applied: Json, desired: Json) -> Json:
    """Return the *desired* child as it is stored over the *observed* one, if there is one."""
    return desired if observed is None else apply_to(observed, last_applied, desired)


def _by_any_strategy(old: Json, new: Json) -> list[str]:
    """Return what restarts Pods under either of Metacontroller's apply strategies."""
    created = as_stored(old)
    starts = (with_last_applied(created, old), created)
    return list(dict.fromkeys(path for start in starts for path in restart_paths(created, apply_to(start, old, new))))


def _desired_children(file: ParentFile, namespace: str, now: datetime, watch: Watch) -> Children:
    """Return the children of a MyResource that was Ready before: others may wait for their dependencies."""
    where = f"{file.path}: {file.parent['metadata']['name']}"
    metadata = {**file.parent["metadata"], "namespace": namespace}
    parent = {**file.parent, "metadata": metadata, "status": {"readyGeneration": 1}}
    request = compose_sync(parent, [], file.others, where, watch)
    return _valid_children(answer_sync(request, now, where, watch), where)


def _valid_children(response: bytes, where: str) -> Children:
    """Return the children in *response*; raise InputError if the spec is invalid, as these are then the old ones."""
    conditions = msgspec.json.decode(response)["status"]["conditions"]
    problem = next((item["message"] for item in conditions if item["reason"] == INVALID_SPEC.name), None)
    if problem:
        message = f"{where}: {problem}"
        raise InputError(message)
    return _children(response)


def _children(response: bytes) -> Children:
    children = msgspec.json.decode(response)["children"]
    return {(child["kind"], child["metadata"]["name"]): child for child in children}


def _ready(response: bytes) -> str:
    conditions = msgspec.json.decode(response)["status"]["conditions"]
    return next(f"{item['reason']}: {item['message']}" for item in conditions if item["type"] == "Ready")


def _edited(parent: Json, new: Json) -> Json:
    """Return *parent* as it is stored with the spec of *new*."""
    generation = parent["metadata"]["generation"] + 1
    return {**parent, "spec": new.get("spec"), "metadata": {**parent["metadata"], "generation": generation}}


def _check_same(old: Json, old_path: str, new: ParentFile) -> None:
    """Raise InputError unless both are the same MyResource. A file without a namespace matches any namespace."""
    for field in ("name", "namespace"):
        one, other = (parent["metadata"].get(field) for parent in (old, new.parent))
        if one != other and None not in (one, other):
            message = (
                f"{new.path}: metadata.{field} differs from that in {old_path}; compare files of the same MyResource"
            )
            raise InputError(message)
