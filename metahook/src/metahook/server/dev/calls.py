"""The log of calls: each with its parent, its duration, what the response lists, and what differs from the last one."""

import logging
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from threading import Lock
from time import perf_counter
from typing import Any

import msgspec

from metahook.protocol import Body, CustomizeRequest, MalformedRequest
from metahook.protocol.controller import Answer, Hook
from metahook.protocol.printable import printable
from metahook.protocol.wire import MIB
from metahook.server.dev.response_lines import difference_lines
from metahook.server.telemetry.log_event import LogEvent

Json = dict[str, Any]

MOST_RESPONSES = 100
MOST_BYTES = 16 * MIB
"""Responses that are kept to compare with, and their length together."""

MOST_LINES = 40
"""Lines of the difference of one call."""

log = logging.getLogger(__name__)


class LastResponses:
    """The last response of a hook to a parent, for the latest calls: at most *most*, of *most_bytes* together.

    Any thread may use it: long requests are answered in threads.
    """

    def __init__(self, most: int = MOST_RESPONSES, most_bytes: int = MOST_BYTES) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self.total_bytes = 0
        self._lock = Lock()
        self._responses: OrderedDict[tuple[str, str], bytes] = OrderedDict()

    def replace(self, path: str, uid: str, response: bytes) -> bytes | None:
        """Keep the *response* of the hook at *path* to the parent with *uid*; return the one before, or None."""
        with self._lock:
            before = self._responses.pop((path, uid), None)
            self._responses[path, uid] = response
            self.total_bytes += len(response) - len(before or b"")
            while len(self._responses) > self._most or self.total_bytes > self._most_bytes:
                self.total_bytes -= len(self._responses.popitem(last=False)[1])
        return before

    def __len__(self) -> int:
        return len(self._responses)


def log_calls(hooks: Mapping[str, Hook], *, timer: Callable[[], float] = perf_counter) -> dict[str, Hook]:
    """Return *hooks*, by path, that log each call and answer the same; *timer* returns seconds."""
    last = LastResponses()
    return {path: _logged(path, hook, last, timer) for path, hook in hooks.items()}


def _logged(path: str, hook: Hook, last: LastResponses, timer: Callable[[], float]) -> Hook:
    def answer_and_log(body: Body, now: datetime) -> Answer:
        begin = timer()
        outcome: bytes | str = "failed"
        try:
            answer = hook(body, now)
            outcome = answer.body
        except MalformedRequest:
            outcome = "refused"
            raise
        finally:
            _log_call(path, body, outcome, timer() - begin, last)
        return answer

    return answer_and_log


def _log_call(path: str, body: Body, outcome: bytes | str, seconds: float, last: LastResponses) -> None:
    """Log the call with *body* at *path*; *outcome* is the response, or a word if there is none."""
    try:
        parent = CustomizeRequest.decode(body).parent
        call = f"{path} {parent.namespace}/{parent.name} generation {parent.generation} in {seconds * 1000:.1f} ms"
        changes: list[str] = []
        if isinstance(outcome, bytes):
            outcome, changes = _described(outcome, last.replace(path, parent.uid, outcome))
        log.info(LogEvent(f"{printable(call)}: {outcome}", changes=changes))
    except MalformedRequest:
        pass  # it names no parent, and the app logs why it is refused
    except Exception as error:  # noqa: BLE001 - the response is decided; its log must not change it
        log.warning("a call of %s could not be logged: %s", path, type(error).__name__)


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
    kinds = Counter(child["kind"] for child in response["children"])
    yield ", ".join(f"{count} {kind}" for kind, count in kinds.items()) or "no children"
    if "resyncAfterSeconds" in response:
        yield f"resync in {response['resyncAfterSeconds']} s"
