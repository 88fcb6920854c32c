"""Where Pods may run besides affinity: tainted nodes, and how evenly they are spread."""

from typing import Annotated, Literal

from pydantic import Field

from app.api.model import ListMap, Model, Omitted, Rule
from app.api.scalar import Key, LabelValue
from app.api.selector import LabelSelector


class Toleration(Model):
    """A taint that does not keep the Pods away."""

    key: Key | None = None
    """Key of the taint; every key when absent (operator Exists)."""
    operator: Literal["Exists", "Equal"] | None = None
    """Exists, or Equal (which Kubernetes takes when it is absent)."""
    value: Annotated[LabelValue, Omitted] | None = None
    """Value of the taint, for Equal."""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] | None = None
    """Effect of the taint; every effect when absent."""
    toleration_seconds: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = None
    """How many seconds a taint with effect NoExecute is tolerated; for ever when absent."""

    rules = (
        Rule(
            "without a key the operator must be Exists",
            lambda toleration: toleration.key is not None or toleration.operator == "Exists",
            cel="has(self.key) || has(self.operator) && self.operator == 'Exists'",
        ),
        Rule(
            "with operator Exists there must be no value",
            lambda toleration: toleration.operator != "Exists" or not toleration.value,
            cel="!has(self.operator) || self.operator != 'Exists' || !has(self.value) || self.value == ''",
        ),
        Rule(
            "tolerationSeconds needs effect NoExecute",
            lambda toleration: toleration.toleration_seconds is None or toleration.effect == "NoExecute",
            cel="!has(self.tolerationSeconds) || has(self.effect) && self.effect == 'NoExecute'",
        ),
    )


class Spread(Model):
    """How evenly the Pods are spread over parts of the cluster."""

    max_skew: Annotated[int, Field(ge=1, le=1000)]
    """By how many Pods two parts may differ."""
    topology_key: Key
    """Label of the nodes that tells the parts, such as topology.kubernetes.io/zone."""
    when_unsatisfiable: Literal["DoNotSchedule", "ScheduleAnyway"]
    """What happens to a Pod that does not fit."""
    label_selector: LabelSelector
    """Which Pods are counted."""
    min_domains: Annotated[int, Field(ge=1, le=1000)] | None = None
    """How many parts there must be at least; only with DoNotSchedule."""
    node_affinity_policy: Literal["Honor", "Ignore"] | None = None
    """Whether nodes that affinity excludes are counted; Kubernetes takes Honor when it is absent."""
    node_taints_policy: Literal["Honor", "Ignore"] | None = None
    """Whether tainted nodes are left out; Kubernetes takes Ignore when it is absent."""

    rules = (
        Rule(
            "minDomains needs whenUnsatisfiable DoNotSchedule",
            lambda spread: spread.min_domains is None or spread.when_unsatisfiable == "DoNotSchedule",
            cel="!has(self.minDomains) || self.whenUnsatisfiable == 'DoNotSchedule'",
        ),
    )


Tolerations = Annotated[list[Toleration], Field(max_length=32), Omitted]
Spreads = Annotated[list[Spread], Field(max_length=8), ListMap(("topologyKey", "whenUnsatisfiable")), Omitted]
