"""The PodDisruptionBudget that a spec asks for while it has more than one Pod."""

from app.api.spec import MyResourceSpec
from app.core.child_metadata import budget_name, labels, selector
from metahook import Manifest, Parent


def wants_budget(spec: MyResourceSpec) -> bool:
    """Tell whether *spec* asks for a PodDisruptionBudget."""
    return spec.pod_disruption_budget == "Auto"


def budget(parent: Parent, _: MyResourceSpec, replicas: int) -> Manifest | None:
    """Return the PodDisruptionBudget for *replicas* Pods, or None: for a single Pod there is nothing to protect.

    It never blocks the drain of a node for good: one Pod may always be evicted, and a Pod that is not ready, too.
    """
    if replicas <= 1:
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
