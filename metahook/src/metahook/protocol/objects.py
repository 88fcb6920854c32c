"""What all objects of Kubernetes have in common, as a hook reads and sends them, and the plain JSON that they are.

What is observed is a struct with the fields that are read; everything else is skipped while parsing, and null means
absent. A new kind is a struct with the fields you read and its ``KIND``; :mod:`metahook.kinds` has some. What is sent
is a manifest. Changes are where one JSON value differs from another.

Source: Kubernetes API conventions; for conditions also k8s.io/apimachinery, api/meta, SetStatusCondition.
"""

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Protocol

import msgspec
from msgspec import UNSET

Json = dict[str, Any]
"""An object of JSON."""

_MIN_INTEGER, _MAX_INTEGER = -(2**63), 2**63 - 1
"""Those of Go, which keeps others as floats, which are other numbers, or does not decode them."""


def without_nulls(value: object) -> object:
    """Return *value* without fields and items that are null: a response must not contain any."""
    if isinstance(value, dict):
        return {field: without_nulls(inner) for field, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [without_nulls(inner) for inner in value if inner is not None]
    return value


def is_plain_json(value: object) -> bool:
    """Tell whether *value* is JSON throughout, without null, NaN, infinity, or integers outside of int64."""
    if not isinstance(value, (dict, list, tuple)):
        return isinstance(value, str) or _is_number(value)
    for inner in value.values() if isinstance(value, dict) else value:
        # Most values are texts and numbers, and a call costs more than the look at the type.
        kind = type(inner)
        if kind is str or (kind is int and _MIN_INTEGER <= inner <= _MAX_INTEGER):
            continue
        if not is_plain_json(inner):
            return False
    return True


def _is_number(value: object) -> bool:
    """Tell whether *value* is a number, or a boolean, that is the same one in Go."""
    if isinstance(value, int):
        return _MIN_INTEGER <= value <= _MAX_INTEGER
    return isinstance(value, float) and math.isfinite(value)


def first_wrong(value: object, path: str = "") -> str:
    """Return where in *value* the first null is, or what JSON can't say."""
    return next(_wrong(value, path), path)


def _wrong(value: object, path: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _wrong(inner, f"{path}.{key}" if path else f"{key}")
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from _wrong(inner, f"{path}[{index}]")
    elif value is None:
        yield f"{path} is null: leave the field out"
    elif isinstance(value, float) and not math.isfinite(value):
        yield f"{path} is {value}, no number of JSON"
    elif isinstance(value, int) and not _is_number(value):
        yield f"{path} is an integer outside of int64: write it as text"
    elif not isinstance(value, str | int | float):
        yield f"{path} is a {type(value).__name__}: write it as JSON"


def counted(number: int, noun: str) -> str:
    """Return such as ``1 write`` or ``2 writes``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def printable(text: str) -> str:
    """Return *text* with ``?`` for each control character, also for line ends."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def group_key(*, kind: str, api_version: str) -> str:
    """Return the key under which Metacontroller groups objects, such as ``Deployment.apps/v1``."""
    return f"{kind}.{api_version}"


class Kind(msgspec.Struct, frozen=True, order=True, dict=True):
    """A kind, such as ``Kind("apps/v1", "Deployment", "deployments")``."""

    api_version: str
    """Group and version; the version alone for the core group."""
    kind: str
    """The singular, in CamelCase."""
    plural: str
    """The resource, as it stands in URLs and in RBAC rules."""
    namespaced: bool = True
    """Whether its objects are in namespaces; if not, the kind is cluster-scoped, as Namespace is."""

    @cached_property
    def group_key(self) -> str:
        """The key under which Metacontroller groups objects of this kind, such as ``Deployment.apps/v1``."""
        return group_key(kind=self.kind, api_version=self.api_version)


def object_or_empty(value: object) -> dict[str, Any]:
    """Return *value* if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


_NO_RECORDS = msgspec.Raw(b"[]")

Int64 = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
"""A number that goes into the response: the API server stores no larger one, and Metacontroller would change it."""


class Observed(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """Base of everything that is read: frozen, camelCase in JSON.

    The garbage collector skips it, as what is read has no cycles.
    """


class OwnerReference(Observed, frozen=True):
    """One owner of an object."""

    uid: str
    api_version: str | None = None
    kind: str | None = None
    name: str | None = None
    controller: bool | None = None

    @property
    def group(self) -> str:
        """The API group of the owner; empty for the core group."""
        return (self.api_version or "").rpartition("/")[0]


class Metadata(Observed, frozen=True):
    """The metadata that is read of any object."""

    name: str
    namespace: str | None = None
    uid: str | None = None
    generation: Int64 | None = None
    resource_version: str | None = None
    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None
    owner_references: list[OwnerReference] | None = None
    finalizers: list[str] | None = None
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None
    managed_fields: msgspec.Raw = _NO_RECORDS
    """JSON, for :func:`metahook.protocol.managed_fields.field_owners`, which reads it leniently."""

    @property
    def controller(self) -> OwnerReference | None:
        """The owner that controls this object, if one does."""
        for owner in self.owner_references or ():
            if owner.controller:
                return owner
        return None

    def has_other_controller(self, uid: str) -> bool:
        """Tell whether an object other than the one with *uid* controls this one."""
        controller = self.controller
        return controller is not None and controller.uid != uid

    def label(self, key: str) -> str | None:
        """Return the value of the label *key*, or None."""
        return (self.labels or {}).get(key)

    def annotation(self, key: str) -> str | None:
        """Return the value of the annotation *key*, or None."""
        return (self.annotations or {}).get(key)


class Defaults(msgspec.Struct, frozen=True):
    """What the API server sets in objects of a kind where no user sets a value."""

    values: Mapping[str, Mapping[str, Any]] = msgspec.field(default_factory=dict)
    """By the name of the field that contains it (``""`` at the top of the object), and by its own name."""
    assigned: Collection[str] = ()
    """Names of fields whose value the API server chooses."""

    def has(self, outer: str, name: str, value: object) -> bool:
        """Tell whether the API server sets the field *name*, inside the field *outer*, to *value*."""
        values = self.values.get(outer, {})
        return name in self.assigned or (name in values and values[name] == value)


class Object(Observed, frozen=True):
    """Any object. A subclass has the fields that are read of one kind."""

    KIND: ClassVar[Kind]
    DEFAULTS: ClassVar[Defaults] = Defaults()
    """Needed where leftovers are looked for: a default is not left over."""

    metadata: Metadata


class Condition(Observed, frozen=True):
    """A condition in the status of an observed object."""

    type: str
    status: str
    reason: str | None = None
    message: str | None = None
    last_transition_time: str | None = None
    last_update_time: str | None = None
    observed_generation: int | None = None


class Conditions(Observed, frozen=True, kw_only=True):
    """A status with conditions."""

    conditions: list[Condition] | None = None
    observed_generation: Any = None
    """The generation that the whole status is about: a number, and with some kinds a text."""

    def condition(self, name: str) -> Condition | None:
        """Return the condition whose type is *name*, or None."""
        for condition in self.conditions or ():
            if condition.type == name:
                return condition
        return None


Manifest = dict[str, Any]
"""A Kubernetes object as it is sent: ``apiVersion``, ``kind``, ``metadata``, and the fields that the hook owns."""

Identity = tuple[str, str, str]
"""Group key, namespace and name of a child, such as ``("Deployment.apps/v1", "team-a", "web")``.

Two API groups may share a word. The namespace of a cluster-scoped child is empty.
"""


class EncodedManifest(Manifest):
    """A manifest with its JSON, for one that many responses list: it is encoded once, and the gate checks it once.

    Its JSON is what is sent, as it was when this was made: do not change it. A changed copy is an ordinary manifest.
    """

    __slots__ = ("accepted_for", "identity", "json")

    def __init__(self, manifest: Manifest) -> None:
        super().__init__(manifest)
        self.json = msgspec.Raw(msgspec.json.encode(manifest, order="sorted"))
        self.identity = _identity(manifest)
        self.accepted_for: object = None
        """The parent's namespace and the declared kinds for which the gate last accepted the JSON."""

    def __reduce__(self) -> tuple[type[Manifest], tuple[Manifest]]:
        """Return an ordinary manifest for :mod:`copy` and :mod:`pickle`: a copy may be changed."""
        return dict, (dict(self),)


def identity_of(manifest: Manifest, namespace: str) -> Identity:
    """Return the identity of *manifest*; *namespace* is that of the parent, and of a child that names none."""
    identity = manifest.identity if isinstance(manifest, EncodedManifest) else _identity(manifest)
    return identity if identity[1] else (identity[0], namespace, identity[2])


def with_annotations(manifest: Manifest, annotations: Mapping[str, str]) -> Manifest:
    """Return *manifest* with more *annotations*."""
    metadata = manifest["metadata"]
    merged = {**(metadata.get("annotations") or {}), **annotations}
    return {**manifest, "metadata": {**metadata, "annotations": merged}}


def _identity(manifest: Manifest) -> Identity:
    group = group_key(kind=manifest.get("kind", ""), api_version=manifest.get("apiVersion", ""))
    metadata = manifest["metadata"]
    return group, metadata.get("namespace") or "", metadata["name"]


ConditionStatus = Literal["True", "False", "Unknown"]


def set_condition(  # noqa: PLR0913 - the fields of a condition
    conditions: Iterable[Any],
    type: str,  # noqa: A002 - Kubernetes' name
    status: ConditionStatus,
    reason: str,
    message: str = "",
    *,
    now: datetime,
    generation: int,
) -> list[dict[str, Any]]:
    """Return *conditions*, such as ``request.parent.conditions``, with one that says this, in place of one of its type.

    Its lastTransitionTime is *now* only if its status is another one than before. *generation* is that of the parent
    for which it holds. *reason* is one word in CamelCase, *message* is for people.
    """
    objects = [each for each in conditions if isinstance(each, dict) and "type" in each]
    readable = [{name: value for name, value in each.items() if value is not None} for each in objects]
    before = next((each for each in readable if each["type"] == type), {})
    since = before.get("lastTransitionTime") if before.get("status") == status else None
    condition = {
        "type": type,
        "status": status,
        "observedGeneration": generation,
        "lastTransitionTime": since or now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "reason": reason,
        "message": message,
    }
    if not before:
        return [*readable, condition]
    return [condition if each is before else each for each in readable]


class _HasConditions(Protocol):
    @property
    def metadata(self) -> Metadata: ...
    @property
    def status(self) -> Conditions | None: ...


def ready(observed: _HasConditions | None, condition: str = "Ready") -> bool:
    """Tell whether the *condition* of an *observed* object is True, and is about the object's newest generation.

    The condition names that generation, or else the status; if neither does, the condition is taken as it is.
    False if there is no such object. Its struct has a ``status`` that is a subclass of :class:`metahook.Conditions`.
    """
    if observed is None or observed.status is None:
        return False
    found = observed.status.condition(condition)
    if found is None or found.status != "True":
        return False
    own, of_status = found.observed_generation, observed.status.observed_generation
    generation = of_status if own is None else own
    return generation is None or str(generation) == str(observed.metadata.generation)


_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


MERGE_KEYS = ("containerPort", "port", "mountPath", "name", "uid", "ip", "path")
"""What identifies an item of a list of objects, to Metacontroller: the first of them that all items have.

Source: Metacontroller, pkg/dynamic/apply, ``knownMergeKeys``.
"""


class Change(NamedTuple):
    """A value that differs. ``old`` or ``new`` is UNSET if there is no value at the path."""

    path: str
    old: object
    new: object


def changed_paths(old: object, new: object, path: str, *, keys: Sequence[str] = ()) -> list[str]:
    """Return the paths of :func:`changes`."""
    return [change.path for change in changes(old, new, path, keys=keys)]


def changes(old: object, new: object, path: str, *, keys: Sequence[str] = ()) -> Iterator[Change]:
    """Yield the deepest changes from *old* to *new*; *path* is where both are.

    The first of *keys* that each object in a list has, with another value in each, identifies the objects, as in
    ``containers[main]``. Without one, items are compared by index, and a list of another length is one change.
    """
    if isinstance(old, dict) and isinstance(new, dict):
        for name in dict.fromkeys([*old, *new]):
            yield from changes(old.get(name, UNSET), new.get(name, UNSET), _below(path, name), keys=keys)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _list_changes(old, new, path, keys)
    elif not _same(old, new):
        yield Change(path, old, new)


def _list_changes(old: list[Any], new: list[Any], path: str, keys: Sequence[str]) -> Iterator[Change]:
    key = next((key for key in keys if _identifies(key, old) and _identifies(key, new)), None)
    if key is not None:
        yield from _changes_by_key(old, new, path, keys, key)
    elif len(old) != len(new):
        yield Change(path, old, new)
    else:
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from changes(before, after, f"{path}[{index}]", keys=keys)


def _changes_by_key(old: list[Json], new: list[Json], path: str, keys: Sequence[str], key: str) -> Iterator[Change]:
    before, after = ({item[key]: item for item in items} for items in (old, new))
    if before.keys() == after.keys() and list(before) != list(after):
        yield Change(path, list(before), list(after))  # another order
    for name in dict.fromkeys([*before, *after]):
        yield from changes(before.get(name, UNSET), after.get(name, UNSET), f"{path}[{name}]", keys=keys)


def _identifies(key: str, items: list[Any]) -> bool:
    names = [item.get(key) if isinstance(item, dict) else None for item in items]
    return all(isinstance(name, str | int) for name in names) and len(set(names)) == len(names)


def _same(old: object, new: object) -> bool:
    """Tell whether two values are the same in JSON, where true is not 1, and to Metacontroller 1.0 is not 1."""
    return old == new and all(isinstance(old, kind) == isinstance(new, kind) for kind in (bool, float))


def _below(path: str, name: str) -> str:
    if not _WORD.fullmatch(name):
        return f"{path}[{name}]"
    return f"{path}.{name}" if path else name
