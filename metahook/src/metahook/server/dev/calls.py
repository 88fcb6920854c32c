"""The log of calls: each with its parent, its duration, what the response lists, and what differs from the last one."""

import logging
import traceback
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from threading import Lock
from time import perf_counter

import msgspec

from metahook.protocol.bodies import MalformedRequest
from metahook.protocol.controller import EncodedResponse, Handler
from metahook.protocol.gate import RefusedResponse
from metahook.protocol.objects import Json, printable
from metahook.protocol.request import Body, Parent, try_parent
from metahook.server.dev.response_lines import difference_lines, listed_children
from metahook.server.telemetry.log_event import LogEvent

MOST_RESPONSES = 100
"""Responses that are kept to compare with."""

MOST_LINES = 40
"""Lines of the difference of one call."""

_METAHOOK = Path(__file__).parents[2]
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


def log_calls(handlers: Mapping[str, Handler], *, timer: Callable[[], float] = perf_counter) -> dict[str, Handler]:
    """Return *handlers*, by path, that log each call and respond the same; *timer* returns seconds."""
    last = LastResponses()
    return {path: _logged(path, handler, last, timer) for path, handler in handlers.items()}


def _logged(path: str, handler: Handler, last: LastResponses, timer: Callable[[], float]) -> Handler:
    def respond_and_log(body: Body, now: datetime) -> EncodedResponse:
        begin = timer()
        try:
            response = handler(body, now)
        except BaseException as error:
            _log_call(path, body, error, timer() - begin, last)
            raise
        _log_call(path, body, response, timer() - begin, last)
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
            log.error(LogEvent(f"{printable(call)}: failed", error=_error_lines(outcome)))
    except Exception as error:  # noqa: BLE001 - the response is decided; its log must not change it
        log.warning("a call of %s could not be logged: %s", path, type(error).__name__)


def _named(parent: Parent) -> str:
    return f"{parent.namespace}/{parent.name}" if parent.namespace else parent.name


def _error_lines(error: BaseException) -> list[str]:
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
