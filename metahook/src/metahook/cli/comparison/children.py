"""Children before and after an apply: what changes in one, and whether that restarts its Pods.

Metacontroller merges what it applies into the observed child; the API server sets the defaults. Only what differs after
that is a difference, and only a difference in the Pod template of a Deployment restarts Pods.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from metahook.cli.errors import InputError
from metahook.cli.files.recordings import Identity
from metahook.protocol.objects import Json, Object, changed_paths
from metahook.protocol.observed import LAST_APPLIED
from metahook.protocol.request import Shape, SyncRequest
from metahook.simulator.apiserver.server_side_apply import apply
from metahook.simulator.apiserver.stored_object import stored_object
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.metacontroller.children import merge

ChildrenByName = dict[Identity, Json]

ROLLED = ("DaemonSet", "Deployment", "StatefulSet")
"""Kinds whose controllers replace Pods if the Pod template changes."""


@dataclass(frozen=True)
class EditedChildren:
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
    """Return *child* as it is stored."""
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
    """Tell whether *deployment* has Pods that could restart."""
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
