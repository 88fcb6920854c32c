"""Strategies for where Pods run: tolerations, affinity, spreading."""

from typing import Any

from hypothesis import strategies as st

from tests.strategies.primitives import ABSENT, KEYS, LABEL_SELECTORS, LABEL_VALUES, NODE_KEYS, Json, lists, variants

_EFFECTS = [ABSENT, "NoSchedule", "PreferNoSchedule", "NoExecute"]
_WHILE: dict[str, list[Any]] = {"effect": ["NoExecute"], "tolerationSeconds": [0, 300, 2**31 - 1]}
_EQUAL: dict[str, list[Any]] = {"key": KEYS[:3], "operator": [ABSENT, "Equal"], "value": [ABSENT, *LABEL_VALUES]}
_EXISTS: dict[str, list[Any]] = {"key": [ABSENT, *KEYS[:3]], "operator": ["Exists"], "value": [ABSENT, ""]}
tolerations = lists(
    [
        *variants(**_EQUAL, effect=_EFFECTS),
        *variants(**_EXISTS, effect=_EFFECTS),
        *variants(**_EQUAL, **_WHILE),
        *variants(**_EXISTS, **_WHILE),
    ],
    most=3,
)

_EXPRESSIONS = [
    *variants(key=NODE_KEYS, operator=["In", "NotIn"], values=[["a"], ["", "b"]]),
    *variants(key=NODE_KEYS, operator=["Exists", "DoesNotExist"], values=[ABSENT, []]),
    *variants(key=NODE_KEYS, operator=["Gt", "Lt"], values=[["0"], ["9" * 18]]),
]
_NODE_TERMS = [{"matchExpressions": [first]} for first in _EXPRESSIONS] + [{"matchExpressions": _EXPRESSIONS[::5]}]
_POD_TERMS = variants(labelSelector=LABEL_SELECTORS, topologyKey=NODE_KEYS[:2])
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def _weighted(field: str, terms: list[Json]) -> list[Json]:
    return variants(weight=[1, 100], **{field: terms})


_node_affinity = st.fixed_dictionaries(
    {},
    optional={
        _REQUIRED: lists(_NODE_TERMS, least=1, most=2).map(lambda terms: {"nodeSelectorTerms": terms}),
        _PREFERRED: lists(_weighted("preference", _NODE_TERMS), most=2),
    },
)
_pod_affinity = st.fixed_dictionaries(
    {},
    optional={
        _REQUIRED: lists(_POD_TERMS, most=2),
        _PREFERRED: lists(_weighted("podAffinityTerm", _POD_TERMS), most=2),
    },
)
affinity = st.fixed_dictionaries(
    {}, optional={"nodeAffinity": _node_affinity, "podAffinity": _pod_affinity, "podAntiAffinity": _pod_affinity}
)

_POLICIES = {"nodeAffinityPolicy": [ABSENT, "Honor"], "nodeTaintsPolicy": [ABSENT, "Ignore"]}
_SPREAD: dict[str, list[Any]] = {"maxSkew": [1, 5], "topologyKey": NODE_KEYS, "labelSelector": LABEL_SELECTORS}
spreads = lists(
    [
        *variants(**_SPREAD, whenUnsatisfiable=["ScheduleAnyway"], **_POLICIES),
        *variants(**_SPREAD, whenUnsatisfiable=["DoNotSchedule"], minDomains=[ABSENT, 2], **_POLICIES),
    ],
    "topologyKey",
    most=2,
)
