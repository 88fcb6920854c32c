from datetime import datetime

import msgspec

from metahook import (
    Controller,
    Deployment,
    DeploymentStatus,
    Manifest,
    Parent,
    SyncRequest,
    SyncResponse,
    drifted_field,
    try_read,
)
from metahook.server import Address, serve


class MyResourceSpec(msgspec.Struct):
    image: str
    memory: str


def sync(request: SyncRequest, now: datetime) -> SyncResponse:
    """Return the Deployment of one MyResource, and the state that is observed."""
    parent, spec = request.parent, try_read(request.parent.spec, MyResourceSpec)  # (1)
    if spec is None:
        return SyncResponse(status={"state": "Failed"}, kept=request.children.kept())
    desired = deployment(parent, spec)
    observed = request.children.get(Deployment, parent.name)  # (2)
    if observed is None or drifted_field(desired, request.children):  # (3)
        state = "Building"
    else:
        state = "Ready" if is_complete(observed) else "Building"  # (4)
    return SyncResponse(status={"state": state}, children=[desired])  # (5) (6) (7)


def is_complete(observed: Deployment) -> bool:
    """Return whether the only Pod is of the current template, and available."""
    status = observed.status or DeploymentStatus()
    counts = (status.updated_replicas, status.replicas, status.available_replicas)
    return status.observed_generation == observed.metadata.generation and counts == (1, 1, 1)


def deployment(parent: Parent, spec: MyResourceSpec) -> Manifest:
    labels = {"app": parent.name}
    container = {"name": "main", "image": spec.image, "resources": {"limits": {"memory": spec.memory}}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": parent.name, "namespace": parent.namespace, "labels": labels},  # (8)
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        },
    }


EXAMPLE = {"image": "nginx:1.27", "memory": "128Mi"}
MYRESOURCES = Controller(sync=sync, children=(Deployment,), example_spec=EXAMPLE)  # (9)

if __name__ == "__main__":
    serve(MYRESOURCES, Address("0.0.0.0", 8080), Address("0.0.0.0", 8081))
