"""A JSON schema of PrometheusRule that allows only the fields that the chart uses.

Written from the CRDs of prometheus-operator 0.85, so that a typing mistake is found without them.
"""

from tests.chart.controller_schema import TEXT, Json, closed

DURATION: Json = {"type": "string", "pattern": "^[1-9][0-9]*[smhd]$"}
_TEXTS: Json = {"type": "object", "additionalProperties": {"type": "string"}}
_METADATA = closed(["name", "namespace", "labels"], name=TEXT, namespace=TEXT, labels=_TEXTS)
_RULE = closed(["alert", "expr"], **{"for": DURATION}, alert=TEXT, expr=TEXT, labels=_TEXTS, annotations=_TEXTS)
_GROUP = closed(["name", "rules"], name=TEXT, rules={"type": "array", "minItems": 1, "items": _RULE})


PROMETHEUS_RULE = closed(
    ["apiVersion", "kind", "metadata", "spec"],
    apiVersion={"const": "monitoring.coreos.com/v1"},
    kind={"const": "PrometheusRule"},
    metadata=_METADATA,
    spec=closed(["groups"], groups={"type": "array", "items": _GROUP}),
)
