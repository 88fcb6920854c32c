"""What ``labelSelector`` and ``ignoreStatusChanges`` of a parentResource do, as data: steps, and the result of each.

The simulator and the real control plane must both have these results.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

Json = dict[str, Any]

WATCHED = {"watched": "yes"}
SELECTOR: Json = {"matchLabels": WATCHED}


class Result(NamedTuple):
    """What a step leads to: whether sync is called for the parent, and the words of its child and of its status."""

    is_synced: bool
    child: str | None
    status: str | None


class Stage(Protocol):
    """Where the steps run. All of them are about the Note ``one`` and its ConfigMap."""

    def create(self, **metadata: Any) -> None:
        """Create the Note, with the word ``a``."""

    def edit(self, kind: str, change: Json, *, part: str = "") -> None:
        """Apply a merge patch to the Note or the ConfigMap, or to the *part* ``/status``."""

    def delete(self, kind: str) -> None:
        """Delete the Note or the ConfigMap."""


def synced(child: str | None, status: str | None) -> Result:
    """Return the result of a step that calls sync."""
    return Result(is_synced=True, child=child, status=status)


def not_synced(child: str | None, status: str | None) -> Result:
    """Return the result of a step that does not call sync."""
    return Result(is_synced=False, child=child, status=status)


Step = Callable[[Stage], None]
Sentence = tuple[str, Step, Result]


def _labelled(value: str | None) -> Step:
    return lambda it: it.edit("Note", {"metadata": {"labels": {"watched": value}}})


def _annotated(value: str) -> Step:
    return lambda it: it.edit("Note", {"metadata": {"annotations": {"example.com/sync": value}}})


def _held(*finalizers: str) -> Step:
    return lambda it: it.edit("Note", {"metadata": {"finalizers": [*finalizers]}})


def _written(word: str) -> Step:
    return lambda it: it.edit("Note", {"spec": {"word": word}})


def _child_written(word: str) -> Step:
    return lambda it: it.edit("ConfigMap", {"data": {"word": word}})


def _status_written(word: str) -> Step:
    return lambda it: it.edit("Note", {"status": {"word": word}}, part="/status")


def _child_deleted(it: Stage) -> None:
    it.delete("ConfigMap")


def _deleted(it: Stage) -> None:
    it.delete("Note")


SELECTED: list[Sentence] = [
    ("a parent that does not match is created", lambda it: it.create(), not_synced(None, None)),
    ("its spec changes", _written("b"), not_synced(None, None)),
    ("it begins to match", _labelled("yes"), synced("b", "b")),
    ("its child drifts", _child_written("x"), synced("b", "b")),
    ("it stops matching", _labelled(None), not_synced("b", "b")),
    ("it stops again, with another label", _labelled("no"), not_synced("b", "b")),
    ("an annotation asks for a sync", _annotated("now"), not_synced("b", "b")),
    ("its spec changes again", _written("c"), not_synced("b", "b")),
    ("its child drifts, which stays", _child_written("x"), not_synced("x", "b")),
    ("its status is overwritten, which stays", _status_written("x"), not_synced("x", "x")),
    ("its child is deleted, which stays", _child_deleted, not_synced(None, "x")),
    ("it matches again", _labelled("yes"), synced("c", "c")),
    ("it stops matching once more", _labelled(None), not_synced("c", "c")),
    ("it is deleted, and so is its child", _deleted, not_synced(None, None)),
]
"""With SELECTOR: the sentence, the step, the result. ``ignoreStatusChanges`` changes none of them."""

CREATED: Sentence = ("it is created", lambda it: it.create(labels=WATCHED), synced("a", "a"))

EVENTS: list[Sentence] = [
    CREATED,
    ("a label changes", _labelled("no"), synced("a", "a")),
    ("an annotation changes", _annotated("now"), synced("a", "a")),
    ("its spec changes", _written("b"), synced("b", "b")),
]
"""Without SELECTOR: what passes in any case."""

IGNORED: list[Sentence] = [
    *EVENTS,
    ("its status is overwritten", _status_written("x"), not_synced("b", "x")),
    ("its finalizers change", _held("example.com/wait"), not_synced("b", "x")),
    ("it is deleted, with a finalizer", _deleted, synced("b", "b")),
]
"""With ``ignoreStatusChanges``, which ignores more than the status."""

NOT_IGNORED: list[Sentence] = [
    *EVENTS,
    ("its status is overwritten", _status_written("x"), synced("b", "b")),
    ("its finalizers change", _held("example.com/wait"), synced("b", "b")),
]
"""Without ``ignoreStatusChanges``: the negative control of IGNORED."""

CASES: dict[str, tuple[Json, list[Sentence]]] = {
    "labelSelector": ({"labelSelector": SELECTOR, "ignoreStatusChanges": False}, SELECTED),
    "labelSelector, ignoreStatusChanges": ({"labelSelector": SELECTOR, "ignoreStatusChanges": True}, SELECTED),
    "ignoreStatusChanges": ({"ignoreStatusChanges": True}, IGNORED),
    "neither": ({}, NOT_IGNORED),
}
"""The fields of parentResource, and the steps."""
