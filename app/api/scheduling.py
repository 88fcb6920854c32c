"""Where Pods run: affinity to nodes and other Pods, tolerations, and topology spread constraints."""

from typing import Annotated, Literal

from pydantic import Field

from app.api.model import ListMap, Model, Omitted, Rule
from app.api.scalars import Key, Labels, LabelValue

Values = Annotated[list[LabelValue], Field(max_length=64), Omitted]

_VALUES_FIT = Rule(
    "values must be set when operator is In or NotIn, and must not be set when it is Exists or DoesNotExist",
    lambda term: (term.operator in ("Exists", "DoesNotExist")) == (not term.values),
    cel="(self.operator in ['Exists', 'DoesNotExist']) == (!has(self.values) || self.values.size() == 0)",
)
_ONE_NUMBER = Rule(
    "values must be one whole number when operator is Gt or Lt",
    lambda term: term.operator not in ("Gt", "Lt") or (len(term.values or []) == 1 and _is_number(term.values[0])),
    cel="!(self.operator in ['Gt', 'Lt']) || has(self.values) && self.values.size() == 1 "
    "&& self.values[0].matches('^[0-9]{1,18}$')",
)


def _is_number(text: str) -> bool:
    return text.isdecimal() and len(text) <= 18


class NodeExpression(Model):
    """A requirement on a label of a node."""

    key: Key
    """Key of the label."""
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"]
    """How the value of the label is compared with values."""
    values: Values | None = None
    """Values that the value of the label is compared with."""

    rules = (_VALUES_FIT, _ONE_NUMBER)


class LabelExpression(Model):
    """A requirement on a label of a Pod."""

    key: Key
    """Key of the label."""
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist"]
    """How the value of the label is compared with values."""
    values: Values | None = None
    """Values that the value of the label is compared with."""

    rules = (_VALUES_FIT,)


class LabelSelector(Model):
    """Selects Pods in the same namespace by their labels; all requirements must match."""

    match_labels: Labels | None = None
    """Labels, and the values that they must have."""
    match_expressions: Annotated[list[LabelExpression], Field(max_length=16), Omitted] | None = None
    """Label requirements; all must match."""

    rules = (
        Rule(
            "matchLabels or matchExpressions must be set: an empty selector matches every Pod in the namespace",
            lambda selector: bool(selector.match_labels or selector.match_expressions),
            cel="has(self.matchLabels) && self.matchLabels.size() > 0 "
            "|| has(self.matchExpressions) && self.matchExpressions.size() > 0",
        ),
    )


class NodeTerm(Model):
    """Label requirements of a node; all must match."""

    match_expressions: Annotated[list[NodeExpression], Field(min_length=1, max_length=16)]
    """The label requirements."""


class RequiredNodes(Model):
    """Required nodes: at least one term must match."""

    node_selector_terms: Annotated[list[NodeTerm], Field(min_length=1, max_length=16)]
    """The terms; a node must match at least one."""


Weight = Annotated[int, Field(ge=1, le=100)]


class PreferredNodes(Model):
    """Preferred nodes, with a weight."""

    weight: Weight
    """Weight of this preference, 1 to 100."""
    preference: NodeTerm
    """The preferred nodes."""


class NodeAffinity(Model):
    """Required and preferred nodes."""

    required_during_scheduling_ignored_during_execution: RequiredNodes | None = None
    """Required nodes."""
    preferred_during_scheduling_ignored_during_execution: (
        Annotated[list[PreferredNodes], Field(max_length=16), Omitted] | None
    ) = None
    """Preferred nodes."""


class PodTerm(Model):
    """Other Pods, and the topology domain, such as a node or a zone, to share or not to share with them."""

    label_selector: LabelSelector
    """Selects the other Pods by their labels."""
    topology_key: Key
    """Node label that defines the topology, such as kubernetes.io/hostname."""


class WeightedPodTerm(Model):
    """A preferred term, with a weight."""

    weight: Weight
    """Weight of this term, 1 to 100."""
    pod_affinity_term: PodTerm
    """The preferred term."""


