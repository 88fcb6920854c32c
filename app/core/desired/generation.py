"""What a generation of a MyResource asks for: its validated spec, what that uses, and the manifests of its children.

Most syncs of a generation need the same, so a memo may remember all three. The functions stay pure: a key names all
that its value depends on, and nothing changes what a value contains; the gate notes on a manifest that it was accepted.
No key names what the operator watches, so each controller needs a memo of its own.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeVar

from app.api.reading import InvalidSpec, read
from app.api.spec import MyResourceSpec
from app.core.child_metadata import GENERATION_STAMP
from app.core.desired.deployment import deployment
from app.core.desired.optional_children import desired_kinds
from app.core.desired.references import Reference, references
from metahook import Deployment, EncodedManifest, Manifest, Memo, Object, Parent, with_generation_stamp

V = TypeVar("V")

GenerationMemo = Memo[Any]
"""Validated specs, references, and manifests; the first part of a key tells which."""

Manifests = Mapping[type[Object], EncodedManifest]
"""The manifests of all children that a spec asks for, by kind."""

_OBJECT_OF_SPEC, _OBJECT_OF_MANIFEST = 520, 100
"""Bytes of memory for an object or list in the JSON of a spec, as models, and of a manifest, as dictionaries."""

_REFERENCE = 160
"""Bytes of memory for a reference; its texts are those of the spec."""


def validated_spec(parent: Parent, memo: GenerationMemo | None) -> MyResourceSpec | InvalidSpec:
    """Return the spec of *parent*, or why it is invalid."""
    key = ("spec", parent.name, parent.spec)
    return _remembered(
        memo, key, lambda: read(parent.name, parent.spec), lambda _: _memory(parent.spec, _OBJECT_OF_SPEC)
    )


def used_references(parent: Parent, spec: MyResourceSpec, memo: GenerationMemo | None) -> Sequence[Reference]:
    """Return the references of *spec*, which is that of *parent*."""
    key = ("references", parent.spec)
    return _remembered(
        memo, key, lambda: references(spec), lambda used: 600 + len(parent.spec) + _REFERENCE * len(used)
    )


def manifests(
    parent: Parent, spec: MyResourceSpec, config_hashes: Mapping[str, str], memo: GenerationMemo | None
) -> Manifests:
    """Return the manifests for *parent* with *spec*; *config_hashes* are annotations of its Pods."""
    hashes = tuple(config_hashes.items())
    key = ("manifests", parent.name, parent.namespace, parent.uid, parent.generation, hashes, parent.spec)
    return _remembered(memo, key, lambda: _made(parent, spec, config_hashes), lambda made: _memory_of(parent, made))


def _made(parent: Parent, spec: MyResourceSpec, config_hashes: Mapping[str, str]) -> Manifests:
    others = {child.kind: child.manifest(parent, spec) for child in desired_kinds(spec)}
    every: dict[type[Object], Manifest] = {Deployment: deployment(parent, spec, config_hashes), **others}
    stamped = {kind: with_generation_stamp(child, parent, GENERATION_STAMP) for kind, child in every.items()}
    return {kind: EncodedManifest(child) for kind, child in stamped.items()}


def _remembered(memo: GenerationMemo | None, key: Hashable, make: Callable[[], V], memory: Callable[[V], int]) -> V:
    """Return the value of *key* in *memo*, or else what *make* returns; that takes *memory* bytes."""
    if memo is None:
        return make()
    value: V | None = memo.get(key)
    if value is None:
        value = make()
        memo.put(key, value, memory(value))
    return value


def _memory_of(parent: Parent, made: Manifests) -> int:
    return len(parent.spec) + sum(_memory(bytes(child.json), _OBJECT_OF_MANIFEST) for child in made.values())


def _memory(json: bytes, an_object: int) -> int:
    """Return how many bytes of memory it takes to remember *json*, decoded, and its key.

    Why from the JSON: to visit each object would take as long as to make it. Why more for other
    characters than ASCII, also escaped ones: one in a text makes Python take up to four bytes for each character.
    """
    texts = len(json) * (2 if json.isascii() and b"\\u" not in json else 5)
    items = 16 * json.count(b",") + 60 * json.count(b":")
    return 1000 + texts + items + an_object * (json.count(b"{") + json.count(b"["))
