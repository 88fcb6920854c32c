"""Repairs a child that Metacontroller alone would leave: one more annotation makes it send the whole child again.

Under server-side apply Metacontroller sends a child only if the response, or the child's generation, has changed. So
two things would stay: a label or an annotation that another user or controller removed, as that changes no generation
of most kinds; and a value that an admission policy replaced when the child was written. The first needs one write,
after which the annotation for repairs is removed again. If the label is missing while that annotation is there, it was
removed once more: then another one is needed, a few times, as a policy may be what removes it. A value is sent again
every ten minutes for as long as it differs, as the policy may be gone; the regular resync brings the next try. The
annotation also tells whether writes arrive: a value that differs although they do is set by another user or controller.
"""

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

import msgspec

from metahook.protocol.objects.manifest import Manifest, with_annotations
from metahook.protocol.objects.object import Object
from metahook.protocol.observed.child import LAST_APPLIED

RETRY = 600
"""Seconds."""

TRIES = 5
"""Annotations, one after the other, for a label or an annotation that is missing again at once."""

_SEPARATOR = "."
"""Between the token for metadata and the token for a value."""


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


def with_repair(
    desired: Manifest,
    observed: Object | None,
    annotation: str,
    resend: Resend | None = None,
    *,
    restored: Collection[str] = (),
) -> Manifest:
    """Return *desired*, with *annotation* (a key of the hook's) while the *observed* child needs repair.

    It does while it lacks a label of *desired*, or has another value of one, and while a value is to *resend*. Under
    server-side apply it also does while it lacks an annotation of *desired* that is to be *restored*; dynamic-apply
    does that by itself. An annotation that is desired for the first time then costs a second write.
    """
    if observed is None:
        return desired
    metadata = desired["metadata"]
    missing = sorted((metadata.get("labels") or {}).items() - (observed.metadata.labels or {}).items())
    if restored and observed.metadata.annotation(LAST_APPLIED) is None:
        lacking = (metadata.get("annotations") or {}).keys() & set(restored) - (
            observed.metadata.annotations or {}
        ).keys()
        missing += [(key, metadata["annotations"][key]) for key in sorted(lacking)]
    removed = [_removal_token(missing, _tokens(observed, annotation))] if missing else []
    tokens = [*removed, *([resend.token] if resend else [])]
    if not tokens:
        return desired
    return with_annotations(desired, {annotation: _SEPARATOR.join(tokens)})


def was_resent(observed: Object, annotation: str, resend: Resend) -> bool:
    """Tell whether the *observed* child shows that what was to *resend* has arrived: then no policy refuses it."""
    return any(token.startswith(resend.prefix) for token in _tokens(observed, annotation))


def _tokens(observed: Object, annotation: str) -> list[str]:
    return (observed.metadata.annotation(annotation) or "").split(_SEPARATOR)


def _removal_token(missing: list[tuple[str, str]], before: list[str]) -> str:
    """Return the token for metadata that is *missing*: the one after that of *before*, up to the last."""
    tokens = [_hash([*missing, *range(number)]) for number in range(TRIES)]
    tried = next((number for number, token in enumerate(tokens, 1) if token in before), 0)
    return tokens[min(tried, len(tokens) - 1)]


def _hash(parts: list[object]) -> str:
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()[:10]
