"""An edit of a parent: what changes in its children, whether that restarts Pods, and the edit as a unified diff.

Metacontroller merges what it applies into the observed child; the API server sets the defaults. Only what differs after
that is a difference, and only a difference in the Pod template of a Deployment restarts Pods. The children in a cluster
may be known from a recorded request.
"""

import difflib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import cache

from msgspec import Struct

from metahook.cli.errors import InputError, Refused, program_name
from metahook.cli.files.documents import as_yaml
from metahook.cli.files.manifests import FileManifest
from metahook.cli.files.metadata import present_fields
from metahook.cli.files.objects import Objects, problem_of, refusal
from metahook.cli.files.recordings import Identity, Recording
from metahook.cli.hooks.requests import Requests, children_of, invalid_spec, ready_of
from metahook.protocol.objects import Json, Kind, Object, changed_paths
from metahook.protocol.observed import LAST_APPLIED
from metahook.protocol.request import Shape, SyncRequest
from metahook.simulator.apiserver.server_side_apply import apply
from metahook.simulator.apiserver.stored_object import stored_object
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.controllers.deployments import REVISION
from metahook.simulator.metacontroller.children import merge

ChildrenByName = dict[Identity, Json]

ROLLED = ("DaemonSet", "Deployment", "StatefulSet")
"""Kinds whose controllers replace Pods if the Pod template changes."""


class EditedChildren(Struct, frozen=True):
    """Children by kind and name."""

    before: ChildrenByName
    after: ChildrenByName
    restart_paths: list[str]
    """Where a Pod template differs, which restarts Pods."""
    running: frozenset[Identity]
    """The children whose Pods could restart."""
    ready: str = ""
    """Reason and message of Ready after the edit, if these are known."""
    hidden: frozenset[str] = frozenset()
    """Annotations about the last write of a child, not about the child."""


class UnstorableChild(InputError):
    """Raised for a child that no API server would store."""


@contextmanager
def name_file_in_errors(file: str) -> Iterator[None]:
    """Put the name of *file* in front of the message of an UnstorableChild."""
    try:
        yield
    except UnstorableChild as error:
        message = f"{file}: {error.message}"
        raise InputError(message) from error


def is_bare(child: Json) -> bool:
    """Tell whether *child* is only named, which keeps a child whose last applied fields are unknown."""
    return child.keys() <= {"apiVersion", "kind", "metadata"} and child["metadata"].keys() <= {"name"}


def apply_to(observed: Json, last_applied: Json, desired: Json) -> Json:
    """Return the *observed* child after *desired* is applied to it, as it is stored."""
    if is_bare(desired):
        return as_stored(observed)
    # Only dynamic-apply writes this annotation, so it tells the apply strategy.
    by_server = LAST_APPLIED not in (observed["metadata"].get("annotations") or {})
    with _refuse_unstorable(observed):
        return _with_defaults((apply if by_server else merge)(observed, last_applied, desired))


def as_stored(child: Json) -> Json:
    with _refuse_unstorable(child):
        return _with_defaults(child)


def _with_defaults(child: Json) -> Json:
    """Return *child* with its defaults. Those of a Service are not known here: its addresses are allocated."""
    return stored_object(child) if child["kind"] == "Deployment" else child


@contextmanager
def _refuse_unstorable(child: Json) -> Iterator[None]:
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError, ApiError) as error:
        message = f"{child['kind']} {child['metadata']['name']}: no API server would store this; record it again"
        raise UnstorableChild(message) from error


def has_pods(deployment: Json) -> bool:
    spec = deployment.get("spec")
    return not isinstance(spec, dict) or spec.get("replicas") != 0


def restart_paths(old: Json, new: Json) -> list[str]:
    """Return where the Pod template of the Deployment *new* differs from that of *old*: each restarts Pods."""
    return changed_paths(_template(old), _template(new), "spec.template")


def _template(deployment: Json) -> object:
    spec = deployment.get("spec")
    return spec.get("template") if isinstance(spec, dict) else None


def last_applied_children(request: bytes, structs: tuple[type[Object], ...]) -> dict[tuple[str, str], Json]:
    """Return the children in the sync *request* as they were last applied, by kind and name; others are left out.

    *structs* are of the kinds of children that the hook declares.
    """
    children = SyncRequest.decode(request, structs, shape=Shape(optional_kinds=frozenset(structs))).children
    return {(child["kind"], child["metadata"]["name"]): child for child in children.kept() if not is_bare(child)}


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
    return EditedChildren(before, after, paths, running=frozenset(rolled), ready=ready_of(response))


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


def _edited(parent: Json, new: Json) -> Json:
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


def diff_lines(edit: EditedChildren) -> list[str]:
    """Return the unified diff of each child that differs."""
    return [line for key in sorted({*edit.before, *edit.after}) for line in _child_lines(key, edit)]


def _child_lines(key: Identity, edit: EditedChildren) -> Iterator[str]:
    before, after = (_text(children.get(key), edit.hidden) for children in (edit.before, edit.after))
    name = " ".join(key)
    return difflib.unified_diff(before, after, f"{name} (old)", f"{name} (new)", lineterm="")


def _text(child: Json | None, hidden: frozenset[str]) -> list[str]:
    if child is None:
        return []
    return as_yaml(_ordered(shown_fields(child, hidden)), width=float("inf")).splitlines()


def shown_fields(child: Json, hidden: frozenset[str] = frozenset()) -> Json:
    """Return *child* without its status, the metadata that changes with each write, and *hidden* annotations."""
    return {
        **{field: value for field, value in child.items() if field != "status"},
        "metadata": _metadata(child, hidden),
    }


def _ordered(value: object) -> object:
    """Return *value* with its fields sorted, but ``name`` first: it identifies an item of a list."""
    if isinstance(value, dict):
        return {name: _ordered(value[name]) for name in sorted(value, key=lambda name: (name != "name", name))}
    return [_ordered(item) for item in value] if isinstance(value, list) else value


def _metadata(child: Json, hidden: frozenset[str]) -> Json:
    """Return the metadata that is shown: name, namespace, labels and annotations."""
    metadata = child["metadata"]
    annotations = {
        key: value
        for key, value in (metadata.get("annotations") or {}).items()
        if key not in hidden and key not in (LAST_APPLIED, REVISION)
    }
    shown = {field: metadata[field] for field in ("name", "namespace", "labels") if field in metadata}
    return {**shown, **({"annotations": annotations} if annotations else {})}
