"""What happens to requests goes to the log and to the metrics, and nowhere else.

Nothing of a request is in them, beyond the kind, namespace, name, uid and generation of its parent, the controller's
reasons, and what the hook puts in fields of its own. Each label of a metric has a bounded set of values.
"""

import asyncio
import logging
import platform
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from secrets import token_hex
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    disable_created_metrics,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

from metahook.protocol.request import Parent
from metahook.protocol.response import Summary
from metahook.server.logs import LogEvent, Value
from metahook.server.options import KIB, LOG_RATE, NAMES, ServerOptions
from metahook.server.refusals import FAILED, Refusal

if TYPE_CHECKING:
    from metahook.server.calls import HookCalls

disable_created_metrics()  # type: ignore[no-untyped-call] # else each series has a second one, with the time of its first change

M = TypeVar("M", Counter, Histogram)

PREFIX = "metahook_"
CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
"""The media type of ``Metrics.text``."""

OTHER = "other"
"""Stands for a path that is not a hook's: clients choose others, and each value of a label stays in memory."""

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
SIZES = tuple(KIB * 4**power for power in range(9))
"""Bytes: 1 KiB, 4 KiB, ... 64 MiB."""

SLOW = 1.0
"""Seconds of a call whose line is written rather than those of others."""

log = logging.getLogger(__name__)


class HookCall(NamedTuple):
    """A call of a hook, once it is answered."""

    hook: str
    """The path, such as ``/sync``."""
    status: int
    request_bytes: int
    """Of the body; 0 if it was not received."""
    response_bytes: int
    seconds: float
    """From the call of the route to its response: with the time to receive the body."""
    limit: str = ""
    """The limit that refused it, by the name of its setting; "" for none."""
    id: str = ""
    """What the body of a refusal names, and the log has; "" for a 200."""
    summary: Summary | None = None
    """None if no response was decided."""
    parent: Parent | None = None
    """The parent for which the hook failed, if it is known."""

    @property
    def is_notable(self) -> bool:
        """Whether its line goes before those of others: it failed or was slow, or the reason of Ready changes."""
        decided = self.summary
        is_transition = decided is not None and decided.rules is None and decided.reason != decided.reason_before
        return decided is None or is_transition or self.seconds > SLOW

    def line(self, parent: Parent, omitted: int) -> LogEvent:
        """Return its line of the log, about *parent*; *omitted* is the number of calls before it without one."""
        decided: dict[str, Value] = {}
        if self.summary:
            names = ("reason_before", "reason", "children", "kept") if self.summary.rules is None else ("rules",)
            decided = {name: getattr(self.summary, name) for name in names}
        optional: dict[str, Value] = {"limit": self.limit, "id": self.id, "omitted": omitted}
        return LogEvent(
            "hook called",
            hook=self.hook,
            **({"kind": parent.kind} if parent.kind else {}),
            namespace=parent.namespace,
            name=parent.name,
            uid=parent.uid,
            generation=parent.generation,
            **decided,
            bytes_in=self.request_bytes,
            bytes_out=self.response_bytes,
            ms=round(self.seconds * 1000, 2),
            status=self.status,
            **(self.summary.log if self.summary else {}),
            **{name: value for name, value in optional.items() if value},
        )


@dataclass(frozen=True)
class Family:
    """A metric, with all of its series."""

    name: str
    type: str
    labels: tuple[str, ...]
    text: str


class _Series(dict[tuple[str, ...], M], Generic[M]):
    """The series of a metric by their labels. To look one up in the metric takes as long as to count."""

    def __init__(self, metric: M) -> None:
        self._metric: M = metric

    def __missing__(self, labels: tuple[str, ...]) -> M:
        series: M = self._metric.labels(*labels) if labels else self._metric
        self[labels] = series
        return series


