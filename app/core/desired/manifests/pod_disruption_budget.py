"""The PodDisruptionBudget that a spec asks for while it has more than one Pod."""

from app.api.spec import MyResourceSpec
from app.core.child_metadata import manifest_of, selector
from app.core.desired.replicas import Replicas, most_replicas
from metahook import Manifest, Parent, PodDisruptionBudget


def budget(parent: Parent, spec: MyResourceSpec, _: Replicas) -> Manifest | None:
    """Return the PodDisruptionBudget, or None: for a single Pod there is nothing to protect.

    With an autoscaler or a schedule it is there as soon as there may be more, so that it does not come and go as the
    number changes. It never blocks the drain of a node for good: one Pod may always be evicted, and a Pod that is not
    ready, too.
    """
    if most_replicas(spec) <= 1:
        return None
    fields = {
        "maxUnavailable": 1,
        "selector": {"matchLabels": selector(parent)},
        "unhealthyPodEvictionPolicy": "AlwaysAllow",
    }
    return manifest_of(PodDisruptionBudget, parent, fields)
