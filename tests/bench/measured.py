"""A made-up measurement of an event."""

from dataclasses import replace
from typing import Any

from bench.scale.measurement import Measurement

_NONE = Measurement(
    event="a change",
    affected=1,
    seconds=15.0,
    quiet_after=16.0,
    cpu={"hook": 0.0, "metacontroller-0": 0.0},
    memory={"metacontroller-0": 0},
    syncs=0,
    customizes=0,
    status_writes=0,
    child_writes=0,
    requests=0,
    related=0,
    longest_queue=0,
)


def measured(**figures: Any) -> Measurement:
    """Return a measurement with these *figures*."""
    return replace(_NONE, **figures)
