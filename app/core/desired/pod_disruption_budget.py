"""The PodDisruptionBudget that a spec asks for while it has more than one Pod."""

from app.api.spec import MyResourceSpec
from app.core.child_metadata import budget_name, labels, selector
from app.core.desired.replicas import Replicas
from metahook import Manifest, Parent


def wants_budget(spec: MyResourceSpec) -> bool:
    """Tell whether *spec* asks for a PodDisruptionBudget."""
    return spec.pod_disruption_budget == "Auto"


def budget(parent: Parent, _: MyResourceSpec, replicas: Replicas) -> Manifest | None:
    """Return the PodDisruptionBudget for *replicas* Pods, or None: for a single Pod there is nothing to protect.

    With an autoscaler or a schedule it is there as soon as there may be more, so that it does not come and go as the
    number changes. It never blocks the drain of a node for good: one Pod may always be evicted, and a Pod that is not
    ready, too.
    """
    if replicas.most <= 1:
        return None
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": budget_name(parent), "namespace": parent.namespace, "labels": labels(parent)},
        "spec": {
            "maxUnavailable": 1,
            "selector": {"matchLabels": selector(parent)},
            "unhealthyPodEvictionPolicy": "AlwaysAllow",
        },
    }
