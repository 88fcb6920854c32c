"""Metrics, for Prometheus: what is called, what is refused, and what is decided.

Each label has a bounded set of values: the paths of the hooks, the names of limits, and the reasons of the controllers.
Nothing that a request contains becomes one.
"""

import platform
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

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
from prometheus_client.registry import Collector

from metahook.protocol.response import Summary
from metahook.server.limits import KIB, NAMES, Limits
from metahook.server.telemetry.hook_call import HookCall

disable_created_metrics()  # type: ignore[no-untyped-call] # else each series has a second one, with the time of its first change

M = TypeVar("M", Counter, Histogram)

PREFIX = "metahook_"

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
"""The media type of ``Metrics.text``."""

OTHER = "other"
"""Stands for a path that is not a hook's."""

NO_LIMIT = "none"

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
SIZES = tuple(KIB * 4**power for power in range(9))
"""Bytes: 1 KiB, 4 KiB, ... 64 MiB."""


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
    """The metrics of one server, in a registry of its own. Any thread may call the methods."""

    def __init__(
        self, hooks: Collection[str], version: str, limits: Limits, collectors: Iterable[Collector] = ()
    ) -> None:
        """Start at zero; *hooks* are their paths, *version* is the hook's; *collectors* are the hook's own metrics.

        Raise ValueError if one of these has the name of another.
        """
        self.registry = CollectorRegistry()
        self.families: list[Family] = []
        self._hooks = frozenset(hooks)
        self._add_calls()
        self._add_decisions()
        self._add_connections()
        self._add_configuration(version, limits)
        for collector in collectors:
            self.registry.register(collector)

    def _add_calls(self) -> None:
        self._calls = self._counter(
            "calls", "Calls that reached a hook, by status code. Others are among the refusals.", "hook", "code"
        )
        self._seconds = self._histogram(
            "call_duration_seconds", "Time from the head of a request to its response.", SECONDS
        )
        self._request = self._histogram(
            "request_size_bytes", "Size of the bodies of requests; 0 if it was not received.", SIZES
        )
        self._response = self._histogram("response_size_bytes", "Size of the bodies of responses.", SIZES)
        self._refusals = self._counter(
            "refusals", "Responses other than 200, by the limit that was exceeded.", "hook", "code", "limit"
        )

    def _add_decisions(self) -> None:
        self._syncs = self._counter("syncs", "Syncs, by the reason of the computed Ready condition.", "hook", "reason")
        self._transitions = self._counter(
            "reason_transitions", "Syncs that changed the reason of the Ready condition.", "hook", "before", "after"
        )
        self._children = self._counter("children_listed", "Children that the responses to syncs listed.", "hook")
        self._kept = self._counter("kept_syncs", "Syncs that kept children as they were last applied.", "hook")
        self._findings = self._counter(
            "installation_findings", "Calls that showed what is wrong with the installation.", "hook", "finding"
        )

    def _add_connections(self) -> None:
        self._in_flight = self._gauge(
            "calls_in_flight", "Hook calls that are received and not yet answered, and late ones."
        )
        self._late = self._gauge(
            "calls_late", "Hook calls that got 503 for decide_timeout, and whose function still runs, in a thread."
        )
        self._connections = self._gauge("connections", "Open connections to the hooks, also in a TLS handshake.")
        self._closed = self._counter(
            "connections_closed", "Connections that a limit closed without a response.", "limit"
        )
        self._omitted = self._counter(
            "log_lines_omitted", "Lines that were left out of the log: there were too many, or nothing reads them."
        )

    def _add_configuration(self, version: str, limits: Limits) -> None:
        build = self._gauge("build_info", "The versions of the hook and of Python; always 1.", "version", "python")
        build.labels(version, platform.python_version()).set(1)
        settings = self._gauge("limit", "The limits, by name, in bytes, seconds or as a number.", "limit")
        for name in NAMES:
            settings.labels(name).set(getattr(limits, name))
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=self.registry)

    def _counter(self, name: str, text: str, *labels: str) -> _Series[Counter]:
        self.families.append(Family(f"{PREFIX}{name}_total", "counter", labels, text))
        return _Series(Counter(PREFIX + name, text, labels, registry=self.registry))

    def _gauge(self, name: str, text: str, *labels: str) -> Gauge:
        self.families.append(Family(PREFIX + name, "gauge", labels, text))
        return Gauge(PREFIX + name, text, labels, registry=self.registry)

    def _histogram(self, name: str, text: str, buckets: tuple[float, ...]) -> _Series[Histogram]:
        self.families.append(Family(PREFIX + name, "histogram", ("hook",), text))
        return _Series(Histogram(PREFIX + name, text, ("hook",), registry=self.registry, buckets=buckets))

    def called(self, call: HookCall) -> None:
        """Count *call*."""
        hook = self._known(call.hook)
        self._calls[hook, str(call.status)].inc()
        self._seconds[hook,].observe(call.seconds)
        self._request[hook,].observe(call.request_bytes)
        self._response[hook,].observe(call.response_bytes)
        if call.summary:
            self._decided(hook, call.summary)

    def _decided(self, hook: str, summary: Summary) -> None:
        for finding in summary.findings:
            self._findings[hook, finding.name].inc()
        if summary.rules is not None:
            return
        self._syncs[hook, summary.reason].inc()
        if summary.reason != summary.reason_before:
            self._transitions[hook, summary.reason_before, summary.reason].inc()
        self._children[hook,].inc(summary.children)
        kept_syncs = self._kept[hook,]  # also the first time, so that there is a series for its rate
        if summary.kept:
            kept_syncs.inc()

    def refused(self, path: str, status: int, limit: str) -> None:
        """Count a response other than 200 to a request for *path*; *limit* is the one that was exceeded, or ""."""
        self._refusals[self._known(path), str(status), limit or NO_LIMIT].inc()

    def closed(self, limit: str) -> None:
        """Count a connection that *limit* closed without a response."""
        self._closed[limit,].inc()

    def omitted(self, lines: int) -> None:
        """Count *lines* about calls that were left out of the log."""
        self._omitted[()].inc(lines)

    def measure(
        self, in_flight: Callable[[], int], connections: Callable[[], int], late: Callable[[], int] = lambda: 0
    ) -> None:
        """Ask these for the numbers of calls in flight, connections and late calls, whenever the metrics are read."""
        self._in_flight.set_function(in_flight)
        self._connections.set_function(connections)
        self._late.set_function(late)

    def measure_certificate(self, expiry: Callable[[], float]) -> None:
        """Ask *expiry* when the certificate expires, in seconds since the epoch, whenever the metrics are read."""
        text = "When the certificate of the hooks expires, in seconds since 1970. Only with TLS."
        self._gauge("certificate_expiry_timestamp_seconds", text).set_function(expiry)

    def measure_files(self, unusable: Mapping[str, Callable[[], int]]) -> None:
        """Ask these for the number of files that can't be used, by what they are for, whenever the metrics are read."""
        text = "Files that have changed and can't be used, so that what was read before stays in use."
        gauge = self._gauge("unusable_files", text, "files")
        for files, count in unusable.items():
            gauge.labels(files).set_function(count)

    def text(self) -> bytes:
        """Return all metrics, in the text format of Prometheus."""
        return generate_latest(self.registry)

    def _known(self, path: str) -> str:
        """Return *path* if it is a hook's: clients choose others, and each value of a label stays in memory."""
        return path if path in self._hooks else OTHER
