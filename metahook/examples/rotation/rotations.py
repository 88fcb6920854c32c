import base64
import hashlib
import hmac
import math
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Annotated

import msgspec

from metahook import (
    MAX_RESYNC,
    Controller,
    Manifest,
    Parent,
    Secret,
    SyncRequest,
    SyncResponse,
    drifted_field,
    try_read,
)
from metahook.server import Address, serve

PERIOD = "example.com/period"
KEY_FILE = Path("/etc/rotation/key")


class RotationSpec(msgspec.Struct, rename="camel"):
    every_seconds: Annotated[int, msgspec.Meta(ge=1)]
    keep: Annotated[int, msgspec.Meta(ge=0)]


def sync(request: SyncRequest, now: datetime, key: bytes) -> SyncResponse:
    """Return the Secret with the value of the current period and *keep* older ones; ask for a call at its end."""
    parent, spec = request.parent, try_read(request.parent.spec, RotationSpec)
    if spec is None or parent.created is None:  # only a request written by hand lacks the time of creation
        state = "InvalidSpec" if spec is None else "Unknown"
        return SyncResponse(status={"state": state}, kept=request.children.kept())
    created, every = datetime.fromisoformat(parent.created), timedelta(seconds=spec.every_seconds)
    period = _period((now - created) // every, request.children.get(Secret, parent.name))
    desired = _secret(
        parent, period, [_value(key, parent.uid, period - age) for age in range(min(spec.keep, period) + 1)]
    )
    end = created + (period + 1) * every
    status = {
        "state": "Rotating" if drifted_field(desired, request.children) else "Ready",
        "nextRotation": end.strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    remaining = math.ceil((end - now).total_seconds())
    return SyncResponse(status=status, children=[desired], resync_after=min(max(remaining, 1), MAX_RESYNC))


def _period(computed: int, observed: Secret | None) -> int:
    """Return the number of the period: not always the computed one, as the clock of another replica may be ahead.

    Then the Secret has its next value already, and taking that back would write it again and again. This holds
    for clocks that differ by less than a period. If any recorded number counted, one wrong clock could stop rotations.
    """
    recorded = observed.metadata.annotation(PERIOD) if observed else None
    return computed + 1 if recorded == str(computed + 1) else max(computed, 0)


def _value(key: bytes, uid: str, period: int) -> str:
    """Return the value of a *period* in Base64 as a Secret has it: the same in each replica, and after each restart."""
    secret = hmac.digest(key, f"{uid}/{period}".encode(), hashlib.sha256).hex()
    return base64.b64encode(secret.encode()).decode()


def _secret(parent: Parent, period: int, values: list[str]) -> Manifest:
    """Return the Secret with *values*, newest first."""
    names = ("current", *(f"previous-{age}" for age in range(1, len(values))))
    metadata = {"name": parent.name, "namespace": parent.namespace, "annotations": {PERIOD: str(period)}}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": dict(zip(names, values, strict=True))}


def rotations(key: bytes) -> Controller:
    """Return the controller whose values are derived from *key*; raise ValueError for one that can be guessed."""
    if len(key) < 32:
        message = "the key of the rotation must have at least 32 bytes"
        raise ValueError(message)
    return Controller(sync=partial(sync, key=key), children=(Secret,), example_spec={"everySeconds": 3600, "keep": 1})


if __name__ == "__main__":
    serve(rotations(KEY_FILE.read_bytes()), Address("0.0.0.0", 8080), Address("0.0.0.0", 8081))
