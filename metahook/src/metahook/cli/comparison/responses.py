"""Responses of a hook to a recorded request: of this or another version, or the recorded one; and their difference.

A difference is what another response changes in the children, the status and the Pods. A report is about many of them.
"""

from collections.abc import Callable, Iterator
from datetime import datetime
from enum import Enum
from typing import Any

import msgspec
from msgspec.structs import replace

from metahook.cli.binding import Uncompared, words
from metahook.cli.comparison.edits import (
    apply_to,
    as_stored,
    has_pods,
    is_bare,
    last_applied_children,
    name_file_in_errors,
    restart_paths,
)
from metahook.cli.errors import InputError, program_name
from metahook.cli.files.recordings import HookName, Identity, Recording
from metahook.protocol.bodies import MalformedRequest
from metahook.protocol.controller import Controller
from metahook.protocol.objects import Json, Object, changed_paths, counted, printable
from metahook.simulator.hook import Hook, Unreachable

OK, MALFORMED, UNAUTHORIZED, FAILED = 200, 400, 401, 500


class UnreadableResponse(ValueError):
    """Raised for a body that is not a response of a hook."""


class HookResponse(msgspec.Struct, frozen=True):
    """The parts of a response that are compared. One with another code than 200 changes nothing in a cluster."""

    code: int
    children: dict[Identity, Json] = msgspec.field(default_factory=dict)
    status: Json = msgspec.field(default_factory=dict)
    resync: object = None
    rules: list[Any] = msgspec.field(default_factory=list)
    broken_rule: str = ""
    """Why the request is malformed, if this version's response has that code."""

    @property
    def state(self) -> str:
        """The status in a few words: the state or the phase, and the reason of Ready."""
        listed = self.status.get("conditions")
        conditions = [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
        reason = next((item.get("reason") for item in conditions if item.get("type") == "Ready"), None)
        words_of_status = (self.status.get("state"), self.status.get("phase"), reason)
        return " ".join(str(word) for word in words_of_status if word is not None)


class HookVersion(msgspec.Struct, frozen=True):
    """The version of a hook whose responses are compared: how it responds to a request at a time.

    ``structs`` returns structs of the kinds of children that it declares, given a request.
    """

    respond: Callable[[Recording, datetime], HookResponse]
    structs: Callable[[Recording], tuple[type[Object], ...]]
    uncompared: Uncompared


def parse_response(hook: HookName, code: int, body: object) -> HookResponse:
    """Return the response of *hook* with the status *code* and the *body*; raise UnreadableResponse."""
    if code != OK:
        return HookResponse(code)
    if not isinstance(body, dict):
        raise UnreadableResponse
    if hook == "customize":
        return HookResponse(code, rules=_objects(body.get("relatedResources")))
    status = body.get("status", {} if "attachments" in body else None)
    children = _objects(body.get("children", body.get("attachments")))
    if not isinstance(status, dict) or not all(isinstance(child.get("metadata"), dict) for child in children):
        raise UnreadableResponse
    by_identity = {(str(child.get("kind")), str(child["metadata"].get("name"))): child for child in children}
    return HookResponse(code, by_identity, status, body.get("resyncAfterSeconds"))


def _objects(value: object) -> list[Any]:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise UnreadableResponse
    return value


def own_response(recording: Recording, now: datetime, controller: Controller) -> HookResponse:
    """Return the response of *controller*, as its service sends it: with 500 for any failure."""
    try:
        body = controller.handlers[recording.hook](recording.body, now).body
    except MalformedRequest as error:
        return HookResponse(MALFORMED, broken_rule=str(error))
    except Exception:  # noqa: BLE001 - a replay finds bugs: report this one, and go on to the next request
        return HookResponse(FAILED)
    return parse_response(recording.hook, OK, msgspec.json.decode(body))


def other_response(recording: Recording, hook: Hook, option: str) -> HookResponse:
    """Return the response of *hook*, given by *option*; raise InputError if it sends none."""
    try:
        reply = hook(recording.hook, recording.body)
        if reply.status in (OK, MALFORMED, FAILED):
            body = msgspec.json.decode(reply.body) if reply.status == OK else None
            return parse_response(recording.hook, reply.status, body)
        problem = f"{option}: /{recording.hook} returns status {reply.status}"
        if reply.status == UNAUTHORIZED:
            message = f"{problem}; name the file with its token with --token-file"
            raise InputError(message)
    except Unreachable as error:
        message = f"{error}; {_serve_it(option)}"
        raise InputError(message) from error
    except (ValueError, RecursionError):
        problem = f"{option}: /{recording.hook} returns something that is not a response of a hook"
    message = f"{problem}; give the URL of a hook, such as http://127.0.0.1:8080"
    raise InputError(message)


def _serve_it(option: str) -> str:
    other = "the other version" if option == "--against" else "the hook"
    serve = words().serve
    return f"serve {other} there" + (f", with: {serve}" if serve else "")


def without_times(response: HookResponse, uncompared: Uncompared, *, same_time: bool) -> HookResponse:
    """Return *response* without its times, and without what is *uncompared*.

    Unless both are decided at the *same_time*, what depends on it is left out, too.
    """
    status = {
        name: _without_time(name, value, uncompared)
        for name, value in response.status.items()
        if name not in uncompared.fields
    }
    children = {key: _without_annotations(child, uncompared) for key, child in response.children.items()}
    return replace(response, children=children, status=status, resync=response.resync if same_time else None)


def _without_time(name: str, value: object, uncompared: Uncompared) -> object:
    if name == "conditions" and isinstance(value, list):
        return [_without(item, "lastTransitionTime") for item in value if not _is_left_out(item, uncompared)]
    return _without(value, uncompared.times[name]) if name in uncompared.times else value


def _is_left_out(condition: object, uncompared: Uncompared) -> bool:
    # The type of a condition of another version may be of any type, also one without a hash.
    return isinstance(condition, dict) and any(condition.get("type") == name for name in uncompared.conditions)


def _without_annotations(child: Json, uncompared: Uncompared) -> Json:
    if "annotations" not in child["metadata"]:
        return child
    annotations = _without(child["metadata"]["annotations"], *uncompared.annotations)
    return {**child, "metadata": {**child["metadata"], "annotations": annotations}}


def _without(value: Any, *names: str) -> Any:  # noqa: ANN401 - a status of another version may have any shape
    if not isinstance(value, dict):
        return value
    return {key: inner for key, inner in value.items() if key not in names}


class PodsEffect(Enum):
    """What happens to the running Pods."""

    KEEP = "keep"
    RESTART = "restart"
    END = "end"


class ChildChange(msgspec.Struct, frozen=True):
    """A child that is added, removed, or changed at some paths."""

    change: str
    kind: str
    name: str
    paths: list[str] = msgspec.field(default_factory=list)


class Difference(msgspec.Struct, frozen=True):
    """What differs between two responses; a field without a difference has its default."""

    codes: tuple[int, int] | None = None
    """Status codes before and after, if one of the two is not 200."""
    children: list[ChildChange] = msgspec.field(default_factory=list)
    states: tuple[str, str] | None = None
    """State and reason before and after."""
    status: list[str] = msgspec.field(default_factory=list)
    """Paths in the status."""
    rules: list[str] = msgspec.field(default_factory=list)
    """Paths in the related rules."""
    resync: bool = False
    pods: PodsEffect = PodsEffect.KEEP

    def __bool__(self) -> bool:
        return self != Difference()


Structs = tuple[type[Object], ...]
"""Structs of the kinds of children that the hook declares."""


def compare_responses(recording: Recording, old: HookResponse, new: HookResponse, structs: Structs) -> Difference:
    if old.code != new.code or new.code != OK:
        codes = None if old.code == new.code else (old.code, new.code)
        pods = _pods_effect(recording, old, new, structs) if new.code == OK else PodsEffect.KEEP
        return Difference(codes=codes, pods=pods)
    keys = sorted({**old.children, **new.children})
    children = [change for key in keys if (change := _compare_child(key, recording, old, new))]
    return Difference(
        children=children,
        states=(old.state, new.state) if old.state != new.state else None,
        status=changed_paths(old.status, new.status, "status"),
        rules=changed_paths(old.rules, new.rules, "relatedResources"),
        resync=_differs(old.resync, new.resync),
        pods=_pods_effect(recording, old, new, structs) if children else PodsEffect.KEEP,
    )


def compare_with_observed(recording: Recording, new: HookResponse, structs: Structs) -> Difference:
    """Return what the response *new* changes in the observed children, and whether Ready is lost.

    The rest of the status is not compared: during a rollout it changes without a difference between versions.
    """
    if new.code != OK:
        return Difference(codes=(OK, new.code))
    if recording.parent["metadata"].get("deletionTimestamp"):
        return Difference()
    observed, last = recording.observed(), last_applied_children(recording.body, structs)
    keys = {**observed, **new.children}
    changes = [_apply_child(key, observed.get(key), last.get(key, {}), new.children.get(key)) for key in keys]
    status = recording.parent.get("status")
    old_state = HookResponse(OK, status=status if isinstance(status, dict) else {}).state
    is_lost = _is_ready(recording.parent) and old_state != new.state
    return Difference(
        children=[change for change in changes if change],
        states=(old_state, new.state) if is_lost else None,
        pods=_pods_effect(recording, None, new, structs),
    )


def _differs(old: object, new: object) -> bool:
    """Tell whether two times of the next sync differ. The hook counts seconds from a bit later than the recording."""
    if isinstance(old, int) and isinstance(new, int):
        return abs(old - new) > 1
    return old != new


def _compare_child(key: Identity, recording: Recording, old: HookResponse, new: HookResponse) -> ChildChange | None:
    """Return how a child differs. One that is only named stays as it is observed."""
    before, after = old.children.get(key), new.children.get(key)
    if before is None or after is None:
        return ChildChange("added" if after else "removed", *key)
    if is_bare(after):
        return None
    if is_bare(before):
        return _apply_child(key, recording.observed().get(key), {}, after)
    return _changed(key, before, after)


def _apply_child(key: Identity, observed: Json | None, last_applied: Json, desired: Json | None) -> ChildChange | None:
    if observed is None or desired is None:
        return ChildChange("added" if desired else "removed", *key)
    return _changed(key, as_stored(observed), apply_to(observed, last_applied, desired))


def _changed(key: Identity, before: Json, after: Json) -> ChildChange | None:
    paths = changed_paths(before, after, "")
    return ChildChange("changed", *key, paths) if paths else None


def _pods_effect(recording: Recording, old: HookResponse | None, new: HookResponse, structs: Structs) -> PodsEffect:
    if recording.hook != "sync" or recording.parent["metadata"].get("deletionTimestamp"):
        return PodsEffect.KEEP
    last = last_applied_children(recording.body, structs)
    deployments = {key: child for key, child in recording.observed().items() if key[0] == "Deployment"}
    effects = [_effect_on(key, observed, last, old, new) for key, observed in deployments.items()]
    return next((effect for effect in (PodsEffect.END, PodsEffect.RESTART) if effect in effects), PodsEffect.KEEP)


def _effect_on(
    key: Identity, observed: Json, last: dict[Identity, Json], old: HookResponse | None, new: HookResponse
) -> PodsEffect:
    if not has_pods(observed):
        return PodsEffect.KEEP
    before = old.children.get(key) if old else None
    after = new.children.get(key)
    if after is None:
        return PodsEffect.END
    last_applied = last.get(key) or (before if before and not is_bare(before) else {})
    now, with_new = as_stored(observed), apply_to(observed, last_applied, after)
    with_old = apply_to(observed, last_applied, before) if before else now
    restarts = restart_paths(now, with_new) and restart_paths(with_old, with_new)
    return PodsEffect.RESTART if restarts else PodsEffect.KEEP


def _is_ready(parent: Json) -> bool:
    """Tell whether Ready is True in the status of *parent*, for its present generation."""
    status = parent.get("status")
    listed = status.get("conditions") if isinstance(status, dict) else None
    conditions = [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
    expected = {"type": "Ready", "status": "True", "observedGeneration": parent["metadata"].get("generation")}
    return any(all(item.get(key) == value for key, value in expected.items()) for item in conditions)


class Comparison(msgspec.Struct, frozen=True):
    """A request, and how the responses to it differ; None if there was nothing to compare with."""

    recording: Recording
    difference: Difference | None

    @property
    def parent(self) -> str:
        metadata = self.recording.parent.get("metadata")
        known = metadata if isinstance(metadata, dict) else {}
        return f"{known.get('namespace')}/{known.get('name')}"


def compare(recording: Recording, now: datetime, other: Hook | None, version: HookVersion) -> Comparison:
    """Return how the responses to *recording* differ; raise InputError.

    With the hook of an *other* version, its response is the new one. Without, the response of *version* is the new one,
    and the old one is the recorded response or, if there is none, the observed children.
    """
    with name_file_in_errors(recording.file):
        if other:
            return Comparison(recording, _compare_versions(recording, now, other, version))
        return Comparison(recording, _compare_with_recorded(recording, now, version))


def _compare_versions(recording: Recording, now: datetime, other: Hook, version: HookVersion) -> Difference:
    old, new = (
        without_times(response, version.uncompared, same_time=False)
        for response in (version.respond(recording, now), other_response(recording, other, "--against"))
    )
    return compare_responses(recording, old, new, version.structs(recording))


def _compare_with_recorded(recording: Recording, now: datetime, version: HookVersion) -> Difference | None:
    same_time = recording.time is not None  # decide at the time of the recorded response
    new = without_times(version.respond(recording, recording.time or now), version.uncompared, same_time=same_time)
    recorded = _recorded_response(recording)
    if recorded:
        return compare_responses(
            recording, without_times(recorded, version.uncompared, same_time=same_time), new, version.structs(recording)
        )
    if new.code == MALFORMED:
        remedy = f"give what {program_name()} record wrote, or a request's body"
        message = f"{recording.file}: not a hook request: {new.broken_rule}; {remedy}"
        raise InputError(message)
    return compare_with_observed(recording, new, version.structs(recording)) if recording.hook == "sync" else None


def _recorded_response(recording: Recording) -> HookResponse | None:
    if recording.response is None and recording.status in (None, OK):
        return None
    try:
        return parse_response(recording.hook, recording.status or OK, recording.response)
    except UnreadableResponse as error:
        message = f"{recording.file}: its response is not one of a hook; record it again, or remove the response"
        raise InputError(message) from error


_MAX_PATHS = 4
"""Paths of a child that are printed as text; JSON has all."""

_PODS_WORDS = {PodsEffect.KEEP: [], PodsEffect.RESTART: ["RESTART"], PodsEffect.END: ["PODS END"]}


class Report(msgspec.Struct, frozen=True):
    """The comparisons, in the order of the requests. *noun* is what a parent is called."""

    comparisons: list[Comparison]
    noun: str = "parent"

    @property
    def different(self) -> list[Comparison]:
        return [item for item in self.comparisons if item.difference]

    def _count_compared(self) -> int:
        return sum(item.difference is not None for item in self.comparisons)

    def _parents(self, pods: PodsEffect) -> list[str]:
        return sorted({item.parent for item in self.different if item.difference and item.difference.pods is pods})

    def lines(self) -> list[str]:
        """Return a line for each request that differs, and the summary."""
        return [*(printable(_line(item)) for item in self.different), self.summary()]

    def summary(self) -> str:
        compared, different = self._count_compared(), len(self.different)
        skipped = len(self.comparisons) - compared
        restarts, ends = (len(self._parents(pods)) for pods in (PodsEffect.RESTART, PodsEffect.END))
        parts = [
            f"{counted(len(self.comparisons), 'request')}: {compared - different} the same",
            f"{different} {'differs' if different == 1 else 'differ'}",
            *([f"{skipped} not compared"] if skipped else []),
        ]
        pods = [
            *([f"Pods of {counted(restarts, self.noun)} would restart"] if restarts else ["no Pods restart"]),
            *([f"Pods of {counted(ends, self.noun)} would end"] if ends else []),
        ]
        return f"{', '.join(parts)}; {', '.join(pods)}"

    def json(self) -> Json:
        return {
            "requests": len(self.comparisons),
            "same": self._count_compared() - len(self.different),
            "differ": len(self.different),
            "notCompared": len(self.comparisons) - self._count_compared(),
            "restart": self._parents(PodsEffect.RESTART),
            "end": self._parents(PodsEffect.END),
            "differences": [_as_json(item, self.noun) for item in self.different],
        }


def _line(item: Comparison) -> str:
    return f"{item.recording.file}: {item.parent}: {'; '.join(_parts(item.difference or Difference()))}"


def _parts(difference: Difference) -> Iterator[str]:
    if difference.codes:
        yield "status code {} -> {}".format(*difference.codes)
    yield from (_child(change) for change in difference.children)
    if difference.states:
        yield "status {} -> {}".format(*difference.states)
    elif difference.status:
        yield _with_paths("status changed", [path.removeprefix("status.") for path in difference.status])
    if difference.rules:
        yield _with_paths("customize rules changed", difference.rules)
    if difference.resync:
        yield "resync changed"
    yield from _PODS_WORDS[difference.pods]


def _child(change: ChildChange) -> str:
    words = f"{change.kind} {change.name} {change.change}"
    return _with_paths(words, change.paths) if change.paths else words


def _with_paths(words: str, paths: list[str]) -> str:
    more = f" and {len(paths) - _MAX_PATHS} more" if len(paths) > _MAX_PATHS else ""
    return f"{words} ({', '.join(paths[:_MAX_PATHS])}{more})"


def _as_json(item: Comparison, noun: str) -> Json:
    difference = item.difference or Difference()
    children = [
        {"change": change.change, "kind": change.kind, "name": change.name, "paths": change.paths}
        for change in difference.children
    ]
    return {
        "file": item.recording.file,
        "hook": item.recording.hook,
        noun.lower(): item.parent,
        "statusCodes": list(difference.codes or []),
        "children": children,
        "states": list(difference.states or []),
        "status": difference.status,
        "rules": difference.rules,
        "resync": difference.resync,
        "pods": difference.pods.value,
    }
