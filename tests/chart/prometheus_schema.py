"""JSON schemas of the Prometheus operator's monitors that allow only the fields that the chart uses.

Written from its API reference, v1, so that a typing mistake is found without its CRDs.
"""

from tests.chart.controller_schema import TEXT, Json, closed

DURATION: Json = {"type": "string", "pattern": "^[0-9]+(ms|s|m|h|d|w|y)$"}
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


def _kind(kind: str, endpoints: str) -> Json:
    spec = closed(
        ["selector", endpoints],
        jobLabel=TEXT,
        selector=_SELECTOR,
        **{endpoints: {"type": "array", "minItems": 1, "items": _ENDPOINT}},
    )
    return closed(
        ["apiVersion", "kind", "metadata", "spec"],
        apiVersion={"const": "monitoring.coreos.com/v1"},
        kind={"const": kind},
        metadata=closed(["name", "namespace", "labels"], name=TEXT, namespace=TEXT, labels={"type": "object"}),
        spec=spec,
    )


SERVICE_MONITOR = _kind("ServiceMonitor", "endpoints")
POD_MONITOR = _kind("PodMonitor", "podMetricsEndpoints")
