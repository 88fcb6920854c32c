"""JSON schemas of the Prometheus operator's kinds that allow only the fields that the chart uses.

Written from its API reference, v1, so that a typing mistake is found without its CRDs.
"""

from tests.chart.controller_schema import TEXT, Json, closed

DURATION: Json = {"type": "string", "pattern": "^[0-9]+(ms|s|m|h|d|w|y)$"}
_TEXTS: Json = {"type": "object", "additionalProperties": {"type": "string"}}
_ACTIONS = [
    *("replace", "keep", "drop", "hashmod", "labelmap", "labeldrop", "labelkeep"),
    *("lowercase", "uppercase", "keepequal", "dropequal"),
]
_LABELS = {"type": "array", "items": {"type": "string", "pattern": "^[a-zA-Z_][a-zA-Z0-9_]*$"}}
_RELABELINGS = {
    "type": "array",
    "items": closed(
        [],
        sourceLabels=_LABELS,
        separator={"type": "string"},
        targetLabel={"type": "string"},
        regex={"type": "string"},
        modulus={"type": "integer"},
        replacement={"type": "string"},
        action={"enum": [*_ACTIONS, *map(str.capitalize, _ACTIONS)]},
    ),
}
_ENDPOINT = closed(
    ["port"],
    port=TEXT,
    path={"type": "string", "pattern": "^/"},
    interval=DURATION,
    scrapeTimeout=DURATION,
    honorLabels={"type": "boolean"},
    relabelings=_RELABELINGS,
    metricRelabelings=_RELABELINGS,
)
_SELECTOR = closed(["matchLabels"], matchLabels={"type": "object", "minProperties": 1})


def _kind(kind: str, spec: Json) -> Json:
    return closed(
        ["apiVersion", "kind", "metadata", "spec"],
        apiVersion={"const": "monitoring.coreos.com/v1"},
        kind={"const": kind},
        metadata=closed(["name", "namespace", "labels"], name=TEXT, namespace=TEXT, labels=_TEXTS),
        spec=spec,
    )


def _monitor(kind: str, endpoints: str) -> Json:
    items = {"type": "array", "minItems": 1, "items": _ENDPOINT}
    return _kind(kind, closed(["selector", endpoints], jobLabel=TEXT, selector=_SELECTOR, **{endpoints: items}))


_RULE = closed(["alert", "expr"], **{"for": DURATION}, alert=TEXT, expr=TEXT, labels=_TEXTS, annotations=_TEXTS)
_GROUP = closed(["name", "rules"], name=TEXT, rules={"type": "array", "minItems": 1, "items": _RULE})

SERVICE_MONITOR = _monitor("ServiceMonitor", "endpoints")
POD_MONITOR = _monitor("PodMonitor", "podMetricsEndpoints")
PROMETHEUS_RULE = _kind("PrometheusRule", closed(["groups"], groups={"type": "array", "items": _GROUP}))
