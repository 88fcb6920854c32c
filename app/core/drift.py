"""How the observed children differ from the desired ones, and which fields only others set.

Two things must be observed on a child before its status means anything. The generation stamp says that Metacontroller
applied this generation (it shows removed fields), as the annotation of a schedule does for its last edge; the values
say that no one has changed them since (they show ``kubectl scale``, and a CRD default that changed without a new
generation). Fields that are left over are drift, too: see :mod:`metahook.protocol.leftovers`. So is a child that
is not desired, until it is gone.

A stale request, whose parent is older than its children, is drift, too: its spec would undo later changes, and a later
sync decides (see :mod:`metahook.protocol.stale_requests`).
"""

from collections.abc import Collection, Sequence

from msgspec import Struct

from app.api.scalars import MAX_MESSAGE
from app.core.child_metadata import ASLEEP, GENERATION_STAMP, PASSING_ANNOTATIONS
from metahook import (
    Children,
    ForeignField,
    Manifest,
    Object,
    Removal,
    SyncRequest,
    children_from_newer_generation,
    drifted_field,
    foreign_fields,
    last_change,
    leftovers,
    overridden_field,
    overriding_manager,
    removal,
)

_LEFTOVER_FIELDS = "removal of leftover fields"
"""The same for all children: after the command for one child, the message names the next one at once."""


class Drift(Struct, frozen=True):
    """A child that is not as desired.

    ``path`` is the field with another value, if that is what differs: the first one that someone else changed, or else
    the first one.
    """

    kind: str
    name: str
    path: str | None = None
    is_from_newer_generation: bool = False
    """Whether the child was made for a newer generation than the parent has, as far as the request shows."""
    observed: Object | None = None
    """The child, if it exists, so that it is to be updated and not created."""
    removal: Removal | None = None
    """What removes fields that are left over, if there are some."""
    is_undesired: bool = False
    """Whether the child is to be deleted."""
    overridden_by: str | None = None
    """The manager that changed or deleted the child, ``""`` if that is not known.

    None means that no one did: the spec, or what it uses, is newer than the child.
    """

    @property
    def child_version(self) -> str:
        """The generation of the observed child, or its resourceVersion if it has no generation."""
        metadata = self.observed.metadata if self.observed else None
        return str(metadata.generation or metadata.resource_version or "") if metadata else ""

    @property
    def has_generation(self) -> bool:
        """Whether the observed child has a generation."""
        return bool(self.observed and self.observed.metadata.generation)

    @property
    def changed_at(self) -> str:
        """When the observed child was last written, other than its status, in RFC 3339; ``""`` if that is unknown."""
        return last_change(self.observed.metadata.managed_fields, of_status=False) if self.observed else ""

    def __str__(self) -> str:
        """Return the text of ``status.waiting.what``."""
        if self.removal:
            return _LEFTOVER_FIELDS
        if self.is_undesired:
            return f"deletion of {self.kind} {self.name}"
        what = self.path or ("a later generation" if self.is_from_newer_generation else "")
        return f"{what} of {self.kind} {self.name}"[:MAX_MESSAGE] if what else f"{self.kind} {self.name}"


def find_drifts(desired: Sequence[Manifest], children: Children) -> list[Drift]:
    """Return the drift of each of the *desired* children that has one; leftovers first, as only a user can act."""
    drifts = [drift for child in desired if (drift := _drift(child, children))]
    return sorted(drifts, key=lambda drift: drift.removal is None) if drifts else []


def undesired_children(desired: Sequence[Manifest], children: Children) -> list[Drift]:
    """Return the drift of each child that is not among the *desired* ones, and still exists."""
    left = children.unlisted(desired)
    return [Drift(child.KIND.kind, child.metadata.name, observed=child, is_undesired=True) for child in left]


def _drift(desired: Manifest, children: Children) -> Drift | None:
    kind, name = desired["kind"], desired["metadata"]["name"]
    observed = children.observed(desired)
    if observed is None or observed.metadata.deletion_timestamp:
        return Drift(kind, name, overridden_by="")
    annotations = desired["metadata"]["annotations"]
    # Where they differ, the spec or the schedule changed the child: an autoscaler that owns a field did not.
    theirs = observed.metadata.annotations or {}
    is_stamped = theirs.get(GENERATION_STAMP) == annotations[GENERATION_STAMP]
    is_stamped = is_stamped and theirs.get(ASLEEP) == annotations.get(ASLEEP)
    if is_stamped and (path := drifted_field(desired, children)):
        path, manager = overridden_field(desired, children) or (path, None)
        return Drift(kind, name, path, observed=observed, overridden_by=manager)
    if left_over := leftovers(desired, children, ignored=PASSING_ANNOTATIONS):
        return Drift(kind, name, observed=observed, removal=removal(desired, left_over, children))
    if is_stamped:
        return None
    manager = overriding_manager(desired, f"metadata.annotations.{GENERATION_STAMP}", children)
    return Drift(kind, name, observed=observed, overridden_by=manager)


def has_annotations(desired: Manifest, observed: Object) -> bool:
    """Tell whether a write of *desired* changes no annotation of the *observed* child."""
    wanted, found = desired["metadata"]["annotations"], observed.metadata.annotations or {}
    dropped = [name for name in PASSING_ANNOTATIONS if name in found and name not in wanted]
    return not dropped and all(found.get(name) == text for name, text in wanted.items())


def newer_generation_drift(request: SyncRequest) -> Drift | None:
    """Return the drift of the first child that was made for a newer generation than the parent of *request* has."""
    newer = children_from_newer_generation(request, GENERATION_STAMP)
    if not newer:
        return None
    return Drift(newer[0].KIND.kind, newer[0].metadata.name, is_from_newer_generation=True, observed=newer[0])


class Foreign(Struct, frozen=True):
    """A child with *fields* that only others set: the *manifest* with which it was compared, among the *children*."""

    manifest: Manifest
    fields: list[ForeignField]
    children: Children

    @property
    def child(self) -> str:
        """Return the kind and the name of the child."""
        return f"{self.manifest['kind']} {self.manifest['metadata']['name']}"

    def command(self, room: int) -> str:
        """Return the command that removes the fields, in at most *room* characters."""
        return removal(self.manifest, [field.path for field in self.fields], self.children, room).command


def find_foreign(manifests: Sequence[Manifest], children: Children, expected: Collection[str]) -> list[Foreign]:
    """Return those of the *children* with fields of managers that are not *expected*, and that no manifest sets."""
    return [
        Foreign(each, fields, children) for each in manifests if (fields := foreign_fields(each, children, expected))
    ]
