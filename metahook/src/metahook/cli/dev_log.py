"""Development mode: the log of calls, with what differs from the last response to the same parent.

It changes no response of a hook, and is not for clusters. The log has names, paths of fields, and the values of the
status: a spec may hold what its author wants nobody to read over their shoulder. Of a Secret it has only the name and
the fields. The text of an exception is the exception: it has whatever the hook has put there.
"""

import logging
import traceback
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from itertools import chain
from pathlib import Path
from threading import Lock
from time import perf_counter

import msgspec
from msgspec import UNSET

from metahook.protocol.bodies import MalformedRequest
from metahook.protocol.controller import EncodedResponse, Handler
from metahook.protocol.gate import RefusedResponse
from metahook.protocol.objects import MERGE_KEYS, Change, Json, changed_paths, changes, object_or_empty, printable
from metahook.protocol.request import Body, Parent, try_parent
from metahook.server.logs import LogEvent

MOST_RESPONSES = 100
"""Responses that are kept to compare with."""

MOST_LINES = 40
"""Lines of the difference of one call."""

_METAHOOK = Path(__file__).parents[1]
"""The package, whose frames in a traceback say nothing about a hook."""

log = logging.getLogger(__name__)


class LastResponses:
    """The last response of a hook to a parent, for the latest calls: at most *most*.

    Any thread may use it: long requests are answered in threads.
    """

    def __init__(self, most: int = MOST_RESPONSES) -> None:
        self._most = most
        self._lock = Lock()
        self._responses: OrderedDict[tuple[str, str], bytes] = OrderedDict()

    def replace(self, path: str, uid: str, response: bytes) -> bytes | None:
        """Keep the *response* of the hook at *path* to the parent with *uid*; return the one before, or None."""
        with self._lock:
            before = self._responses.pop((path, uid), None)
            self._responses[path, uid] = response
            if len(self._responses) > self._most:
                self._responses.popitem(last=False)
        return before


def logging_calls() -> Callable[[str, Handler], Handler]:
    """Return what to serve around handlers by their paths: they log each call, and respond the same."""
    log.warning("development mode is on: the log shows names and the status of parents; do not use it in a cluster")
    last = LastResponses()
    return lambda path, handler: _logged(path, handler, last)


def _logged(path: str, handler: Handler, last: LastResponses) -> Handler:
    def respond_and_log(body: Body, now: datetime) -> EncodedResponse:
        begin = perf_counter()
        try:
            response = handler(body, now)
        except BaseException as error:
            _log_call(path, body, error, perf_counter() - begin, last)
            raise
        _log_call(path, body, response, perf_counter() - begin, last)
        return response

    return respond_and_log


def _log_call(
    path: str, body: Body, outcome: EncodedResponse | BaseException, seconds: float, last: LastResponses
) -> None:
    """Log the call with *body* at *path*, and its *outcome*."""
    try:
        parent = try_parent(body)
        if parent is None:
            return  # it names none, and the app logs why it is refused
        call = f"{path} {_named(parent)} generation {parent.generation} in {seconds * 1000:.1f} ms"
        if isinstance(outcome, EncodedResponse):
            words, lines = _described(outcome.body, last.replace(path, parent.uid, outcome.body))
            log.info(LogEvent(f"{printable(call)}: {words}", **outcome.summary.log, changes=lines))
        elif isinstance(outcome, MalformedRequest):
            log.info(LogEvent(f"{printable(call)}: refused"))
        else:
            log.error(LogEvent(f"{printable(call)}: failed", error=error_lines(outcome)))
    except Exception as error:  # noqa: BLE001 - the response is decided; its log must not change it
        log.warning("a call of %s could not be logged: %s", path, type(error).__name__)


def _named(parent: Parent) -> str:
    return f"{parent.namespace}/{parent.name}" if parent.namespace else parent.name


def error_lines(error: BaseException) -> list[str]:
    """Return what is wrong with a response that the gate refused; of another *error* its traceback and its text."""
    if isinstance(error, RefusedResponse):
        return [error.detail]
    frames = error.__traceback__
    while frames and frames.tb_next and Path(frames.tb_frame.f_code.co_filename).is_relative_to(_METAHOOK):
        frames = frames.tb_next
    lines = "".join(traceback.format_exception(type(error), error, frames)).splitlines()
    return [f"... {len(lines) - MOST_LINES} lines", *lines[-MOST_LINES:]] if len(lines) > MOST_LINES else lines


def _described(response: bytes, before: bytes | None) -> tuple[str, list[str]]:
    """Return what the *response* lists, and what is different from the one *before*, in lines."""
    new: Json = msgspec.json.decode(response)
    lines = difference_lines(msgspec.json.decode(before) if before else {}, new)
    change = "nothing to compare with" if before is None else "changed" if lines else "unchanged"
    more = [f"... and {len(lines) - MOST_LINES} more"] if len(lines) > MOST_LINES else []
    return "; ".join([*_contents(new), change]), [*lines[:MOST_LINES], *more]


