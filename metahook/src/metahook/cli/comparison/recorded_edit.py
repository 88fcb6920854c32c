"""An edit of a parent whose children in a cluster are known from a recorded request."""

from datetime import datetime
from functools import cache

from metahook.cli.comparison.children import (
    ROLLED,
    ChildrenByName,
    EditedChildren,
    apply_to,
    is_bare,
    last_applied_children,
    restart_paths,
)
from metahook.cli.errors import InputError, Refused, program_name
from metahook.cli.files.manifest import FileManifest
from metahook.cli.files.metadata import present_fields
from metahook.cli.files.objects import Objects, problem_of, refusal
from metahook.cli.files.recordings import Recording
from metahook.cli.hooks.requests import Requests, children_of, conditions_of, invalid_spec
from metahook.protocol.objects import Json, Kind, Object


def edit_of_recording(
    recorded: Recording, new: Objects, requests: Requests, now: datetime, invalid_reason: str
) -> EditedChildren:
    """Return the edit from a recorded request to the same request with the one parent of *new*, and its other objects.

    Observed children are compared as they would be stored, with the fields that others added to them. A response whose
    Ready has *invalid_reason* has the children of before, which is an error.
    """
    _check(recorded)
    moment = recorded.time or now
    old_desired = _by_name(requests.answer("sync", recorded.body, moment, recorded.file))
    stored = FileManifest(recorded.parent, recorded.file)
    check_same(stored, new.parents[0])
    placed = new.in_namespace(recorded.parent["metadata"].get("namespace"))
    (parent,) = placed.accepted(requests.settings, Objects((stored,), ())).parents
    others = [item.content for item in new.others]
    edited = requests.edited(recorded.request, _edited(stored.content, parent.content), others, moment, parent.file)
    response = requests.answer("sync", edited, moment, parent.file)
    if problem := invalid_spec(response, invalid_reason):
        raise Refused(refusal(parent, problem_of(problem)))
    new_desired = _by_name(response)
    observed, last = recorded.observed(), last_applied_children(recorded.body, structs_of(recorded))
    before = {key: _stored_over(observed.get(key), last.get(key, {}), child) for key, child in old_desired.items()}
    current = {key: before.get(key, child) for key, child in observed.items()}
    applied = {**last, **{key: child for key, child in old_desired.items() if not is_bare(child)}}
    after = {key: _stored_over(current.get(key), applied.get(key, {}), child) for key, child in new_desired.items()}
    rolled = [key for key in observed if key[0] in ROLLED and key in before]
    paths = [path for key in rolled if key in after for path in restart_paths(before[key], after[key])]
    return EditedChildren(before, after, paths, running=frozenset(rolled), ready=_ready(response))


def _check(recorded: Recording) -> None:
    """Raise InputError for a recording that tells nothing about the children."""
    if recorded.hook != "sync":
        message = f"{recorded.file}: a request to {recorded.hook} has no children; name a request to sync"
        raise InputError(message)
    if recorded.is_redacted:
        remedy = f"record with: {program_name()} record --values"
        message = f"{recorded.file}: its values are redacted, so all would differ; {remedy}"
        raise InputError(message)


def check_same(old: FileManifest, new: FileManifest) -> None:
    """Raise InputError unless both are the same parent. A file without a namespace matches any namespace."""
    for field in ("name", "namespace"):
        one, other = (present_fields(parent.content["metadata"]).get(field) for parent in (old, new))
        if one != other and None not in (one, other):
            what = f"metadata.{field} differs from that in {old.file}; compare files of the same {new.kind}"
            message = f"{new.file}: {what}"
            raise InputError(message)


def _stored_over(observed: Json | None, last_applied: Json, desired: Json) -> Json:
    """Return the *desired* child as it is stored over the *observed* one, if there is one."""
    return desired if observed is None else apply_to(observed, last_applied, desired)


def _by_name(response: bytes) -> ChildrenByName:
    return {(child["kind"], child["metadata"]["name"]): child for child in children_of(response)}


def _ready(response: bytes) -> str:
    found = (item for item in conditions_of(response) if item.get("type") == "Ready")
    return next((f"{item.get('reason')}: {item.get('message')}" for item in found), "")


def _edited(parent: Json, new: Json) -> Json:
    """Return *parent* as it is stored with the spec of *new*."""
    generation = parent["metadata"]["generation"] + 1
    return {**parent, "spec": new.get("spec"), "metadata": {**parent["metadata"], "generation": generation}}


def structs_of(recording: Recording) -> tuple[type[Object], ...]:
    """Return a struct for each kind of children in *recording*."""
    return tuple(map(_struct, recording.groups))


@cache
def _struct(group: str) -> type[Object]:
    """Return a struct of the kind that *group* is of, such as ``Deployment.apps/v1``."""
    kind, _, api_version = group.partition(".")
    return type(kind, (Object,), {"KIND": Kind(api_version, kind, "")})
