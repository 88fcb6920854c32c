"""The panels of the dashboard for Grafana, in rows: what each shows, and its queries. See ``dashboard.py``."""

from collections.abc import Iterator
from dataclasses import dataclass

HOOK = '{namespace=~"$namespace", job=~"$job"}'
"""The label matchers of the metrics of the hook."""
OBJECTS = '{namespace=~"$resources"}'
"""The label matchers of the metrics of MyResources, from kube-state-metrics."""
COLUMNS = 24
"""The width of the page, in Grafana's units."""


@dataclass(frozen=True)
class Query:
    """A query, and the legend of its series."""

    expr: str
    legend: str = ""


@dataclass(frozen=True)
class Panel:
    """A panel; *kind* is a panel type and *unit* a unit of Grafana, *width* is in 24ths of the page."""

    title: str
    description: str
    queries: tuple[Query, ...]
    kind: str = "timeseries"
    unit: str = "short"
    width: int = 8

    @property
    def height(self) -> int:
        """The height in Grafana's rows of 30 pixels."""
        return 4 if self.kind == "stat" else 8


def hook(expr: str, legend: str = "") -> Query:
    """Return a query in which ``@`` stands for the label matchers of the hook; further ones follow it as ``@,``."""
    return Query(expr.replace("@,", HOOK[:-1] + ", ").replace("@", HOOK), legend)


def objects(expr: str, legend: str = "") -> Query:
    """Return a query in which ``@`` stands for the label matchers of the MyResources."""
    return Query(expr.replace("@,", OBJECTS[:-1] + ", ").replace("@", OBJECTS), legend)


UP = (
    Panel("Replicas up", "Replicas of the hook that answer Prometheus.", (hook("sum(up@)"),), "stat", width=4),
    Panel(
        "Firing alerts",
        "Alerts of docs/reference/alerts.md that fire.",
        (Query('count(ALERTS{alertname=~"MyResource.*", alertstate="firing"}) or vector(0)'),),
        "stat",
        width=4,
    ),
    Panel(
        "Replicas by version",
        "More than one version, except during a rollout, is a rollout that is not complete.",
        (hook("count by (version) (metahook_build_info@)", "{{version}}"),),
        "stat",
    ),
    Panel(
        "Restarts in an hour",
        "Containers that exited or were killed.",
        (hook("sum(changes(process_start_time_seconds@[1h]))"),),
        "stat",
        width=4,
    ),
    Panel(
        "Wrong installation",
        "How many things were wrong with the installation in the last hour, as the calls of the hook showed.",
        (hook("count(sum by (finding) (increase(metahook_installation_findings_total@[1h])) > 0) or vector(0)"),),
        "stat",
        width=4,
    ),
)

CALLS = (
    Panel(
        "Calls",
        "Calls of the hooks, by status code.",
        (hook("sum by (hook, code) (rate(metahook_calls_total@[$__rate_interval]))", "{{hook}} {{code}}"),),
        unit="reqps",
    ),
    Panel(
        "Refused requests",
        "By status code, and by the limit that was exceeded.",
        (hook("sum by (code, limit) (rate(metahook_refusals_total@[$__rate_interval]))", "{{code}} {{limit}}"),),
        unit="reqps",
    ),
    Panel(
        "Duration of calls",
        "Half of the calls take less than p50, and 99 of 100 less than p99. Metacontroller ends a call after 10 s.",
        tuple(
            hook(
                f"histogram_quantile({share}, sum by (hook, le) "
                "(rate(metahook_call_duration_seconds_bucket@[$__rate_interval])))",
                f"{name} {{{{hook}}}}",
            )
            for share, name in ((0.5, "p50"), (0.99, "p99"))
        ),
        unit="s",
    ),
    Panel(
        "Calls in flight",
        "Hook calls that are received and not yet answered, and the limit of all replicas together.",
        (
            hook("sum(metahook_calls_in_flight@)", "in flight"),
            hook('sum(metahook_limit@,limit="max_in_flight"})', "limit"),
        ),
    ),
    Panel(
        "Size of requests",
        "Nine of ten requests are smaller than p90.",
        (
            hook(
                "histogram_quantile(0.9, sum by (hook, le) "
                "(rate(metahook_request_size_bytes_bucket@[$__rate_interval])))",
                "p90 {{hook}}",
            ),
        ),
        unit="bytes",
    ),
    Panel(
        "Closed connections",
        "Connections that were closed without a response: too many, or a TLS handshake failed.",
        (hook("sum by (limit) (rate(metahook_connections_closed_total@[$__rate_interval]))", "{{limit}}"),),
        unit="reqps",
    ),
)

SYNCS = (
    Panel(
        "Syncs",
        "By the reason of the Ready condition that the hook computed. An unhealthy MyResource is synced more often.",
        (hook("sum by (reason) (rate(metahook_syncs_total@[$__rate_interval]))", "{{reason}}"),),
        unit="reqps",
    ),
    Panel(
        "Changes of the reason",
        "How often the reason of the Ready condition changed, from one to another.",
        (
            hook(
                "sum by (before, after) (rate(metahook_reason_transitions_total@[$__rate_interval]))",
                "{{before}} → {{after}}",
            ),
        ),
        unit="reqps",
    ),
    Panel(
        "Kept children",
        "Syncs that left children unchanged because the spec is invalid, or the MyResource is suspended.",
        (hook("sum by (hook) (rate(metahook_kept_syncs_total@[$__rate_interval]))", "{{hook}}"),),
        unit="reqps",
    ),
)

MYRESOURCES = (
    Panel(
        "MyResources by state",
        "The column STATE of kubectl get myresources.",
        (objects("sum by (state) (kube_myresource_state@)", "{{state}}"),),
    ),
    Panel(
        "Not Ready, by reason",
        "The column REASON of kubectl get myresources.",
        (objects('count by (reason) (kube_myresource_condition@,type="Ready"} == 0)', "{{reason}}"),),
    ),
    Panel(
        "Pods",
        "Pods that exist, and replicas of the specs.",
        (
            objects("sum(kube_myresource_replicas@)", "existing"),
            objects("sum(kube_myresource_replicas_desired@)", "desired"),
        ),
    ),
    Panel(
        "MyResources that are not Ready",
        "myresource explain REASON prints what to do.",
        (
            objects(
                'max by (namespace, myresource, ready, reason, message) (kube_myresource_ready_message@,ready!="True"})'
            ),
        ),
        "table",
        width=COLUMNS,
    ),
)

PROCESS = (
    Panel("Memory", "Of each replica.", (hook("process_resident_memory_bytes@", "{{instance}}"),), unit="bytes"),
    Panel(
        "CPU",
        "Of each replica, in cores.",
        (hook("rate(process_cpu_seconds_total@[$__rate_interval])", "{{instance}}"),),
    ),
    Panel("Connections", "Open connections to the hooks.", (hook("metahook_connections@", "{{instance}}"),)),
)

ROWS: dict[str, tuple[Panel, ...]] = {
    "Is it up?": UP,
    "Calls": CALLS,
    "Syncs": SYNCS,
    "MyResources (from kube-state-metrics)": MYRESOURCES,
    "Process": PROCESS,
}


def queries() -> Iterator[tuple[str, str]]:
    """Yield the title of each panel with each of its queries."""
    for panels in ROWS.values():
        for panel in panels:
            for query in panel.queries:
                yield panel.title, query.expr
