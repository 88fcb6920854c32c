"""The configuration that an application reads: marks that change with it, so that Pods are replaced; what is missing.

A mark is a hash of the keys that are used and their values, keyed by the parent's uid: equal contents of two namespaces
have unlike marks. It is an annotation of the Pod template, one for ConfigMaps and one for Secrets, so that watching
Secrets or not concerns their mark alone. A mark stays as observed while what it is made from is missing, unknown, or
not watched.
"""

import hashlib
import hmac
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import msgspec

from app.api.spec import MyResourceSpec
from app.core.child_metadata import MARKS, deployment_name
from app.core.desired.references import Kind, Reference, references
from app.core.watch import Watch
from metahook import Absence, ConfigMap, Deployment, RelatedRule, Secret, SyncRequest, select_by_name

Values = dict[str, str] | Absence
"""Values by key, or why there are none."""

_LENGTH = 16
"""Hexadecimal digits."""

_BATCH = 1000
"""Entries."""


@dataclass(frozen=True)
class Config:
    """The ``marks`` for the Pod template, by annotation, and all that Pods need and that is ``missing``."""

    marks: dict[str, str] = field(default_factory=dict)
    missing: tuple[Reference, ...] = ()


def rules(namespace: str, spec: MyResourceSpec, watch: Watch) -> list[RelatedRule]:
    """Return the related rules for the configuration of *spec*: one for each kind, by name."""
    watched = _watched(references(spec), spec, watch)
    names = {kind: sorted({ref.name for ref in watched if ref.kind is kind}) for kind in MARKS}
    return [select_by_name(kind, namespace, *names[kind]) for kind in MARKS if names[kind]]


def config(request: SyncRequest, spec: MyResourceSpec, watch: Watch) -> Config:
    """Return the configuration of *spec* as it is observed."""
    every = references(spec)
    watched = _watched(every, spec, watch)
    found = {kind: _found(kind, watched, request) for kind in MARKS if any(ref.kind is kind for ref in every)}
    before = _observed_marks(request)
    marks = {MARKS[kind]: seen.mark or before.get(MARKS[kind]) for kind, seen in found.items()}
    missing = {ref: what for seen in found.values() for ref, what in seen.missing.items()}
    needed = [missing[ref] for ref in watched if ref in missing] if spec.replicas else []  # no Pod needs it
    return Config({name: mark for name, mark in marks.items() if mark}, tuple(dict.fromkeys(needed)))


def _watched(every: list[Reference], spec: MyResourceSpec, watch: Watch) -> list[Reference]:
    return [] if spec.config_reload.mode == "Disabled" else [ref for ref in every if ref.kind in watch.config]


@dataclass(frozen=True)
class _Found:
    """What was found of a kind: the ``mark``, or None if it can't be made; and what is ``missing`` to a reference."""

    mark: str | None
    missing: dict[Reference, Reference]


def _found(kind: Kind, watched: list[Reference], request: SyncRequest) -> _Found:
    """Return what was found of *kind*. One object after the other is read, as all of them may be large."""
    uses: defaultdict[str, list[Reference]] = defaultdict(list)
    for ref in watched:
        if ref.kind is kind:
            uses[ref.name].append(ref)
    content, is_settled = _Hash(kind, request.parent.uid), bool(uses)
    missing: dict[Reference, Reference] = {}
    for name, refs in sorted(uses.items()):
        seen = request.related.get(kind, name)
        values = {ref: _values(ref, seen) for ref in refs}
        lacking = [ref for ref in refs if values[ref] is Absence.MISSING and not ref.optional]
        missing |= {ref: ref.of_object() if seen is Absence.MISSING else ref for ref in lacking}
        is_settled = is_settled and all(_settled(ref, each) for ref, each in values.items())
        content.add(name, {entry for each in values.values() if isinstance(each, dict) for entry in each.items()})
    return _Found(content.mark() if is_settled else None, missing)


class _Hash:
    """The hash of entries of (name, key, value), of which a few at a time are made into JSON."""

    def __init__(self, kind: Kind, uid: str) -> None:
        self._hash = hmac.new(uid.encode(), f'["{kind.KIND.kind}",['.encode(), hashlib.sha256)
        self._between = b""

    def add(self, name: str, values: set[tuple[str, str]]) -> None:
        """Add the entries of *values*, which are keys with their values; names come in order."""
        entries = sorted(values)
        for start in range(0, len(entries), _BATCH):
            batch = [(name, *entry) for entry in entries[start : start + _BATCH]]
            self._hash.update(self._between + msgspec.json.encode(batch)[1:-1])
            self._between = b","

    def mark(self) -> str:
        """Return the mark for all that was added."""
        self._hash.update(b"]]")
        return self._hash.hexdigest()[:_LENGTH]


def _settled(ref: Reference, values: Values) -> bool:
    """Tell whether *values* are known: also that there are none, where the reference can do without."""
    return isinstance(values, dict) or (values is Absence.MISSING and ref.optional)


def _values(ref: Reference, seen: ConfigMap | Secret | Absence) -> Values:
    """Return the values that *ref* uses of the object *seen*, by key, or why there are none."""
    if isinstance(seen, Absence):
        return seen
    data, binary = seen.data or {}, _binary(seen) if ref.as_files else {}
    if ref.key is None:
        return {**data, **{key: _marked(value) for key, value in binary.items()}}
    if ref.key in binary:
        return {ref.key: _marked(binary[ref.key])}
    return {ref.key: data[ref.key]} if ref.key in data else Absence.MISSING


def _binary(seen: ConfigMap | Secret) -> dict[str, str]:
    """Return the values of *seen* that only come as files. Source: Kubernetes, pkg/kubelet/kubelet_pods.go."""
    return (seen.binary_data or {}) if isinstance(seen, ConfigMap) else {}


def _marked(value: str) -> str:
    """Return a *value* of binaryData with a zero byte, which tells it from the same text in data."""
    return f"\0{value}"


def _observed_marks(request: SyncRequest) -> dict[str, str]:
    deployment = request.children.get(Deployment, deployment_name(request.parent))
    node: Any = (deployment and deployment.spec) or {}
    for step in ("template", "metadata", "annotations"):
        node = node.get(step) if isinstance(node, dict) else None
    found = node if isinstance(node, dict) else {}
    return {name: mark for name, mark in found.items() if name in MARKS.values() and isinstance(mark, str)}
