"""Repairs a child that Metacontroller alone would leave: one more annotation makes it send the whole child again.

Under server-side apply Metacontroller sends a child only if the response, or the child's generation, has changed. So
two things would stay: a label that another user or controller removed, as that changes no generation; and a value that
an admission policy replaced when the child was written. A label needs one write, after which the annotation is removed
again. If the label is missing while the annotation is there, it was removed once more: then another annotation is
needed, a few times, as a policy may be what removes it. A value is sent again every ten minutes for as long as it
differs, as the policy may be gone; the regular resync brings the next try. The annotation also tells whether writes
arrive: a value that differs although they do is set by another user or controller.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime

import msgspec

from metahook.protocol.manifest import Manifest
from metahook.protocol.objects import Object

RETRY = 600
"""Seconds."""

TRIES = 5
"""Annotations, one after the other, for a label that is missing again at once."""

_SEPARATOR = "."
"""Between the token for labels and the token for a value."""


@dataclass(frozen=True)
class Resend:
    """A value that is sent again because it differs."""

    drift: str
    """What differs, such as the path of the field: the same text for as long as it does."""
    since: datetime
    now: datetime

    @property
    def prefix(self) -> str:
        """How the tokens for this value begin."""
        return f"{_hash([self.drift, self.since])}-"

    @property
    def token(self) -> str:
        """The token of now: another one every ten minutes, so that Metacontroller sends the child again."""
        return f"{self.prefix}{int(self.now.timestamp()) // RETRY}"


def with_repair(desired: Manifest, observed: Object | None, annotation: str, resend: Resend | None = None) -> Manifest:
    """Return *desired*, with *annotation* (a key of the hook's) while the *observed* child needs repair.

    It does while it lacks a label of *desired*, or has another value of one, and while a value is to *resend*.
    """
    if observed is None:
        return desired
    metadata = desired["metadata"]
    missing = sorted((metadata.get("labels") or {}).items() - (observed.metadata.labels or {}).items())
    labels = [_label_token(missing, _tokens(observed, annotation))] if missing else []
    tokens = [*labels, *([resend.token] if resend else [])]
    if not tokens:
        return desired
    annotations = {**(metadata.get("annotations") or {}), annotation: _SEPARATOR.join(tokens)}
    return {**desired, "metadata": {**metadata, "annotations": annotations}}


def was_resent(observed: Object, annotation: str, resend: Resend) -> bool:
    """Tell whether the *observed* child shows that what was to *resend* has arrived: then no policy refuses it."""
    return any(token.startswith(resend.prefix) for token in _tokens(observed, annotation))


def _tokens(observed: Object, annotation: str) -> list[str]:
    return (observed.metadata.annotation(annotation) or "").split(_SEPARATOR)


def _label_token(missing: list[tuple[str, str]], before: list[str]) -> str:
    """Return the token for labels that are *missing*: the one after that of *before*, up to the last."""
    tokens = [_hash([*missing, *range(number)]) for number in range(TRIES)]
    tried = next((number for number, token in enumerate(tokens, 1) if token in before), 0)
    return tokens[min(tried, len(tokens) - 1)]


def _hash(parts: list[object]) -> str:
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()[:10]
