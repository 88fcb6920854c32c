"""Pods: what becomes of a child, and of the Pods that run, when an answer is applied to what is there.

Metacontroller merges what it applies into the child that it sees; the API server fills in the rest. Only what differs
after that is a difference, and only one in a Deployment's Pod template restarts Pods.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from app.cli.comparison.changes import changes
from app.cli.errors import InputError
from app.core.child_metadata import CHILDREN
from metahook import SyncRequest
from metahook.simulator.apiserver.server_side_apply import apply
from metahook.simulator.apiserver.stored_object import stored_object
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.metacontroller.dynamic_apply import LAST_APPLIED, merge

Json = dict[str, Any]


class Unstorable(InputError):
    """Raised for a child that no API server would store."""


@contextmanager
def of_file(file: str) -> Iterator[None]:
    """Say which *file* holds a child that no API server would store."""
    try:
        yield
    except Unstorable as error:
        message = f"{file}: {error.message}"
        raise InputError(message) from error


def bare(child: Json) -> bool:
    """Tell whether *child* is the answer that keeps a child of which nothing is known: it names it, and no more."""
    return child.keys() <= {"apiVersion", "kind", "metadata"} and child["metadata"].keys() <= {"name"}


def applied(seen: Json, last: Json, desired: Json) -> Json:
    """Return the child *seen* after *desired* is applied to it, where *last* was applied before.

    The annotation in which Metacontroller keeps that tells which of its two ways to apply is in use.
    """
    if bare(desired):
        return as_stored(seen)
    by_server = LAST_APPLIED not in (seen["metadata"].get("annotations") or {})
    with _stored_by_nobody(seen):
        return _stored((apply if by_server else merge)(seen, last, desired))


def as_stored(child: Json) -> Json:
    """Return *child* as it is stored."""
    with _stored_by_nobody(child):
        return _stored(child)


def _stored(child: Json) -> Json:
    """Return *child* with its defaults, but for what can't be foreseen: the addresses that a Service is given."""
    return stored_object(child) if child["kind"] == "Deployment" else child


@contextmanager
def _stored_by_nobody(child: Json) -> Iterator[None]:
    """Raise Unstorable where *child* has a shape that no API server lets in."""
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError, ApiError) as error:
        message = f"{child['kind']} {child['metadata']['name']}: no API server would store this; record it anew"
        raise Unstorable(message) from error


def has_pods(deployment: Json) -> bool:
    """Tell whether *deployment* has Pods that could restart."""
    spec = deployment.get("spec")
    return not isinstance(spec, dict) or spec.get("replicas") != 0


def restarts(old: Json, new: Json) -> list[str]:
    """Return where the Pod template of the Deployment *new* differs from that of *old*: what restarts Pods."""
    return changes(_template(old), _template(new), "spec.template")


def _template(deployment: Json) -> object:
    spec = deployment.get("spec")
    return spec.get("template") if isinstance(spec, dict) else None


def records(request: bytes) -> dict[tuple[str, str], Json]:
    """Return what was last applied to each child in the sync *request*, where its record is there."""
    children = SyncRequest.decode(request, CHILDREN).children
    return {(child["kind"], child["metadata"]["name"]): child for child in children.kept() if not bare(child)}
