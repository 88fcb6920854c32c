"""Responses of a hook to a recorded request: this version's, another version's, or the recorded one."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import msgspec

from app.cli.errors import InputError
from app.cli.files.recordings import HookName, Identity, Recording
from app.core.child_metadata import REPAIR_ANNOTATION
from app.core.controller import controller
from app.core.status.conditions import FOREIGN_FIELDS
from app.core.watch import Watch
from metahook import MalformedRequest
from metahook.simulator.hook import Hook, Unreachable

Json = dict[str, Any]

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
        """The status in two words: the state, and the reason of Ready."""
        listed = self.status.get("conditions")
        conditions = [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
        reason = next((item.get("reason") for item in conditions if item.get("type") == "Ready"), None)
        return f"{self.status.get('state')} {reason}"


def parse_response(hook: HookName, code: int, body: object) -> HookResponse:
    """Return the response of *hook* with the status *code* and the *body*; raise UnreadableResponse."""
    if code != OK:
        return HookResponse(code)
    if not isinstance(body, dict):
        raise UnreadableResponse
    if hook == "customize":
        return HookResponse(code, rules=_objects(body.get("relatedResources")))
    status = body.get("status")
    children = _objects(body.get("children"))
    if not isinstance(status, dict) or not all(isinstance(child.get("metadata"), dict) for child in children):
        raise UnreadableResponse
    by_identity = {(str(child.get("kind")), str(child["metadata"].get("name"))): child for child in children}
    return HookResponse(code, by_identity, status, body.get("resyncAfterSeconds"))


def _objects(value: object) -> list[Any]:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise UnreadableResponse
    return value


def own_response(recording: Recording, now: datetime, watch: Watch) -> HookResponse:
    """Return the response of this version, as the service sends it: with 500 for any failure."""
    try:
        if recording.hook == "customize":
            body = controller(watch).answer_customize(recording.body)
        else:
            body = controller(watch).answer_sync(recording.body, now)
    except MalformedRequest as error:
        return HookResponse(MALFORMED, broken_rule=str(error))
    except Exception:  # noqa: BLE001 - a replay finds bugs: report this one, and go on to the next request
        return HookResponse(FAILED)
    return parse_response(recording.hook, OK, msgspec.json.decode(body))


def other_response(recording: Recording, hook: Hook) -> HookResponse:
    """Return the response of *hook*, another version; raise InputError if it sends none."""
    try:
        reply = hook(recording.hook, recording.body)
        if reply.status in (OK, MALFORMED, FAILED):
            body = msgspec.json.decode(reply.body) if reply.status == OK else None
            return parse_response(recording.hook, reply.status, body)
        problem = f"--against: /{recording.hook} returns status {reply.status}"
        if reply.status == UNAUTHORIZED:
            message = f"{problem}; name the file with its token with --token-file"
            raise InputError(message)
    except Unreachable as error:
        message = f"{error}; serve the other version there, with: myresource serve"
        raise InputError(message) from error
    except (ValueError, RecursionError):
        problem = f"--against: /{recording.hook} returns something that is not a response of a hook"
    message = f"{problem}; give the URL of a hook, such as http://127.0.0.1:8080"
    raise InputError(message)


def without_times(response: HookResponse, *, same_time: bool) -> HookResponse:
    """Return *response* without its times; unless both are decided at the *same_time*, without what depends on it.

    Without ``override``, too: it is a record of times, and of managers, which a redacted request does not name.
    """
    status = {name: _without_time(name, value) for name, value in response.status.items() if name != "override"}
    if same_time:
        return replace(response, status=status)
    children = {key: _without_repair(child) for key, child in response.children.items()}
    return replace(response, children=children, status=status, resync=None)


def _without_time(name: str, value: object) -> object:
    if name == "conditions" and isinstance(value, list):
        return [_without(item, "lastTransitionTime") for item in value if not _is_about_owners(item)]
    return _without(value, "since") if name == "waiting" else value


def _is_about_owners(condition: object) -> bool:
    """Tell whether *condition* depends on ``managedFields``, which a recording leaves out."""
    return isinstance(condition, dict) and condition.get("type") == FOREIGN_FIELDS.type


def _without_repair(child: Json) -> Json:
    """Return *child* without the repair annotation, which changes every ten minutes."""
    annotations = child["metadata"].get("annotations")
    return {**child, "metadata": {**child["metadata"], "annotations": _without(annotations, REPAIR_ANNOTATION)}}


def _without(value: Any, name: str) -> Any:  # noqa: ANN401 - a status of another version may have any shape
    if not isinstance(value, dict):
        return value
    return {key: inner for key, inner in value.items() if key != name}
