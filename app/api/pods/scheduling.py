"""Tolerations of node taints, and topology spread constraints."""

from typing import Annotated, Literal

from pydantic import Field

from app.api.values.model import ListMap, Model, Omitted, Rule
from app.api.values.scalar import Key, LabelValue
from app.api.values.selector import LabelSelector


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
