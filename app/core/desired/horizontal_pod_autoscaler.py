"""The HorizontalPodAutoscaler that a spec with autoscaling asks for."""

from typing import Any

from app.api.names import CONTAINER
from app.api.spec import MyResourceSpec
from app.core.child_metadata import autoscaler_name, deployment_name, labels
from app.core.desired.pod_template import present
from app.core.desired.replicas import Replicas
from metahook import Deployment, Manifest, Parent


def wants_autoscaler(spec: MyResourceSpec) -> bool:
    """Tell whether *spec* asks for a HorizontalPodAutoscaler."""
    return spec.autoscaling is not None


def autoscaler(parent: Parent, spec: MyResourceSpec, replicas: Replicas) -> Manifest | None:
    """Return the HorizontalPodAutoscaler, or None while nothing may change the number of *replicas*.

    It scales the Deployment: the spec of the MyResource is the user's.
    """
    autoscaling = spec.autoscaling
    if autoscaling is None or not replicas.is_autoscaled:
        return None
    targets = {"cpu": autoscaling.target_cpu, "memory": autoscaling.target_memory}
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": autoscaler_name(parent), "namespace": parent.namespace, "labels": labels(parent)},
        "spec": present(
            {
                "scaleTargetRef": {
                    "apiVersion": Deployment.KIND.api_version,
                    "kind": Deployment.KIND.kind,
                    "name": deployment_name(parent),
                },
                "minReplicas": autoscaling.min_replicas,
                "maxReplicas": autoscaling.max_replicas,
                "metrics": [_metric(name, percentage) for name, percentage in targets.items() if percentage],
                "behavior": autoscaling.behavior,
            }
        ),
    }


def _metric(resource: str, percentage: int) -> dict[str, Any]:
    """Return the metric of the container main: a sidecar without a request would make that of the whole Pod fail."""
    return {
        "type": "ContainerResource",
        "containerResource": {
            "container": CONTAINER,
            "name": resource,
            "target": {"type": "Utilization", "averageUtilization": percentage},
        },
    }
