"""Answers: what a hook said to a request, as far as it is compared."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import msgspec

from app.cli.files.recordings import Hook, Identity, Recording
from app.core.child_metadata import REPAIR_ANNOTATION
from app.core.controller import controller
from app.core.watch import Watch
from metahook import MalformedRequest

Json = dict[str, Any]

OK, MALFORMED, FAILED = 200, 400, 500


class NotAnAnswer(ValueError):
    """Raised for what no hook answers."""


@dataclass(frozen=True)
class Answer:
    """An answer; one with another code than 200 changes nothing in a cluster."""

    code: int
    children: dict[Identity, Json] = field(default_factory=dict)
    status: Json = field(default_factory=dict)
    resync: object = None
    rules: list[Any] = field(default_factory=list)

    @property
    def said(self) -> str:
        """The status in two words: the state, and the reason of Ready."""
        conditions = self.status.get("conditions")
        found = [item for item in conditions if isinstance(item, dict)] if isinstance(conditions, list) else []
        reason = next((item.get("reason") for item in found if item.get("type") == "Ready"), None)
        return f"{self.status.get('state')} {reason}"


def answer(hook: Hook, code: int, body: object) -> Answer:
    """Return the answer of *hook* that *body* is; raise NotAnAnswer."""
    if code != OK:
        return Answer(code)
    if not isinstance(body, dict):
        raise NotAnAnswer
    if hook == "customize":
        rules = body.get("relatedResources")
        return Answer(code, rules=_objects(rules))
    status = body.get("status")
    children = _objects(body.get("children"))
    if not isinstance(status, dict) or not all(isinstance(child.get("metadata"), dict) for child in children):
        raise NotAnAnswer
    named = {(str(child.get("kind")), str(child["metadata"].get("name"))): child for child in children}
    return Answer(code, named, status, body.get("resyncAfterSeconds"))


def _objects(value: object) -> list[Any]:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise NotAnAnswer
    return value


def ours(recording: Recording, now: datetime, watch: Watch) -> Answer:
    """Return what this version answers, and as the service would: with 500 if it fails, whatever the reason."""
    try:
        if recording.hook == "customize":
            said = controller(watch).answer_customize(recording.body)
        else:
            said = controller(watch).answer_sync(recording.body, now)
    except MalformedRequest:
        return Answer(MALFORMED)
    except Exception:  # noqa: BLE001 - a bug is what a replay is to find; the other requests have their answers
        return Answer(FAILED)
    return answer(recording.hook, OK, msgspec.json.decode(said))


def timeless(given: Answer, *, same_time: bool) -> Answer:
    """Return *given* without what says when it was decided, and, unless at the *same_time*, what follows from that."""
    status = {field_name: _timeless(field_name, value) for field_name, value in given.status.items()}
    if same_time:
        return Answer(given.code, given.children, status, given.resync, given.rules)
    children = {key: _unrepaired(child) for key, child in given.children.items()}
    return Answer(given.code, children, status, rules=given.rules)


def _timeless(field_name: str, value: object) -> object:
    if field_name == "conditions" and isinstance(value, list):
        return [_without(item, "lastTransitionTime") for item in value]
    return _without(value, "since") if field_name == "waiting" else value


def _unrepaired(child: Json) -> Json:
    """Return *child* without the annotation that moves every ten minutes."""
    annotations = child["metadata"].get("annotations")
    return {**child, "metadata": {**child["metadata"], "annotations": _without(annotations, REPAIR_ANNOTATION)}}


def _without(value: Any, field_name: str) -> Any:  # noqa: ANN401 - a status of another version may hold anything
    if not isinstance(value, dict):
        return value
    return {name: inner for name, inner in value.items() if name != field_name}