class Metrics:
    """The metrics of one server, for Prometheus, in a registry of its own. Any thread may call the methods."""

    def __init__(self, hooks: Collection[str], options: ServerOptions) -> None:
        """Start at zero; *hooks* are their paths. Raise ValueError if two collectors have one name."""
        self.registry = CollectorRegistry()
        self.families: list[Family] = []
        self._hooks = frozenset(hooks)
        counter, gauge, histogram = self._counter, self._gauge, self._histogram
        text = "Calls that reached a hook, by status code. Others are among the refusals."
        self._calls = counter("calls", text, "hook", "code")
        self._seconds = histogram("call_duration_seconds", "Time from the head of a request to its response.", SECONDS)
        text = "Size of the bodies of requests; 0 if it was not received."
        self._request = histogram("request_size_bytes", text, SIZES)
        self._response = histogram("response_size_bytes", "Size of the bodies of responses.", SIZES)
        text = "Responses other than 200, by the limit that was exceeded."
        self._refusals = counter("refusals", text, "hook", "code", "limit")
        self._syncs = counter("syncs", "Syncs, by the reason of the computed Ready condition.", "hook", "reason")
        text = "Syncs that changed the reason of the Ready condition."
        self._transitions = counter("reason_transitions", text, "hook", "before", "after")
        self._children = counter("children_listed", "Children that the responses to syncs listed.", "hook")
        self._kept = counter("kept_syncs", "Syncs that kept children as they were last applied.", "hook")
        text = "Calls that showed what is wrong with the installation."
        self._findings = counter("installation_findings", text, "hook", "finding")
        text = "Hook calls that are received and not yet answered, and late ones."
        self._in_flight = gauge("calls_in_flight", text)
        text = "Hook calls that got 503 for decide_timeout, and whose function still runs, in a thread."
        self._late = gauge("calls_late", text)
        self.connections = gauge("connections", "Open connections to the hooks.")
        text = "Connections that were closed without a response."
        self._closed = counter("connections_closed", text, "limit")
        text = "Lines that were left out of the log: there were too many, or nothing reads them."
        self._omitted = counter("log_lines_omitted", text)
        build = gauge("build_info", "The versions of the hook and of Python; always 1.", "version", "python")
        build.labels(options.version, platform.python_version()).set(1)
        settings = gauge("limit", "The limits, by name, in bytes, seconds or as a number.", "limit")
        for name in NAMES:
            settings.labels(name).set(getattr(options.limits, name))
        text = "Files that have changed and can't be used, so that what was read before stays in use."
        files = gauge("unusable_files", text, "files")
        for name, watched in (("certificates", options.certificates), ("tokens", options.tokens)):
            if watched:
                files.labels(name).set_function(partial(getattr, watched, "unusable"))
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=self.registry)
        for own in options.collectors:
            self.registry.register(own)

    def _counter(self, name: str, text: str, *labels: str) -> _Series[Counter]:
        self.families.append(Family(f"{PREFIX}{name}_total", "counter", labels, text))
        return _Series(Counter(PREFIX + name, text, labels, registry=self.registry))

    def _gauge(self, name: str, text: str, *labels: str) -> Gauge:
        self.families.append(Family(PREFIX + name, "gauge", labels, text))
        return Gauge(PREFIX + name, text, labels, registry=self.registry)

    def _histogram(self, name: str, text: str, buckets: tuple[float, ...]) -> _Series[Histogram]:
        self.families.append(Family(PREFIX + name, "histogram", ("hook",), text))
        return _Series(Histogram(PREFIX + name, text, ("hook",), registry=self.registry, buckets=buckets))

    def measure(self, calls: "HookCalls") -> None:
        """Ask *calls* for the numbers of calls in flight and late ones whenever the metrics are read."""
        self._in_flight.set_function(lambda: calls.in_flight + calls.threads.late)
        self._late.set_function(lambda: calls.threads.late)

    def called(self, call: HookCall) -> None:
        """Count *call*."""
        hook = self._known(call.hook)
        self._calls[hook, str(call.status)].inc()
        self._seconds[hook,].observe(call.seconds)
        self._request[hook,].observe(call.request_bytes)
        self._response[hook,].observe(call.response_bytes)
        if not call.summary:
            return
        for finding in call.summary.findings:
            self._findings[hook, finding.name].inc()
        if call.summary.rules is None:
            self._synced(hook, call.summary)

    def _synced(self, hook: str, summary: Summary) -> None:
        self._syncs[hook, summary.reason].inc()
        if summary.reason != summary.reason_before:
            self._transitions[hook, summary.reason_before, summary.reason].inc()
        self._children[hook,].inc(summary.children)
        self._kept[hook,].inc(1 if summary.kept else 0)  # also the first time, so that there is a series for its rate

    def refused(self, path: str, refusal: Refusal) -> None:
        """Count *refusal* of a request to a path."""
        self._refusals[self._known(path), str(refusal.status), refusal.limit or "none"].inc()

    def closed(self, limit: str) -> None:
        """Count a connection that *limit* closed without a response."""
        self._closed[limit,].inc()

    def omitted(self, lines: int) -> None:
        """Count *lines* that were left out of the log."""
        self._omitted[()].inc(lines)

    def text(self) -> bytes:
        """Return all metrics, in the text format of Prometheus."""
        return generate_latest(self.registry)

    def _known(self, path: str) -> str:
        return path if path in self._hooks else OTHER


# Refusals: the first request that is refused for a cause gets a line, the next ones are counted.

WINDOW = 60.0
"""Seconds from a line to the next one of the same cause."""

FORGET = 3600.0
"""Seconds for which a cause keeps its id after the last refusal. Metacontroller tries again within 17 minutes."""

MOST = 200
"""Causes that are told apart. Others count as one: a client must not fill memory, or the log."""


class Cause(NamedTuple):
    """Why requests are refused, or connections closed. All of it is constant text, or a place in the code."""

    hook: str
    """The path of the hook; "" for any other."""
    status: int
    """0 for a connection that is closed without a response."""
    error: str = ""
    """The message of the response."""
    limit: str = ""
    where: str = ""
    """Where in the code it failed."""


@dataclass
class Occurrences:
    """How often a cause occurred. All responses to it have one id: Kubernetes counts Events with one text as one."""

    id: str
    last: float
    count: int = 0
    """Since the last line."""
    written: float = float("-inf")


