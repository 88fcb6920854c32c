"""The configuration that an application reads: hashes that change with it, so that Pods are replaced; what is missing.

A hash is made of the keys that are used and their values, keyed by the parent's uid: equal contents of two namespaces
have different hashes. It is an annotation of the Pod template, one for ConfigMaps and one for Secrets, so that watching
Secrets or not changes their hash alone. A hash stays as observed while what it is made from is missing, unknown, or not
watched.
"""

import hashlib
import hmac
from collections import defaultdict
from collections.abc import ItemsView

import msgspec

from app.api.reading import InvalidSpec
from app.core.child_metadata import CONFIG_HASH_ANNOTATIONS, deployment_name
from app.core.desired.valid_spec import ConfigKind, Reference, ValidSpec, checked_spec
from app.core.rollout import in_observed_template
from app.core.watch import Watch
from metahook import Absence, ConfigMap, Deployment, Object, RelatedRule, Secret, SyncRequest, select_by_name

Entries = ItemsView[str, str]
"""Keys with their values."""

Values = dict[str, str] | Absence
"""Values by key, or why there are none."""

_LENGTH = 16
"""Hexadecimal digits."""

_BATCH = 1000
"""Entries."""


class Config(msgspec.Struct, frozen=True):
    """The ``hashes``, by the annotation of the Pod template; and all that Pods need and that is ``missing``."""

    hashes: dict[str, str] = msgspec.field(default_factory=dict)
    missing: tuple[Reference, ...] = ()
    is_known: bool = True
    """Whether all that Pods need is watched, and was observed to exist or to be missing."""
    created_at: str = ""
    """When the last object was created that Pods need, in RFC 3339; empty if none is known."""


NO_CONFIG = Config()


def related_rules(namespace: str, valid: ValidSpec, watch: Watch) -> list[RelatedRule]:
    """Return the related rules for the configuration of a *valid* spec: one for each kind, by name."""
    watched = _watched(valid, watch)
    names = {kind: sorted({ref.name for ref in watched if ref.kind is kind}) for kind in CONFIG_HASH_ANNOTATIONS}
    return [select_by_name(kind, namespace, *names[kind]) for kind in CONFIG_HASH_ANNOTATIONS if names[kind]]


def config(request: SyncRequest, valid: ValidSpec, watch: Watch, replicas: int) -> Config:
    """Return the configuration of a *valid* spec that has references, with *replicas* Pods, as it is observed."""
    watched = _watched(valid, watch)
    kinds = [kind for kind in CONFIG_HASH_ANNOTATIONS if any(ref.kind is kind for ref in valid.references)]
    contents = {CONFIG_HASH_ANNOTATIONS[kind]: _content(kind, watched, request) for kind in kinds}
    observed = _observed_hashes(request)
    hashes = {annotation: content.hash or observed.get(annotation) for annotation, content in contents.items()}
    missing = {ref: part for content in contents.values() for ref, part in content.missing.items()}
    needed = [missing[ref] for ref in watched if ref in missing] if replicas else []  # no Pod needs it
    watched_kinds = _watched_kinds(valid, watch)
    is_watched = all(ref.optional or ref.kind in watched_kinds for ref in valid.references)
    is_known = is_watched and all(content.is_observed for content in contents.values())
    created_at = max((content.created_at for content in contents.values()), default="") if replicas else ""
    return Config(
        {annotation: value for annotation, value in hashes.items() if value},
        tuple(dict.fromkeys(needed)),
        is_known,
        created_at,
    )


def published_hashes(request: SyncRequest, watch: Watch) -> dict[str, str]:
    """Return the hashes that the Pod template for *request* gets, by annotation; none if its spec is invalid."""
    checked = checked_spec(request.parent)
    return {} if isinstance(checked, InvalidSpec) else config(request, checked, watch, checked.spec.replicas).hashes


def _watched(valid: ValidSpec, watch: Watch) -> list[Reference]:
    watched_kinds = _watched_kinds(valid, watch)
    return [ref for ref in valid.references if ref.kind in watched_kinds]