def _contents(response: Json) -> Iterator[str]:
    """Yield what the *response* lists, such as ``1 Deployment, 2 ConfigMap``, and when the next sync is due."""
    if "relatedResources" in response:
        yield f"rules: {len(response['relatedResources'])}"
        return
    kinds = Counter(child["kind"] for child in listed_children(response))
    yield ", ".join(f"{count} {kind}" for kind, count in kinds.items()) or "no children"
    if "finalized" in response:
        yield "finalized" if response["finalized"] else "not finalized yet"
    if "resyncAfterSeconds" in response:
        yield f"resync in {response['resyncAfterSeconds']} s"


# The difference between two responses: + new, - gone, ~ changed

Identity = tuple[str, str, str, str]
"""Kind, namespace, name and API version of a child; the namespace is empty if the response names none."""

LONGEST = 240
"""Characters of a value that are shown."""

LONGEST_LINE = 600
"""Characters of a line: the name of a field can have any length."""

_KEYS = ("type", *MERGE_KEYS)
"""What identifies an item of a list of objects, to a reader."""

_SHOWN = {"labels": "object.labels", "annotations": "object.annotations", "status": "status"}
"""The fields of a response whose values are shown, with their paths."""


def difference_lines(old: Json, new: Json) -> list[str]:
    """Return what differs in the response *new*, of sync or of customize; *old* is empty if there is none.

    The time of the next sync is left out: it differs in every response that counts down to a moment.
    """
    shown = (
        changes(object_or_empty(old.get(name)), object_or_empty(new.get(name)), path, keys=_KEYS)
        for name, path in _SHOWN.items()
    )
    lines = [
        *_child_lines(_children(old), _children(new)),
        *_rule_lines(old.get("relatedResources", []), new.get("relatedResources", [])),
        *map(_value_line, chain.from_iterable(shown)),
    ]
    return [printable(_cut(line, LONGEST_LINE)) for line in lines]


def listed_children(response: Json) -> list[Json]:
    """Return the children in a response of a controller, or the attachments in one of a decorator."""
    children: list[Json] = response.get("children") or response.get("attachments") or []
    return children


def _children(response: Json) -> dict[Identity, Json]:
    return {
        (child["kind"], child["metadata"].get("namespace") or "", child["metadata"]["name"], child["apiVersion"]): child
        for child in listed_children(response)
    }


def _child_lines(old: dict[Identity, Json], new: dict[Identity, Json]) -> Iterator[str]:
    names = Counter((kind, name) for kind, _, name, _ in {*old, *new})
    ambiguous = {name for name, count in names.items() if count > 1}
    for identity in sorted({*old, *new}):
        kind, namespace, name, _ = identity
        name = f"{namespace}/{name}" if namespace and (kind, name) in ambiguous else name
        if identity not in old or identity not in new:
            yield f"{'+' if identity in new else '-'} {kind} {name}"
        else:
            before, after = (_comparable(children[identity]) for children in (old, new))
            yield from (f"~ {kind} {name}: {path}" for path in changed_paths(before, after, "", keys=_KEYS))


def _comparable(child: Json) -> Json:
    """Return *child*; of a Secret with each field in one piece, so that a path does not name what is in it."""
    if child["kind"] != "Secret":
        return child
    return {field: msgspec.json.encode(value, order="sorted") for field, value in child.items()}


def _rule_lines(old: Iterable[Json], new: Iterable[Json]) -> Iterator[str]:
    before, after = ({msgspec.json.encode(rule, order="sorted"): rule for rule in rules} for rules in (old, new))
    yield from (f"- rule {_rule(before[key])}" for key in before if key not in after)
    yield from (f"+ rule {_rule(after[key])}" for key in after if key not in before)


def _rule(rule: Json) -> str:
    """Return a related rule in short, such as ``configmaps settings`` or ``pods by labels``."""
    selected = ", ".join(rule["names"]) if rule.get("names") else "by labels" if "labelSelector" in rule else "all"
    return f"{rule['resource']} {selected}"


def _value_line(change: Change) -> str:
    if change.new is UNSET:
        return f"- {change.path}"
    if change.old is UNSET:
        return f"+ {change.path}: {_text(change.new)}"
    return f"~ {change.path}: {_text(change.old)} -> {_text(change.new)}"


def _text(value: object) -> str:
    text = value if isinstance(value, str) else msgspec.json.encode(value, order="sorted").decode()
    return _cut(text, LONGEST)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}..."
