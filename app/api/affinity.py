"""Affinity: which nodes and which other Pods the Pods are drawn to, or kept away from."""

from typing import Annotated

from pydantic import Field

from app.api.model import Model, Omitted
from app.api.scalar import Key
from app.api.selector import LabelSelector, NodeExpression


class NodeTerm(Model):
    """Sentences about a node's labels that all must hold."""

    match_expressions: Annotated[list[NodeExpression], Field(min_length=1, max_length=16)]
    """The sentences."""


class RequiredNodes(Model):
    """Nodes of which at least one term holds."""

    node_selector_terms: Annotated[list[NodeTerm], Field(min_length=1, max_length=16)]
    """The terms."""


Weight = Annotated[int, Field(ge=1, le=100)]


class PreferredNodes(Model):
    """Nodes that are liked better."""

    weight: Weight
    """How much better, 1 to 100."""
    preference: NodeTerm
    """Which nodes."""


class NodeAffinity(Model):
    """Which nodes."""

    required_during_scheduling_ignored_during_execution: RequiredNodes | None = None
    """Where the Pods must run."""
    preferred_during_scheduling_ignored_during_execution: (
        Annotated[list[PreferredNodes], Field(max_length=16), Omitted] | None
    ) = None
    """Where they better run."""


class PodTerm(Model):
    """Pods to be near to, or far from."""

    label_selector: LabelSelector
    """Which Pods."""
    topology_key: Key
    """Label of the nodes that tells what near means, such as kubernetes.io/hostname."""


class WeightedPodTerm(Model):
    """A term that counts, but does not bind."""

    weight: Weight
    """How much it counts, 1 to 100."""
    pod_affinity_term: PodTerm
    """The term."""


class PodAffinity(Model):
    """Terms about other Pods."""

    required_during_scheduling_ignored_during_execution: (
        Annotated[list[PodTerm], Field(max_length=16), Omitted] | None
    ) = None
    """Terms that must hold."""
    preferred_during_scheduling_ignored_during_execution: (
        Annotated[list[WeightedPodTerm], Field(max_length=16), Omitted] | None
    ) = None
    """Terms that count."""


class Affinity(Model):
    """What the Pods are drawn to, or kept away from."""

    node_affinity: Annotated[NodeAffinity, Omitted] | None = None
    """Nodes."""
    pod_affinity: Annotated[PodAffinity, Omitted] | None = None
    """Pods to be near to."""
    pod_anti_affinity: Annotated[PodAffinity, Omitted] | None = None
    """Pods to be far from."""
