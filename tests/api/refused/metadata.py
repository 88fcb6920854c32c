"""Bad keys, labels, annotations and selectors."""

from tests.api.examples.keys import RESERVED_IN_PODS
from tests.api.examples.scheduling import PREFERRED, REQUIRED
from tests.requests.builders import Json

SELECTOR = {"matchLabels": {"a": "b"}}
SPREAD = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": SELECTOR}


def _node_term(**term: object) -> Json:
    return {"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [term]}}}}


def _keyed(key: str) -> list[Json]:
    return [
        {"podMetadata": {"labels": {key: "x"}}},
        {"podMetadata": {"annotations": {key: "x"}}},
        {"service": {"annotations": {key: "x"}}},
        {"nodeSelector": {key: "x"}},
        {"topologySpreadConstraints": [{**SPREAD, "labelSelector": {"matchLabels": {key: "x"}}}]},
        {"topologySpreadConstraints": [{**SPREAD, "topologyKey": key}]},
        {"tolerations": [{"key": key, "operator": "Exists"}]},
        _node_term(matchExpressions=[{"key": key, "operator": "Exists"}]),
    ]


REFUSED: dict[str, list[Json]] = {
    "a key that is none": [fields for key in ("a b", "-a", "a/b/c", "", "a" * 64) for fields in _keyed(key)],
    "a label value that is none": [{"podMetadata": {"labels": {"a": value}}} for value in ("-a", "a b", "a" * 64)],
    "a toleration that contradicts itself": [
        {"tolerations": [{"operator": "Equal"}]},
        {"tolerations": [{"key": "a", "operator": "Exists", "value": "b"}]},
        {"tolerations": [{"key": "a", "effect": "NoSchedule", "tolerationSeconds": 1}]},
    ],
    "minDomains where a Pod may run anyway": [{"topologySpreadConstraints": [{**SPREAD, "minDomains": 2}]}],
    "In without values": [_node_term(matchExpressions=[{"key": "a", "operator": "In"}])],
    "matchFields": [_node_term(matchFields=[{"key": "metadata.name", "operator": "In", "values": ["a"]}])],
    "a reserved annotation or label": [
        *({"podMetadata": {"annotations": {key: "x"}}} for key in RESERVED_IN_PODS),
        {"podMetadata": {"annotations": {"controller.kubernetes.io/pod-deletion-cost": "x"}}},
        {"podMetadata": {"annotations": {"kubernetes.io/config.mirror": "x"}}},
        {"podMetadata": {"annotations": {"container.apparmor.security.beta.kubernetes.io/main": "unconfined"}}},
        {"podMetadata": {"labels": {"myresource": "other"}}},
    ],
    "no selector, which would match no Pod": [
        {"topologySpreadConstraints": [{key: value for key, value in SPREAD.items() if key != "labelSelector"}]},
        {"affinity": {"podAntiAffinity": {REQUIRED: [{"topologyKey": "zone"}]}}},
        {"affinity": {"podAffinity": {PREFERRED: [{"weight": 1, "podAffinityTerm": {"topologyKey": "zone"}}]}}},
    ],
    "more text than annotations or a Pod can hold": [
        {"podMetadata": {"annotations": {f"a{index}": "x" * 4096 for index in range(17)}}},
        {"service": {"annotations": {f"a{index}": "x" * 4096 for index in range(17)}}},
        {"env": [{"name": f"A{index}", "value": "x" * 65536} for index in range(2)]},
    ],
}
