"""A scenario: steps that somebody takes, and what is expected to come of them. It is written in YAML or JSON."""

import re
from typing import Annotated, Any, Literal

import msgspec

from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Json, Key, key_of
from metahook.simulator.path import BadPath, steps

_DURATION = r"[0-9]{1,7}([.][0-9]{1,6})?[smh]"

Duration = Annotated[str, msgspec.Meta(pattern=f"^{_DURATION}$")]
"""Such as ``90s``, ``10m`` or ``1h``."""

Failure = Literal[
    "bad-image", "crash", "oom", "slow", "config-error", "unschedulable", "unready", "evicted", "node-lost", "none"
]
"""What all containers do from then on: a fate of simulator/controllers/fate.py, or none."""

LONGEST = 1000 * 3600.0
"""Seconds; nothing is simulated for longer."""

Identity = Annotated[str, msgspec.Meta(pattern="^[A-Za-z]+/([a-z0-9.-]+/)?[a-z0-9.-]+$")]
"""Such as ``Deployment/web-deployment``, or with a namespace ``Deployment/team-a/web-deployment``."""

_UNITS = {"s": 1, "m": 60, "h": 3600}


class BadScenario(ValueError):
    """Raised for what is no scenario. Its text says where, and what is wrong."""


class FollowedKind(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    """A kind of others that parents wait for, and that the API server serves."""

    api_version: str
    resource: str
    kind: str


class Follow(msgspec.Struct, forbid_unknown_fields=True):
    """What the operator follows, as in the chart's values."""

    pods: bool = True
    secrets: bool = False
    dependencies: list[FollowedKind] = []


class Edit(msgspec.Struct, forbid_unknown_fields=True):
    """A change by hand; a value of null removes a field."""

    object: Identity
    set: dict[str, Any]


class Delete(msgspec.Struct, forbid_unknown_fields=True):
    """A deletion by hand."""

    object: Identity
    policy: Literal["background", "foreground", "orphan"] = "background"


class Undo(msgspec.Struct, forbid_unknown_fields=True):
    """A Deployment taken back to a revision."""

    object: Identity
    revision: Annotated[int, msgspec.Meta(ge=1)]


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
    writes: Annotated[int, msgspec.Meta(ge=0)] | None = None
    """Metacontroller's writes, while a duration of *within* passes, are no more than this."""


class Step(msgspec.Struct, forbid_unknown_fields=True):
    """One thing that is done, or expected; *say* tells why."""

    say: str | None = None
    apply: Json | None = None
    edit: Edit | None = None
    delete: Delete | None = None
    undo: Undo | None = None
    fail: Failure | None = None
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
    follow: Follow | None = None
    """What is followed, if it is not left to whoever plays it."""


def scenario(document: object) -> Scenario:
    """Return the scenario that *document* is; raise BadScenario."""
    try:
        found = msgspec.convert(document, Scenario)
    except msgspec.ValidationError as error:
        raise BadScenario(str(error)) from None
    for number, step in enumerate(found.steps):
        _check_expect(number + 1, step.expect)
        _check_paths(number + 1, step)
        seconds(step.wait or (step.expect.within if step.expect else "0s"))
        done = [name for name in step.__struct_fields__ if name != "say" and getattr(step, name) is not None]
        if len(done) != 1 and not (step.say and not done):
            message = f"step {number + 1} does {len(done)} things; each step does one (apply, edit, expect, ...)"
            raise BadScenario(message)
        if step.apply is not None and not _is_object(step.apply):
            message = f"step {number + 1} applies something that has no apiVersion, kind or metadata.name"
            raise BadScenario(message)
    return found


def _check_expect(number: int, expect: Expect | None) -> None:
    """Raise BadScenario unless exactly one kind of thing is expected."""
    if expect is None:
        return
    of_status = any(value is not None for value in (expect.state, expect.reason, expect.message))
    kinds = [of_status, expect.object is not None, expect.still, expect.writes is not None]
    stray = (expect.gone or expect.has) and expect.object is None
    if sum(kinds) != 1 or stray or (expect.gone and expect.has):
        message = f"step {number} must expect one of: a status, an object, still, writes"
        raise BadScenario(message)


def _check_paths(number: int, step: Step) -> None:
    """Raise BadScenario if a path in *step* is none."""
    for path in [*(step.edit.set if step.edit else ()), *(step.expect.has if step.expect else ())]:
        try:
            steps(path)
        except BadPath as error:
            message = f"step {number}: {error}"
            raise BadScenario(message) from None


def seconds(duration: str) -> float:
    """Return *duration* in seconds; raise BadScenario."""
    found = float(duration[:-1]) * _UNITS[duration[-1]] if re.fullmatch(_DURATION, duration) else LONGEST + 1
    if found > LONGEST:
        message = f"{duration} is no duration up to 1000h; write it as 90s, 10m or 1h"
        raise BadScenario(message)
    return found


def key(identity: str) -> Key:
    """Return the key that *identity* names."""
    kind, *namespace, name = identity.split("/")
    return Key(kind, namespace[0] if namespace else "default", name)


def _is_object(item: Json) -> bool:
    metadata = item.get("metadata")
    named = isinstance(metadata, dict) and isinstance(metadata.get("name"), str)
    return named and all(isinstance(item.get(name), str) for name in ("apiVersion", "kind")) and bool(key_of(item))
