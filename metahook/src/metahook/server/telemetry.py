"""What happens to requests goes to the log and to the metrics, and nowhere else.

Nothing of a request is in them, beyond the kind, namespace, name, uid and generation of its parent, the controller's
reasons, and what the hook puts in fields of its own. Each label of a metric has a bounded set of values.
"""

import logging
import platform
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

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
from metahook.server.options import KIB, LIMIT_NAMES, ServerOptions
from metahook.server.refusals import FAILED, Refusal

if TYPE_CHECKING:
    from metahook.server.calls import HookCalls

disable_created_metrics()  # type: ignore[no-untyped-call] # else each series has a second one, with the time of its first change

PREFIX = "metahook_"
CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
"""The media type of ``Metrics.text``."""

OTHER = "other"
"""Stands for a path that is not a hook's: clients choose others, and each value of a label stays in memory."""

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
SIZES = tuple(KIB * 4**power for power in range(9))
"""Bytes: 1 KiB, 4 KiB, ... 64 MiB."""

SLOW = 1.0
"""Seconds from which a call is slow."""

PAUSE = 60.0
"""Seconds between two lines about one cause."""

MOST = 1000
"""Causes that are told apart."""

log = logging.getLogger(__name__)


def path_of(scope: Mapping[str, Any]) -> str:
    """Return the path of a request in the app, which may be mounted at another path."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


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
        """Whether it failed or was slow, or changes the reason of Ready. Other calls have a line at level debug."""
        decided = self.summary
        is_transition = decided is not None and decided.rules is None and decided.reason != decided.reason_before
        return decided is None or is_transition or self.seconds > SLOW

    def line(self, parent: Parent) -> LogEvent:
        """Return its line of the log, about *parent*."""
        decided: dict[str, Value] = {}
        if self.summary:
            names = ("reason_before", "reason", "children", "kept") if self.summary.rules is None else ("rules",)
            decided = {name: getattr(self.summary, name) for name in names}
        optional: dict[str, Value] = {"limit": self.limit, "id": self.id}
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
        text = "Responses other than 200, by the limit that was exceeded."
        self._refusals = counter("refusals", text, "hook", "code", "limit")
        self._syncs = counter("syncs", "Syncs, by the reason of the computed Ready condition.", "hook", "reason")
        text = "Syncs that changed the reason of the Ready condition."
        self._transitions = counter("reason_transitions", text, "hook", "before", "after")
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
        self._add_options(options)
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=self.registry)
        for own in options.collectors:
            self.registry.register(own)

    def _add_options(self, options: ServerOptions) -> None:
        build = self._gauge("build_info", "The versions of the hook and of Python; always 1.", "version", "python")
        build.labels(options.version, platform.python_version()).set(1)
        limits = self._gauge("limit", "The limits, by name, in bytes, seconds or as a number.", "limit")
        for name in LIMIT_NAMES:
            limits.labels(name).set(getattr(options.limits, name))
        text = "Files that have changed and can't be used, so that what was read before stays in use."
        files = self._gauge("unusable_files", text, "files")
        for name, watched in (("certificates", options.certificates), ("tokens", options.tokens)):
            if watched:
                files.labels(name).set_function(watched.count_unusable)

    def _counter(self, name: str, text: str, *labels: str) -> Callable[..., Counter]:
        self.families.append(Family(f"{PREFIX}{name}_total", "counter", labels, text))
        return cache(Counter(PREFIX + name, text, labels, registry=self.registry).labels)

    def _gauge(self, name: str, text: str, *labels: str) -> Gauge:
        self.families.append(Family(PREFIX + name, "gauge", labels, text))
        return Gauge(PREFIX + name, text, labels, registry=self.registry)

    def _histogram(self, name: str, text: str, buckets: tuple[float, ...]) -> Callable[..., Histogram]:
        self.families.append(Family(PREFIX + name, "histogram", ("hook",), text))
        return cache(Histogram(PREFIX + name, text, ("hook",), registry=self.registry, buckets=buckets).labels)

    def measure(self, calls: "HookCalls") -> None:
        """Ask *calls* for the numbers of calls in flight and late ones whenever the metrics are read."""
        self._in_flight.set_function(lambda: calls.in_flight + calls.threads.late)
        self._late.set_function(lambda: calls.threads.late)

    def called(self, call: HookCall) -> None:
        """Count *call*."""
        hook = self._known(call.hook)
        self._calls(hook, str(call.status)).inc()
        self._seconds(hook).observe(call.seconds)
        self._request(hook).observe(call.request_bytes)
        if not call.summary:
            return
        for finding in call.summary.findings:
            self._findings(hook, finding.name).inc()
        if call.summary.rules is None:
            self._synced(hook, call.summary)

    def _synced(self, hook: str, summary: Summary) -> None:
        self._syncs(hook, summary.reason).inc()
        if summary.reason != summary.reason_before:
            self._transitions(hook, summary.reason_before, summary.reason).inc()
        kept = self._kept(hook)  # also while there are none, so that there is a series for its rate
        if summary.kept:
            kept.inc()

    def refused(self, path: str, refusal: Refusal) -> None:
        """Count *refusal* of a request to a path."""
        self._refusals(self._known(path), str(refusal.status), refusal.limit or "none").inc()

    def closed(self, limit: str) -> None:
        """Count a connection that *limit* closed without a response."""
        self._closed(limit).inc()

    def text(self) -> bytes:
        """Return all metrics, in the text format of Prometheus."""
        return generate_latest(self.registry)

    def _known(self, path: str) -> str:
        return path if path in self._hooks else OTHER


class Telemetry:
    """Writes the log of requests, and counts them in *metrics*. Any thread may use it.

    The log has no paths but those of *hooks*, if there are any. A cause for which requests are refused, or connections
    closed, has at most one line in a minute.
    """

    def __init__(self, hooks: Collection[str] = (), metrics: Metrics | None = None, *, logs_calls: bool = True) -> None:
        self.metrics = metrics
        self._logs_calls = logs_calls
        self._hooks = frozenset(hooks)
        self._findings: set[str] = set()
        self._logged: dict[str, float] = {}
        """When each cause had its last line."""

    def called(self, call: HookCall) -> None:
        """Report *call*. It has no line if it is not known what it is about: its refusal has one."""
        if self.metrics:
            self.metrics.called(call)
        if call.summary and call.summary.findings:
            self._log_findings(call.summary)
        parent = call.summary.parent if call.summary else call.parent
        level = logging.INFO if call.is_notable else logging.DEBUG
        if parent and self._logs_calls and log.isEnabledFor(level):
            log.log(level, call.line(parent))

    def refused(self, refusal: Refusal, path: str = "", where: str = "") -> str:
        """Report *refusal* of a request for *path*, which failed at *where* in the code; return the id for its body."""
        if self.metrics:
            self.metrics.refused(path, refusal)
        # Clients choose other paths, and the log has nothing that they choose.
        hook = path if path in self._hooks or not self._hooks else ""
        fields: dict[str, Value] = {"hook": hook, "status": refusal.status, "error": refusal.message}
        fields |= {"limit": refusal.limit, "where": where}
        # All refusals for one cause have one id, those of other replicas too: Kubernetes counts Events with one text.
        id_ = blake2b(repr(fields).encode(), digest_size=4).hexdigest()
        level = logging.ERROR if refusal.status >= FAILED.status else logging.WARNING
        self._log_cause(id_, level, "request refused", {**fields, "id": id_})
        return id_

    def closed(self, limit: str) -> None:
        """Report a connection that is closed without a response because of *limit*."""
        if self.metrics:
            self.metrics.closed(limit)
        self._log_cause(limit, logging.WARNING, "connection closed", {"limit": limit})

    def _log_cause(self, cause: str, level: int, event: str, fields: dict[str, Value]) -> None:
        now = monotonic()
        if now - self._logged.get(cause, -inf) < PAUSE:
            return
        if len(self._logged) >= MOST:  # such as the ways through a recursion: none fills the memory
            self._logged.clear()
        self._logged[cause] = now
        log.log(level, LogEvent(event, **{name: value for name, value in fields.items() if value}))

    def _log_findings(self, summary: Summary) -> None:
        """Write each finding about the installation at its first occurrence: all requests show it."""
        for finding in summary.findings:
            if finding.name not in self._findings:
                self._findings.add(finding.name)
                message = finding.message_about(decorator=summary.is_decorator)
                log.warning(LogEvent("wrong installation", finding=finding.name, message=message))
