"""What a generation of a MyResource asks for: its valid spec, what that uses, and the manifests of its children.

Most syncs of a generation need the same, so a memo may remember them. The functions stay pure: a key names all that its
value depends on, and nothing changes what a value contains; the gate notes on a manifest that it was accepted. No key
names what the operator watches, so each controller needs a memo of its own.
"""

from collections.abc import Hashable, Mapping, Sequence
from contextlib import suppress
from threading import Lock
from typing import Any, NamedTuple

from cachetools import LRUCache

from app.api.reading import InvalidSpec, read
from app.api.spec import MyResourceSpec
from app.core.child_metadata import GENERATION_STAMP
from app.core.desired.children import optional_children
from app.core.desired.manifests.deployment import deployment, with_rollback
from app.core.desired.manifests.propagation import propagated, with_propagated
from app.core.desired.references import Reference, references
from app.core.desired.replicas import Replicas
from app.core.desired.rollback import Rollback
from metahook import Deployment, EncodedManifest, Manifest, Object, Parent, with_generation_stamp

ManifestsByKind = Mapping[type[Object], EncodedManifest]
"""The manifests of all children that a spec asks for, by kind; the Deployment first."""

BOUND = 16 * 1024 * 1024
"""Bytes that a memo takes."""

_OBJECT_OF_SPEC, _OBJECT_OF_MANIFEST = 520, 100
"""Bytes of memory for an object or list in the JSON of a spec, as models, and of a manifest, as dictionaries."""

_SPEC = 2400
"""Bytes of memory for the fields of a spec, also those that it does not set."""

_REFERENCE = 160
"""Bytes of memory for a reference; its texts are those of the spec."""


class ValidSpec(NamedTuple):
    """A valid spec, and what it uses of ConfigMaps and Secrets."""

    spec: MyResourceSpec
    references: Sequence[Reference]


class GenerationMemo:
    """Remembers values within *bound* bytes, and forgets the one that was used least recently. Any thread may use it.

    It trusts the sizes that it is told. A key must name everything that the value depends on.
    """

    def __init__(self, bound: int = BOUND) -> None:
        self._entries: LRUCache[Hashable, tuple[Any, int]] = LRUCache(bound, getsizeof=lambda entry: entry[1])
        self._lock = Lock()

    def get(self, key: Hashable) -> Any:  # noqa: ANN401 - what was put
        """Return the value for *key*, or None."""
        with self._lock:
            try:
                return self._entries[key][0]
            except KeyError:
                return None

    def put(self, key: Hashable, value: object, size: int) -> None:
        """Remember *value*, which takes *size* bytes with its *key*; one that is larger than the bound is not."""
        with self._lock, suppress(ValueError):  # the cache refuses a value that is larger than its bound
            self._entries[key] = (value, size)


def checked_spec(parent: Parent, memo: GenerationMemo | None = None) -> ValidSpec | InvalidSpec:
    """Return the spec of *parent*, or why it is invalid."""
    key = ("spec", parent.name, parent.spec)
    remembered: ValidSpec | InvalidSpec | None = memo.get(key) if memo else None
    if remembered:
        return remembered
    spec = read(parent.name, parent.spec)
    value = spec if isinstance(spec, InvalidSpec) else ValidSpec(spec, references(spec))
    if memo:
        used = value.references if isinstance(value, ValidSpec) else ()
        memo.put(key, value, _SPEC + _memory(parent.spec, _OBJECT_OF_SPEC) + _REFERENCE * len(used))
    return value


def manifests(  # noqa: PLR0913 - all that they depend on
    parent: Parent,
    spec: MyResourceSpec,
    config_hashes: Mapping[str, str],
    replicas: Replicas,
    memo: GenerationMemo | None = None,
    *,
    rollback: Rollback | None = None,
) -> ManifestsByKind:
    """Return the manifests for *parent* with *spec* and *replicas* Pods; *config_hashes* are annotations of those."""
    texts = propagated(parent, spec) if spec.propagate else {}
    metadata = tuple([(field, tuple(values.items())) for field, values in texts.items()])
    hashes = tuple(config_hashes.items())
    of_parent = (parent.name, parent.namespace, parent.uid, parent.generation, metadata)
    key = ("manifests", *of_parent, hashes, replicas, rollback, parent.spec)
    remembered: ManifestsByKind | None = memo.get(key) if memo else None
    if remembered:
        return remembered
    children: dict[type[Object], Manifest] = {Deployment: deployment(parent, spec, config_hashes, replicas)}
    if rollback:
        children[Deployment] = with_rollback(children[Deployment], spec, rollback)
    children |= optional_children(parent, spec, replicas)
    if texts:
        children = {kind: with_propagated(child, texts) for kind, child in children.items()}
    encoded = {
        kind: EncodedManifest(with_generation_stamp(child, parent, GENERATION_STAMP))
        for kind, child in children.items()
    }
    if memo:
        size = sum(_memory(bytes(child.json), _OBJECT_OF_MANIFEST) for child in encoded.values())
        memo.put(key, encoded, len(parent.spec) + size)
    return encoded


def _memory(json: bytes, an_object: int) -> int:
    """Return how many bytes of memory it takes to remember *json*, decoded, and its key.

    It is estimated from the JSON, because to visit each object would take as long as to make it. Other characters than
    ASCII, also escaped ones, count more: one in a text makes Python take up to four bytes for each character.
    """
    texts = len(json) * (2 if json.isascii() and b"\\u" not in json else 5)
    items = 16 * json.count(b",") + 60 * json.count(b":")
    return 2100 + texts + items + an_object * (json.count(b"{") + json.count(b"["))
