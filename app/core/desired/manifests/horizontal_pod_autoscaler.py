"""The HorizontalPodAutoscaler that a spec with autoscaling asks for."""

from typing import Any

from app.api.names import CONTAINER
from app.api.spec import MyResourceSpec
from app.core.child_metadata import deployment_name, manifest_of
from app.core.desired.manifests.pod_template import present
from app.core.desired.replicas import Replicas
from metahook import Deployment, HorizontalPodAutoscaler, Manifest, Parent


def autoscaler(parent: Parent, spec: MyResourceSpec, replicas: Replicas) -> Manifest | None:
    """Return the HorizontalPodAutoscaler; None if *spec* asks for none.

    It scales the Deployment: the spec of the MyResource is the user's. While the MyResource sleeps, it stays, but can
    only choose the number of *replicas* that there are. It does nothing by itself while there are none.
    """
    autoscaling = spec.autoscaling
    if autoscaling is None:
        return None
    is_held = not replicas.is_autoscaled and replicas.desired > 0
    targets = {"cpu": autoscaling.target_cpu, "memory": autoscaling.target_memory}
    kind = Deployment.KIND
    fields = {
        "scaleTargetRef": {"apiVersion": kind.api_version, "kind": kind.kind, "name": deployment_name(parent)},
        "minReplicas": replicas.desired if is_held else autoscaling.min_replicas,
        "maxReplicas": replicas.desired if is_held else autoscaling.max_replicas,
        "metrics": [_metric(name, percentage) for name, percentage in targets.items() if percentage],
        "behavior": autoscaling.behavior,
    }
    return manifest_of(HorizontalPodAutoscaler, parent, present(fields), annotations=replicas.annotations)


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