class Telemetry:
    """Writes the log of requests, and counts them in *metrics*. Any thread may use it.

    *log_rate* is the number of calls that are logged in a second, None for no calls at all; *hooks* are the paths of
    hooks; *new_id* makes the ids of refusals, *timer* returns seconds.
    """

    def __init__(
        self,
        log_rate: float | None = LOG_RATE,
        hooks: Collection[str] = (),
        metrics: Metrics | None = None,
        *,
        new_id: Callable[[], str] = lambda: token_hex(4),
        timer: Callable[[], float] = monotonic,
    ) -> None:
        self.metrics = metrics
        self.timer = timer
        self.calls = self.refusals = self.omitted = 0
        """Those that were left out of the log because there were too many are omitted."""
        self._untold = 0
        self._hooks = frozenset(hooks)
        self._new_id = new_id
        self._findings: set[str] = set()
        self._rate = log_rate
        self._room = 2 * (log_rate or 0)
        self._room_at = self._next_due = timer()
        self._causes: dict[Cause, Occurrences] = {}
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
            parent = call.summary.parent if call.summary else call.parent
            if parent and self._rate is not None and log.isEnabledFor(logging.INFO):
                self._write_call(call, parent)

    def refused(self, refusal: Refusal, path: str = "", where: str = "") -> str:
        """Report *refusal* of a request for *path*; return the id for the body of the response."""
        if self.metrics:
            self.metrics.refused(path, refusal)
        # Clients choose other paths, and the log has nothing that they choose.
        hook = path if path in self._hooks or not self._hooks else ""
        return self._occurred(Cause(hook, refusal.status, refusal.message, refusal.limit, where))

    def closed(self, limit: str) -> None:
        """Report a connection that is closed without a response because of *limit*."""
        if self.metrics:
            self.metrics.closed(limit)
        self._occurred(Cause("", 0, limit=limit))

    @asynccontextmanager
    async def writing_counts(self, every: float = 5) -> AsyncIterator[None]:
        """Write counts when they are due until the block ends, also while nothing else happens; then all of them."""

        async def tick() -> None:
            while True:
                await asyncio.sleep(every)
                with self._lock:
                    self._write_due()

        ticking = asyncio.create_task(tick())
        try:
            yield
        finally:
            ticking.cancel()
            self.end()

    def end(self) -> None:
        """Write what is counted and not written yet, before the process ends."""
        with self._lock:
            for cause, found in self._causes.items():
                if found.count:
                    self._write(cause, found)
            log.info(LogEvent("stopped", calls=self.calls, refusals=self.refusals, omitted=self.omitted))

    def _occurred(self, cause: Cause) -> str:
        with self._lock:
            self.refusals += 1
            self._write_due()
            now = self.timer()
            if cause not in self._causes and len(self._causes) >= MOST:
                cause = Cause("", cause.status, "other causes")
            found = self._causes.setdefault(cause, Occurrences(self._new_id(), now))
            found.count, found.last = found.count + 1, now
            if now - found.written >= WINDOW:
                self._write(cause, found)
            return found.id

    def _write_due(self) -> None:
        """Write about causes that no line has reported for long, at most once in a while; forget old ones."""
        now = self.timer()
        if now < self._next_due:  # this is called for each request
            return
        self._next_due = now + WINDOW
        for cause, found in list(self._causes.items()):
            if found.count and now - found.written >= WINDOW:
                self._write(cause, found)
            elif now - found.last >= FORGET:
                del self._causes[cause]

    def _write(self, cause: Cause, found: Occurrences) -> None:
        fields: dict[str, Value] = {**cause._asdict(), "id": found.id if cause.status else ""}
        level = logging.ERROR if cause.status >= FAILED.status else logging.WARNING
        event = "request refused" if cause.status else "connection closed"
        log.log(level, LogEvent(event, **{name: value for name, value in fields.items() if value}, count=found.count))
        found.count, found.written = 0, self.timer()

    def _write_findings(self, summary: Summary) -> None:
        """Write each finding about the installation at its first occurrence: all requests show it."""
        for finding in summary.findings:
            if finding.name not in self._findings:
                self._findings.add(finding.name)
                message = finding.message_about(decorator=summary.is_decorator)
                log.warning(LogEvent("wrong installation", finding=finding.name, message=message))

    def _write_call(self, call: HookCall, parent: Parent) -> None:
        if self._has_room(is_notable=call.is_notable):
            log.info(call.line(parent, self._untold))
            self._untold = 0
        elif log.isEnabledFor(logging.DEBUG):
            log.debug(call.line(parent, 0))
        else:
            self.omitted += 1
            self._untold += 1
            if self.metrics:
                self.metrics.omitted(1)

    def _has_room(self, *, is_notable: bool) -> bool:
        """Tell whether the log has room for a line, and take it.

        It has so many lines a second on average, and up to two seconds' worth at once, of which the second half is for
        notable lines.
        """
        now, rate = self.timer(), self._rate or 0
        self._room = min(2 * rate, self._room + (now - self._room_at) * rate)
        self._room_at = now
        if self._room < (1 if is_notable else 1 + rate):
            return False
        self._room -= 1
        return True
