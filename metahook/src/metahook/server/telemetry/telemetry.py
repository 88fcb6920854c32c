"""What happens to requests and connections goes to the log and to the metrics, and nowhere else.

Nothing of a request is in them, beyond the kind, namespace, name, uid and generation of its parent, and what the hook
puts in fields of its own.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from secrets import token_hex
from threading import Lock
from time import monotonic

from starlette.responses import Response

from metahook.protocol.request import Parent
from metahook.protocol.response import Summary
from metahook.server.refusal import FAILED, Refusal
from metahook.server.telemetry.hook_call import HookCall
from metahook.server.telemetry.log_event import LogEvent, Value
from metahook.server.telemetry.log_rate import LOG_RATE, LogRate
from metahook.server.telemetry.metrics import Metrics
from metahook.server.telemetry.refusals import Occurrences, RefusalCause, RefusalCauses

TICK = 5.0
"""Seconds between two looks for counts to write."""

log = logging.getLogger(__name__)


class Telemetry:
    """Writes the log of requests, and counts them in *metrics*. Any thread may use it.

    *log_rate* is the number of calls that are logged in a second, None for no calls at all; *hooks* are the paths of
    hooks; *new_id* makes the ids of refusals, *timer* returns seconds.
    """

    def __init__(
        self,
        log_rate: float | None = LOG_RATE,
        *,
        hooks: Collection[str] = (),
        metrics: Metrics | None = None,
        new_id: Callable[[], str] = lambda: token_hex(4),
        timer: Callable[[], float] = monotonic,
    ) -> None:
        self.metrics = metrics
        self._hooks = frozenset(hooks)
        self.timer = timer
        self.calls = 0
        self.refusals = 0
        self.omitted = 0
        """Calls that were left out of the log because there were too many."""
        self._untold = 0
        self._findings: set[str] = set()
        self._rate = LogRate(log_rate or 0, timer)
        self._logs_calls = log_rate is not None
        self._causes = RefusalCauses(timer, new_id)
        self._lock = Lock()

    def called(self, call: HookCall) -> None:
        """Report *call*. Its line is left out if there are too many, or if it is not known what the call is about."""
        if self.metrics:
            self.metrics.called(call)
        with self._lock:
            self.calls += 1
            self._write_due()
            if call.summary and call.summary.findings:
                self._write_findings(call.summary)
            if self._logs_calls and (parent := call.about) and log.isEnabledFor(logging.INFO):
                self._write_call(call, parent)

    def count_refusal(self, hook: str, refusal: Refusal, where: str = "") -> str:
        """Report *refusal* by *hook*, which is "" for other paths; return the id for the body of the response."""
        if self.metrics:
            self.metrics.refused(hook, refusal.status, refusal.limit)
        return self._occurred(RefusalCause(refusal.status, hook, refusal.message, refusal.limit, where))

    def refuse(self, refusal: Refusal, where: str = "") -> bytes:
        """Report *refusal* of a request that no app has got; return the body of the response."""
        return refusal.body(self.count_refusal("", refusal, where))

    def respond_refused(self, refusal: Refusal, path: str) -> Response:
        """Report *refusal* of a request for *path* that no hook has refused, and return the response."""
        # Clients choose other paths, and the log has nothing that they choose.
        return refusal.response(self.count_refusal(path if path in self._hooks else "", refusal))

    def closed(self, limit: str) -> None:
        """Report a connection that is closed without a response because of *limit*."""
        if self.metrics:
            self.metrics.closed(limit)
        self._occurred(RefusalCause(0, limit=limit))

    @asynccontextmanager
    async def writing_counts(self, every: float = TICK) -> AsyncIterator[None]:
        """Write counts when they are due until the block ends, also while nothing else happens."""
        ticking = asyncio.create_task(self._tick(every))
        try:
            yield
        finally:
            ticking.cancel()

    async def _tick(self, every: float) -> None:
        while True:
            await asyncio.sleep(every)
            with self._lock:
                self._write_due()

    def end(self) -> None:
        """Write what is counted and not written yet, before the process ends."""
        with self._lock:
            for found in self._causes.unreported():
                self._write(found)
            log.info(LogEvent("stopped", calls=self.calls, refusals=self.refusals, omitted=self.omitted))

    def _occurred(self, cause: RefusalCause) -> str:
        with self._lock:
            self.refusals += 1
            self._write_due()
            found, is_due = self._causes.add(cause)
            if is_due:
                self._write(found)
            return found.id

    def _write_due(self) -> None:
        for found in self._causes.due():
            self._write(found)

    def _write(self, found: Occurrences) -> None:
        cause = found.cause
        fields: dict[str, Value] = {
            "hook": cause.hook,
            "status": cause.status,
            "error": cause.error,
            "limit": cause.limit,
            "where": cause.where,
            "id": found.id if cause.status else "",
        }
        level = logging.ERROR if cause.status >= FAILED.status else logging.WARNING
        event = "request refused" if cause.status else "connection closed"
        log.log(level, LogEvent(event, **{name: value for name, value in fields.items() if value}, count=found.count))
        self._causes.written(found)

    def _write_findings(self, summary: Summary) -> None:
        """Write each finding about the installation at its first occurrence: all requests show it."""
        for finding in summary.findings:
            if finding.name not in self._findings:
                self._findings.add(finding.name)
                message = finding.message_about(decorator=summary.is_decorator)
                log.warning(LogEvent("wrong installation", finding=finding.name, message=message))

    def _write_call(self, call: HookCall, parent: Parent) -> None:
        if self._rate.take(is_notable=call.is_notable):
            log.info(call.line(parent, self._untold))
            self._untold = 0
        elif log.isEnabledFor(logging.DEBUG):
            log.debug(call.line(parent, 0))
        else:
            self.omitted += 1
            self._untold += 1
            if self.metrics:
                self.metrics.omitted(1)
