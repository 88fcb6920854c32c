"""Examples of the rules of tolerations, spreading, affinity and selectors."""

from collections.abc import Callable

from tests.api.examples.case import Example
from tests.api.examples.keys import few_label_keys
from tests.requests.builders import Json

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
GT, LT = "Gt", "Lt"

Place = Callable[[Json], Json]


def _toleration(**fields: str | int) -> Json:
    return {"tolerations": [fields]}


def _spread(**fields: str | int | Json) -> Json:
    spread = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
    return {"topologySpreadConstraints": [{**spread, "labelSelector": {"matchLabels": {"a": "b"}}, **fields}]}


def _term(operator: str, *values: str) -> Json:
    return {"key": "a", "operator": operator, **({"values": [*values]} if values else {})}


def _nodes_required(expression: Json) -> Json:
    return {"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}}}


def _nodes_preferred(expression: Json) -> Json:
    term = {"weight": 1, "preference": {"matchExpressions": [expression]}}
    return {"affinity": {"nodeAffinity": {PREFERRED: [term]}}}


def _pods_required(side: str) -> Place:
    return lambda selector: {"affinity": {side: {REQUIRED: [{"topologyKey": "zone", "labelSelector": selector}]}}}


def _pods_preferred(side: str) -> Place:
    def place(selector: Json) -> Json:
        term = {"topologyKey": "zone", "labelSelector": selector}
        return {"affinity": {side: {PREFERRED: [{"weight": 1, "podAffinityTerm": term}]}}}

    return place


def _values(path: str, place: Place) -> Example:
    return Example(
        path=path,
        says="values must be set",
        good=[
            place(term)
            for term in (
                _term("In", "x"),
                _term("NotIn", "x", "y", ""),
                _term("Exists"),
                {**_term("DoesNotExist"), "values": []},
            )
        ],
        bad=[
            place(term)
            for term in (
                _term("In"),
                {**_term("NotIn"), "values": []},
                _term("Exists", "x"),
                _term("DoesNotExist", "x"),
                _term("Exists", ""),
            )
        ],
    )


def _number(path: str, place: Place) -> Example:
    return Example(
        path=path,
        says="values must be one whole number",
        good=[place(_term(GT, "8")), place(_term(LT, "0")), place(_term(GT, "9" * 18)), place(_term("In", "x", "y"))],
        bad=[place(_term(GT, value)) for value in ("x", "", "1.5", "9" * 19, "1a")] + [place(_term(LT, "1", "2"))],
    )


def _selector(path: str, place: Place) -> list[Example]:
    return [
        Example(
            path=path,
            says="matchLabels or matchExpressions must be set",
            good=[
                place({"matchLabels": {"a": "b"}}),
                place({"matchExpressions": [_term("Exists")]}),
                place({"matchLabels": {}, "matchExpressions": [_term("Exists")]}),
                place({"matchLabels": {"a": ""}, "matchExpressions": []}),
            ],
            bad=[place({}), place({"matchLabels": {}}), place({"matchExpressions": []})],
        ),
        few_label_keys(f"{path}.matchLabels", lambda labels: place({"matchLabels": labels})),
        _values(f"{path}.matchExpressions[]", lambda term: place({"matchExpressions": [term]})),
    ]


TOLERATIONS = [
    Example(
        path="spec.tolerations[]",
        says="operator must be Exists when key is not set",
        good=[_toleration(key="a"), _toleration(operator="Exists"), _toleration(key="a", operator="Equal", value="b")],
        bad=[_toleration(), _toleration(operator="Equal"), _toleration(effect="NoSchedule"), _toleration(value="b")],
    ),
    Example(
        path="spec.tolerations[]",
        says="value must not be set when operator is Exists",
        good=[_toleration(operator="Exists", value=""), _toleration(key="a", value="b")],
        bad=[_toleration(operator="Exists", value="b"), _toleration(key="a", operator="Exists", value="b")],
    ),
    Example(
        path="spec.tolerations[]",
        says="effect must be NoExecute when tolerationSeconds is set",
        good=[
            _toleration(key="a", effect="NoExecute", tolerationSeconds=0),
            _toleration(key="a", effect="NoExecute"),
            _toleration(key="a", effect="NoSchedule"),
        ],
        bad=[
            _toleration(key="a", tolerationSeconds=0),
            _toleration(key="a", effect="NoSchedule", tolerationSeconds=1),
            _toleration(operator="Exists", effect="PreferNoSchedule", tolerationSeconds=1),
        ],
    ),
]
SPREAD = Example(
    path="spec.topologySpreadConstraints[]",
    says="whenUnsatisfiable must be DoNotSchedule when minDomains is set",
    good=[_spread(), _spread(minDomains=1), _spread(whenUnsatisfiable="ScheduleAnyway")],
    bad=[_spread(whenUnsatisfiable="ScheduleAnyway", minDomains=1)],
)
NODES: dict[str, Place] = {
    f"{REQUIRED}.nodeSelectorTerms[].matchExpressions[]": _nodes_required,
    f"{PREFERRED}[].preference.matchExpressions[]": _nodes_preferred,
}
SELECTORS: dict[str, Place] = {
    "spec.topologySpreadConstraints[].labelSelector": lambda selector: _spread(labelSelector=selector),
    **{
        f"spec.affinity.{side}.{term}": make(side)
        for side in ("podAffinity", "podAntiAffinity")
        for term, make in (
            (f"{REQUIRED}[].labelSelector", _pods_required),
            (f"{PREFERRED}[].podAffinityTerm.labelSelector", _pods_preferred),
        )
    },
}

EXAMPLES = [
    *TOLERATIONS,
    SPREAD,
    *(
        make(f"spec.affinity.nodeAffinity.{path}", place)
        for path, place in NODES.items()
        for make in (_values, _number)
    ),
    *(example for path, place in SELECTORS.items() for example in _selector(path, place)),
]
