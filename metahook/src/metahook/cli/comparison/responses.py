"""Responses of a hook to a recorded request: this version's, another version's, or the recorded one."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import msgspec

from metahook.cli.binding import Uncompared, words
from metahook.cli.errors import InputError
from metahook.cli.files.recordings import HookName, Identity, Recording
from metahook.protocol.bodies import MalformedRequest
from metahook.protocol.controller import Controller
from metahook.protocol.objects import Json, Object
from metahook.simulator.hook import Hook, Unreachable

OK, MALFORMED, UNAUTHORIZED, FAILED = 200, 400, 401, 500


class UnreadableResponse(ValueError):
    """Raised for a body that is not a response of a hook."""


@dataclass(frozen=True)
class HookResponse:
    """The parts of a response that are compared. One with another code than 200 changes nothing in a cluster."""

    code: int
    children: dict[Identity, Json] = field(default_factory=dict)
    status: Json = field(default_factory=dict)
    resync: object = None
    rules: list[Any] = field(default_factory=list)
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


@dataclass(frozen=True)
class HookVersion:
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
