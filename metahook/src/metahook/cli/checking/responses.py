"""Rules for single responses: what the API server drops, refuses or stores otherwise, and what is copied or shown."""

import base64
import json
import re
from collections.abc import Iterator

from msgspec import UNSET

from metahook.cli.files.manifests import property_of
from metahook.protocol.objects import Change, changes
from metahook.simulator.apiserver.built_in_kinds import undeclared_field
from metahook.simulator.apiserver.custom_rules import dropped, problems, written
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.controllers.deployments import KUBECTL_APPLIED
from metahook.simulator.findings.evidence import AnsweredSync, Evidence
from metahook.simulator.history import History
from metahook.simulator.metacontroller.children import MERGE_KEYS, merge
from metahook.simulator.objects import Json, Key, to_json

_MOST = 60
"""Characters of a value in a message."""

_NO_ACCIDENT = 8
"""Characters of a password that is in no text by accident."""

_SECRET = re.compile("(password|passwd|token)$", re.IGNORECASE)
"""The name of a value in a Secret that nobody else may see."""

_COPIED = ("uid", "resourceVersion", "managedFields")
"""What an object that was read has in its metadata, and one that is written from scratch has not."""


def dropped_status(sync: AnsweredSync, schema: Json | None) -> Iterator[tuple[str, str]]:
    """Yield rule and sentence for each field of the status that the *schema* of the CRD drops or refuses."""
    status = sync.response.status
    if not status or schema is None:
        return
    of_status = property_of(schema, "status")
    if of_status is None:
        yield "PrunedStatus", "the CRD's schema has no status, so the API server drops it; add it"
        return
    for path in dropped(status, of_status, ("status",)):
        yield "PrunedStatus", f"{written(path)} is not in the CRD's schema, so the API server drops it; add it"
    for problem in problems(status, of_status, ("status",)):
        yield "InvalidStatus", f"{problem}, as the CRD's schema says; the API server refuses the whole status"


def undeclared_children(sync: AnsweredSync) -> Iterator[tuple[str, str]]:
    """Yield rule and sentence for each child with a field that its kind does not have."""
    for index, child in enumerate(sync.response.children):
        try:
            path = undeclared_field(child)
        except ApiError:
            continue  # the write is refused, which is a finding by itself
        if path:
            named = _named(index, child)
            yield "UnknownField", f"{named}: {path.removeprefix('.')} is not a field, so the API server drops it"


def copied_fields(sync: AnsweredSync) -> Iterator[tuple[str, str]]:
    """Yield rule and sentence for each child that is a copy of an object that was read, or has parts of one."""
    for index, child in enumerate(sync.response.children):
        metadata, named = child.get("metadata") or {}, _named(index, child)
        if field := next((field for field in _COPIED if field in metadata), None):
            message = f"metadata.{field} shows that it is a copy, so the values that others set are applied, too"
            yield "CopiedChild", f"{named}: {message}; list only the fields that the hook decides"
        elif KUBECTL_APPLIED in (metadata.get("annotations") or {}):
            message = f"{KUBECTL_APPLIED} is copied from another object, and misleads kubectl apply"
            yield "CopiedAnnotation", f"{named}: {message}; copy only the annotations that the child needs"


def shown_secrets(sync: AnsweredSync) -> Iterator[tuple[str, str]]:
    """Yield rule and sentence for each password or token of a Secret that the status shows."""
    status = to_json(sync.response.status or {})
    for index, child in enumerate(sync.response.children):
        for name, value in ((child.get("data") or {}) if child.get("kind") == "Secret" else {}).items():
            if _SECRET.search(name) and _decoded(value) and _decoded(value) in status:
                yield "ShownSecret", f"{_named(index, child)}: the status shows its data.{name}; name the Secret there"


def _decoded(value: object) -> str:
    """Return the text of a *value* in Base64, or nothing if it is too short to be told from other texts."""
    try:
        text = base64.b64decode(str(value)).decode()
    except ValueError:
        return ""
    return text if len(text) >= _NO_ACCIDENT else ""


def stored_otherwise(sync: AnsweredSync, key: Key) -> str | None:
    """Return the first value of the child *key* that the API server stores as another one, as a sentence, or None."""
    for index, child in enumerate(sync.response.children):
        if (child.get("kind"), (child.get("metadata") or {}).get("name")) == (key.kind, key.name):
            observed = sync.observed.get(key)
            differing = changes(merge(observed, {}, child), observed, "", keys=MERGE_KEYS) if observed else ()
            found = next(iter(differing), None)
            if found:
                return f"{_named(index, child)}: {_rewritten(found, is_secret=key.kind == 'Secret')}"
    return None


def _rewritten(change: Change, *, is_secret: bool) -> str:
    """Return what the API server makes of a value, and the remedy; without the values of a Secret."""
    remedy = ""
    if change.path.startswith("stringData"):
        remedy = " (write data, in Base64)"
    elif isinstance(change.old, str) and isinstance(change.new, str) and "".join(change.old.split()) == change.new:
        remedy = " (write it in one line)"
    if is_secret:
        return f"{change.path} is stored otherwise{remedy}"
    return f"{change.path} {_short(change.old)} is stored as {_short(change.new)}{remedy}"


def finalized_at_once(history: History, *, is_pure: bool) -> Iterator[str]:
    """Yield a sentence for each parent whose first response to finalize lets it go, so that nothing is waited for.

    Metacontroller then neither creates nor changes a child. A hook that is not *is_pure* may have cleaned up elsewhere,
    and one that has related objects may wait for those.
    """
    seen = set[Key]()
    for sync in Evidence(history).syncs:
        if not sync.finalizing or sync.key in seen:
            continue
        seen.add(sync.key)
        new = [key for key in sync.children if key not in sync.observed]
        has_related = "customize" in (json.loads(sync.call.request).get("controller") or {})["spec"]["hooks"]
        left = new or ([*sync.observed] if is_pure and not has_related else [])
        if sync.response.finalized and left:
            what = "is not created any more" if new else "still exists"
            remedy = "respond with finalized: false until the children are as they should be"
            yield f"{sync.key}: finalized: true in the first response, and {left[0]} {what}; {remedy}"


def _named(index: int, child: Json) -> str:
    return f"children[{index}] {child.get('kind')} {(child.get('metadata') or {}).get('name')}"


def _short(value: object) -> str:
    text = "nothing" if value is UNSET else to_json(value)
    return text if len(text) <= _MOST else f"{text[:_MOST]}..."
