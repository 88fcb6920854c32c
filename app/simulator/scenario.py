"""A scenario: steps that somebody takes, and what is expected to come of them. It is written in YAML or JSON."""

import re
from typing import Annotated, Any, Literal

import msgspec

from app.simulator.metacontroller.settings import Mode
from app.simulator.objects import Json, Key, key_of

Duration = Annotated[str, msgspec.Meta(pattern=r"^\d+(\.\d+)?(s|m|h)$")]
"""Such as ``90s``, ``10m`` or ``1h``."""

Identity = Annotated[str, msgspec.Meta(pattern="^[A-Za-z]+/([a-z0-9.-]+/)?[a-z0-9.-]+$")]
"""Such as ``Deployment/web-deployment``, or with a namespace ``Deployment/team-a/web-deployment``."""

_UNITS = {"s": 1, "m": 60, "h": 3600}


class BadScenario(ValueError):
    """Raised for what is no scenario. Its text says where, and what is wrong."""


class Edit(msgspec.Struct, forbid_unknown_fields=True):
    """A change by hand; a value of null removes a field."""

    object: Identity
    set: dict[str, Any]


class Delete(msgspec.Struct, forbid_unknown_fields=True):
    """A deletion by hand."""

    object: Identity
    policy: Literal["background", "foreground", "orphan"] = "background"


class Expect(msgspec.Struct, forbid_unknown_fields=True):
    """What shall be, within a while: of a parent's status, of an object, or of the whole."""

    within: Duration = "0s"
    of: Identity | None = None
    """The parent whose status is meant; default is the one that was applied first."""
    state: str | None = None
    reason: str | None = None
    """The reason of the condition Ready."""
    message: str | None = None
    """A part of the message of the condition Ready."""
    object: Identity | None = None
    has: dict[str, Any] = {}
    """Values by path; null means that there is none."""
    gone: bool = False
    still: bool = False
    """Nothing more is going to happen."""
    writes: int | None = None
    """Metacontroller's writes, while a duration of *within* passes, are no more than this."""


class Step(msgspec.Struct, forbid_unknown_fields=True):
    """One thing that is done, or expected; *say* tells why."""

    say: str | None = None
    apply: Json | None = None
    edit: Edit | None = None
    delete: Delete | None = None
    fail: Literal["bad-image", "crash", "oom", "slow", "none"] | None = None
    refuse: str | None = None
    """A kind that the API server refuses to create from now on, as a quota does; ``none`` ends it."""
    restart: Literal["metacontroller"] | None = None
    wait: Duration | None = None
    expect: Expect | None = None


class Scenario(msgspec.Struct, forbid_unknown_fields=True):
    """A title, steps, and what to try next when all went as expected."""

    title: str
    steps: list[Step]
    next: list[str] = []
    mode: Mode | None = None
    """The way to apply that it is about, if it is about one."""


def scenario(document: object) -> Scenario:
    """Return the scenario that *document* is; raise BadScenario."""
    try:
        found = msgspec.convert(document, Scenario)
    except msgspec.ValidationError as error:
        raise BadScenario(str(error)) from None
    for number, step in enumerate(found.steps):
        done = [name for name in step.__struct_fields__ if name != "say" and getattr(step, name) is not None]
        if len(done) != 1 and not (step.say and not done):
            message = f"step {number + 1} does {len(done)} things; each step does one (apply, edit, expect, ...)"
            raise BadScenario(message)
        if step.apply is not None and not _is_object(step.apply):
            message = f"step {number + 1} applies something that has no apiVersion, kind or metadata.name"
            raise BadScenario(message)
    return found


def seconds(duration: str) -> float:
    """Return *duration* in seconds; raise BadScenario."""
    if not re.fullmatch(r"\d+(\.\d+)?[smh]", duration):
        message = f"{duration} is no duration; write it as 90s, 10m or 1h"
        raise BadScenario(message)
    return float(duration[:-1]) * _UNITS[duration[-1]]


def key(identity: str) -> Key:
    """Return the key that *identity* names."""
    kind, *namespace, name = identity.split("/")
    return Key(kind, namespace[0] if namespace else "default", name)


def _is_object(item: Json) -> bool:
    metadata = item.get("metadata")
    named = isinstance(metadata, dict) and isinstance(metadata.get("name"), str)
    return named and all(isinstance(item.get(name), str) for name in ("apiVersion", "kind")) and bool(key_of(item))
