"""The configuration that an application reads: marks that change with it, so that Pods are replaced; what is missing.

A mark is a hash of the keys that are used and their values, keyed by the parent's uid: equal contents of two namespaces
have unlike marks. It is an annotation of the Pod template, one for ConfigMaps and one for Secrets, so that following
Secrets or not concerns their mark alone. A mark stays as observed while what it is made from is missing, unknown, or
not followed.
"""

import hashlib
import hmac
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from app.api.spec import MyResourceSpec
from app.core.identity import MARKS, deployment_name
from app.core.policy import Policy
from app.core.references import Kind, Reference, references
from app.hooks import Absence, ConfigMap, Deployment, RelatedRule, Secret, SyncRequest, named

Values = dict[str, str] | Absence
"""Values by key, or why there are none."""

_LENGTH = 16
"""Hexadecimal digits."""


@dataclass(frozen=True)
class Config:
    """The ``marks`` for the Pod template, by annotation, and all that Pods need and that is ``missing``."""

    marks: dict[str, str] = field(default_factory=dict)
    missing: tuple[Reference, ...] = ()


def rules(namespace: str, spec: MyResourceSpec, policy: Policy) -> list[RelatedRule]:
    """Return the related rules for the configuration of *spec*: one for each kind, by name."""
    followed = _followed(references(spec), spec, policy)
    names = {kind: sorted({ref.name for ref in followed if ref.kind is kind}) for kind in MARKS}
    return [named(kind, namespace, *names[kind]) for kind in MARKS if names[kind]]


def config(request: SyncRequest, spec: MyResourceSpec, policy: Policy) -> Config:
    """Return the configuration of *spec* as it is observed."""
    every = references(spec)
    found = {ref: _values(ref, request) for ref in _followed(every, spec, policy)}
    used = {ref.kind for ref in every}
    before = _observed_marks(request)
    marks = {MARKS[kind]: _mark(kind, found, request) or before.get(MARKS[kind]) for kind in MARKS if kind in used}
    missing = tuple(dict.fromkeys(_missing(found, request))) if spec.replicas else ()  # without Pods nobody needs it
    return Config({name: mark for name, mark in marks.items() if mark}, missing)


def _missing(found: dict[Reference, Values], request: SyncRequest) -> Iterator[Reference]:
    """Yield what of *found* is missing and not optional: the object, or the key if the object is there."""
    for ref, values in found.items():
        if values is Absence.MISSING and not ref.optional:
            is_there = request.related.get(ref.kind, ref.name) is not Absence.MISSING
            yield replace(ref, key=ref.key if is_there else None, as_files=False)


def _followed(every: list[Reference], spec: MyResourceSpec, policy: Policy) -> list[Reference]:
    return [] if spec.config_reload.mode == "Disabled" else [ref for ref in every if ref.kind in policy.config]


def _mark(kind: Kind, found: dict[Reference, Values], request: SyncRequest) -> str | None:
    """Return the mark for what was *found* of *kind*, or None if it can't be made."""
    own = {ref: values for ref, values in found.items() if ref.kind is kind}
    if not own or not all(_settled(ref, values) for ref, values in own.items()):
        return None
    entries = {
        (ref.name, key, value)
        for ref, values in own.items()
        if isinstance(values, dict)
        for key, value in values.items()
    }
    text = msgspec.json.encode([kind.__name__, sorted(entries)])
    return hmac.new(request.parent.uid.encode(), text, hashlib.sha256).hexdigest()[:_LENGTH]


def _settled(ref: Reference, values: Values) -> bool:
    """Tell whether *values* are known: also that there are none, where the reference can do without."""
    return isinstance(values, dict) or (values is Absence.MISSING and ref.optional)


def _values(ref: Reference, request: SyncRequest) -> Values:
    """Return the values that *ref* uses, by key, or why there are none."""
    seen = request.related.get(ref.kind, ref.name)
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
