"""Affinity: the nodes, and the other Pods, that the Pods prefer, require or avoid."""

from typing import Annotated

from pydantic import Field

from app.api.values.model import Model, Omitted
from app.api.values.scalar import Key
from app.api.values.selector import LabelSelector, NodeExpression


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