def _watched_kinds(valid: ValidSpec, watch: Watch) -> tuple[type[Object], ...]:
    return () if valid.spec.config_reload.mode == "Disabled" else watch.config


class _Content(msgspec.Struct, frozen=True):
    """The content of all objects of a kind: its ``hash``, None if unknown; and what is ``missing``, by reference."""

    hash: str | None
    missing: dict[Reference, Reference]
    is_observed: bool
    """Whether each of the objects was asked for."""
    created_at: str
    """When the last of those was created that are not optional."""


def _content(kind: ConfigKind, watched: list[Reference], request: SyncRequest) -> _Content:
    """Return the content of *kind*. Reads one object after the other, as all of them may be large."""
    uses: defaultdict[str, list[Reference]] = defaultdict(list)
    for ref in watched:
        if ref.kind is kind:
            uses[ref.name].append(ref)
    content_hash, is_known, is_observed = _Hash(kind, request.parent.uid), bool(uses), True
    missing: dict[Reference, Reference] = {}
    created_at = ""
    for name, refs in sorted(uses.items()):
        observed, entries = request.related.get(kind, name), list[Entries]()
        for ref in refs:
            values = _values(ref, observed)
            if isinstance(values, dict):
                entries.append(values.items())
            elif values is not Absence.MISSING:
                is_known = is_observed = False
            elif not ref.optional:
                is_known = False
                missing[ref] = ref.of_object() if observed is Absence.MISSING else ref
        if not isinstance(observed, Absence) and not all(ref.optional for ref in refs):
            created_at = max(created_at, observed.metadata.creation_timestamp or "")
        content_hash.add(name, entries)
    return _Content(content_hash.digest() if is_known else None, missing, is_observed, created_at)


class _Hash:
    """The hash of entries of (name, key, value), of which a few at a time are made into JSON."""

    def __init__(self, kind: ConfigKind, uid: str) -> None:
        self._hash = hmac.new(uid.encode(), f'["{kind.KIND.kind}",['.encode(), hashlib.sha256)
        self._between = b""

    def add(self, name: str, uses: list[Entries]) -> None:
        """Add the entries of all *uses*, each once; names come in order."""
        # A set hashes all values, and most objects are used once.
        entries = sorted(uses[0] if len(uses) == 1 else set().union(*uses))
        for start in range(0, len(entries), _BATCH):
            batch = [(name, *entry) for entry in entries[start : start + _BATCH]]
            self._hash.update(self._between + msgspec.json.encode(batch)[1:-1])
            self._between = b","

    def digest(self) -> str:
        self._hash.update(b"]]")
        return self._hash.hexdigest()[:_LENGTH]


def _values(ref: Reference, observed: ConfigMap | Secret | Absence) -> Values:
    """Return the values that *ref* uses of the *observed* object, by key, or why there are none."""
    if isinstance(observed, Absence):
        return observed
    data, binary = observed.data or {}, _binary(observed) if ref.as_files else {}
    if ref.key is None:
        return {**data, **{key: _as_binary(value) for key, value in binary.items()}}
    if ref.key in binary:
        return {ref.key: _as_binary(binary[ref.key])}
    return {ref.key: data[ref.key]} if ref.key in data else Absence.MISSING


def _binary(observed: ConfigMap | Secret) -> dict[str, str]:
    """Return the values of *observed* that only come as files. Source: Kubernetes, pkg/kubelet/kubelet_pods.go."""
    return (observed.binary_data or {}) if isinstance(observed, ConfigMap) else {}


def _as_binary(value: str) -> str:
    """Return a *value* of binaryData with a zero byte, which tells it from the same text in data."""
    return f"\0{value}"


def _observed_hashes(request: SyncRequest) -> dict[str, str]:
    """Return the hashes on the Pod template of the observed Deployment, by annotation."""
    deployment = request.children.get(Deployment, deployment_name(request.parent))
    hashes = {
        name: in_observed_template(deployment, "metadata", "annotations", name)
        for name in CONFIG_HASH_ANNOTATIONS.values()
    }
    return {name: value for name, value in hashes.items() if isinstance(value, str)}
