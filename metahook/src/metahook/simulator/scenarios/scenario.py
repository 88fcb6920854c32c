"""A scenario: steps in a cluster, and expectations of what follows. Users write it in YAML or JSON."""

import re
from typing import Annotated, Any, Literal

import msgspec

from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Json, Key, key_of
from metahook.simulator.scenarios.path import InvalidPath, path_steps

_DURATION = r"[0-9]{1,7}([.][0-9]{1,6})?[smh]"

Duration = Annotated[str, msgspec.Meta(pattern=f"^{_DURATION}$")]
"""Such as ``90s``, ``10m`` or ``1h``."""

FailureName = Literal[
    "bad-image",
    "crash",
    "oom",
    "slow",
    "config-error",
    "unschedulable",
    "unready",
    "evicted",
    "node-lost",
    "fight",
    "none",
]
"""The failure of all containers from then on, by its value in controllers/pod_lifecycle.py; ``none`` ends it.

With ``fight`` the containers run, and an autoscaler scales all Deployments.
"""

LONGEST = 1000 * 3600.0
"""Seconds; the longest duration in a scenario."""

ObjectName = Annotated[str, msgspec.Meta(pattern="^[A-Za-z]+/([a-z0-9.-]+/)?[a-z0-9.-]+$")]
"""Such as ``Deployment/web-deployment``, or with a namespace ``Deployment/team-a/web-deployment``."""

_UNITS = {"s": 1, "m": 60, "h": 3600}


class InvalidScenario(ValueError):
    """Raised for a document that is not a scenario. Its text says where, and what is wrong."""


class Edit(msgspec.Struct, forbid_unknown_fields=True):
    """An edit by hand; null removes a field."""

    object: ObjectName
    set: dict[str, Any]


class Delete(msgspec.Struct, forbid_unknown_fields=True):
    """A deletion by hand."""

    object: ObjectName
    policy: Literal["background", "foreground", "orphan"] = "background"


class Undo(msgspec.Struct, forbid_unknown_fields=True):
    """A rollback of a Deployment to a revision."""

    object: ObjectName
    revision: Annotated[int, msgspec.Meta(ge=1)]


class Expect(msgspec.Struct, forbid_unknown_fields=True):
    """An expectation, to be met within a time: of a parent's status, of an object, or of the whole cluster."""

    within: Duration = "0s"
    of: ObjectName | None = None
    """The parent whose status is expected; by default the one that was applied first."""
    state: str | None = None
    reason: str | None = None
    """The reason of the condition Ready."""
    message: str | None = None
    """A part of the message of the condition Ready."""
    object: ObjectName | None = None
    has: dict[str, Any] = {}
    """Values by path; null means that the field does not exist."""
    gone: bool = False
    quiet: bool = False
    """Nothing more is going to happen: only idle timers are left."""
    writes: Annotated[int, msgspec.Meta(ge=0)] | None = None
    """The most writes of Metacontroller while *within* passes."""


class Step(msgspec.Struct, forbid_unknown_fields=True):
    """One action or one expectation; *say* explains it to the reader of the timeline."""

    say: str | None = None
    apply: Json | None = None
    edit: Edit | None = None
    delete: Delete | None = None
    undo: Undo | None = None
    fail: FailureName | None = None
    refuse: str | None = None
    """A kind that the API server refuses to create from then on, as for a quota; ``none`` ends it."""
    restart: Literal["metacontroller"] | None = None
    wait: Duration | None = None
    expect: Expect | None = None


class Scenario(msgspec.Struct, forbid_unknown_fields=True):
    """A title, the steps, and lines to show when all expectations were met (*next*)."""

    title: str
    steps: list[Step]
    next: list[str] = []
    mode: Mode | None = None
    """The apply strategy, if the scenario is about one."""
    watch: Json | None = None
    """What the controller watches besides its children, in the words of the program that runs the scenario."""


def read_scenario(document: object) -> Scenario:
    """Return *document*, decoded YAML or JSON, as a scenario; raise InvalidScenario."""
    try:
        scenario = msgspec.convert(document, Scenario)
    except msgspec.ValidationError as error:
        raise InvalidScenario(str(error)) from None
    for number, step in enumerate(scenario.steps):
        _check_expect(number + 1, step.expect)
        _check_paths(number + 1, step)
        parse_duration(step.wait or (step.expect.within if step.expect else "0s"))
        actions = [name for name in step.__struct_fields__ if name != "say" and getattr(step, name) is not None]
        if len(actions) != 1 and not (step.say and not actions):
            message = f"step {number + 1} has {len(actions)} actions; each step has one (apply, edit, expect, ...)"
            raise InvalidScenario(message)
        if step.apply is not None and not _is_object(step.apply):
            message = f"step {number + 1} applies an object without apiVersion, kind or metadata.name"
            raise InvalidScenario(message)
    return scenario


def _check_expect(number: int, expect: Expect | None) -> None:
    """Raise InvalidScenario unless *expect* has exactly one subject: a status, an object, quiet or writes."""
    if expect is None:
        return
    of_status = any(value is not None for value in (expect.state, expect.reason, expect.message))
    kinds = [of_status, expect.object is not None, expect.quiet, expect.writes is not None]
    stray = (expect.gone or expect.has) and expect.object is None
    if sum(kinds) != 1 or stray or (expect.gone and expect.has):
        message = f"step {number} must expect one of: a status, an object, quiet, writes"
        raise InvalidScenario(message)


def _check_paths(number: int, step: Step) -> None:
    """Raise InvalidScenario if *step* has a malformed path."""
    for path in [*(step.edit.set if step.edit else ()), *(step.expect.has if step.expect else ())]:
        try:
            path_steps(path)
        except InvalidPath as error:
            message = f"step {number}: {error}"
            raise InvalidScenario(message) from None


def parse_duration(duration: str) -> float:
    """Return *duration* in seconds; raise InvalidScenario."""
    found = float(duration[:-1]) * _UNITS[duration[-1]] if re.fullmatch(_DURATION, duration) else LONGEST + 1
    if found > LONGEST:
        message = f"{duration} is not a duration up to 1000h; write it as 90s, 10m or 1h"
        raise InvalidScenario(message)
    return found


def parse_object_name(text: str) -> Key:
    """Return the key of ``Kind/name`` or ``Kind/namespace/name``; the namespace is ``default`` if left out."""
    kind, *namespace, name = text.split("/")
    return Key(kind, namespace[0] if namespace else "default", name)


def _is_object(item: Json) -> bool:
    metadata = item.get("metadata")
    named = isinstance(metadata, dict) and isinstance(metadata.get("name"), str)
    return named and all(isinstance(item.get(name), str) for name in ("apiVersion", "kind")) and bool(key_of(item))