class PodAffinity(Model):
    """Required and preferred terms about other Pods."""

    required_during_scheduling_ignored_during_execution: (
        Annotated[list[PodTerm], Field(max_length=16), Omitted] | None
    ) = None
    """Required terms; all must be met."""
    preferred_during_scheduling_ignored_during_execution: (
        Annotated[list[WeightedPodTerm], Field(max_length=16), Omitted] | None
    ) = None
    """Preferred terms."""


class Affinity(Model):
    """Rules about the nodes and the other Pods that the Pods prefer, require or avoid."""

    node_affinity: Annotated[NodeAffinity, Omitted] | None = None
    """Required and preferred nodes."""
    pod_affinity: Annotated[PodAffinity, Omitted] | None = None
    """Other Pods to run close to."""
    pod_anti_affinity: Annotated[PodAffinity, Omitted] | None = None
    """Other Pods to keep away from."""


class Toleration(Model):
    """A taint that the Pods tolerate."""

    key: Key | None = None
    """Key of the taint. If absent, every key matches, and operator must be Exists."""
    operator: Literal["Exists", "Equal"] | None = None
    """Exists or Equal (default)."""
    value: Annotated[LabelValue, Omitted] | None = None
    """Value of the taint, with operator Equal."""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] | None = None
    """Effect of the taint. If absent, every effect matches."""
    toleration_seconds: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = None
    """Seconds for which a taint with effect NoExecute is tolerated. If absent, it is tolerated forever."""

    rules = (
        Rule(
            "operator must be Exists when key is not set",
            lambda toleration: toleration.key is not None or toleration.operator == "Exists",
            cel="has(self.key) || has(self.operator) && self.operator == 'Exists'",
        ),
        Rule(
            "value must not be set when operator is Exists",
            lambda toleration: toleration.operator != "Exists" or not toleration.value,
            cel="!has(self.operator) || self.operator != 'Exists' || !has(self.value) || self.value == ''",
        ),
        Rule(
            "effect must be NoExecute when tolerationSeconds is set",
            lambda toleration: toleration.toleration_seconds is None or toleration.effect == "NoExecute",
            cel="!has(self.tolerationSeconds) || has(self.effect) && self.effect == 'NoExecute'",
        ),
    )


class Spread(Model):
    """How evenly the Pods are spread over topology domains, such as zones or nodes."""

    max_skew: Annotated[int, Field(ge=1, le=1000)]
    """Largest difference in the number of Pods between two domains."""
    topology_key: Key
    """Node label whose values are the domains, such as topology.kubernetes.io/zone."""
    when_unsatisfiable: Literal["DoNotSchedule", "ScheduleAnyway"]
    """DoNotSchedule keeps a Pod Pending if it would exceed maxSkew; ScheduleAnyway schedules it."""
    label_selector: LabelSelector
    """Selects the Pods to count by their labels."""
    min_domains: Annotated[int, Field(ge=1, le=1000)] | None = None
    """Minimum number of domains; only with whenUnsatisfiable DoNotSchedule."""
    node_affinity_policy: Literal["Honor", "Ignore"] | None = None
    """Honor (default) counts only nodes that match nodeSelector and affinity; Ignore counts all nodes."""
    node_taints_policy: Literal["Honor", "Ignore"] | None = None
    """Honor counts only nodes whose taints the Pods tolerate; Ignore (default) counts all nodes."""

    rules = (
        Rule(
            "whenUnsatisfiable must be DoNotSchedule when minDomains is set",
            lambda spread: spread.min_domains is None or spread.when_unsatisfiable == "DoNotSchedule",
            cel="!has(self.minDomains) || self.whenUnsatisfiable == 'DoNotSchedule'",
        ),
    )


Tolerations = Annotated[list[Toleration], Field(max_length=32), Omitted]
Spreads = Annotated[list[Spread], Field(max_length=8), ListMap(("topologyKey", "whenUnsatisfiable")), Omitted]
