"""The hook of MyKind objects: from a request to the desired children and a status."""

from datetime import datetime

from metahook import (
    Controller,
    Deployment,  # only: Deployment
    FinalizeResponse,  # only: finalize
    SyncRequest,
    SyncResponse,
    drifted_field,
    rolled_out,  # only: Deployment
    try_read,
)
from metahook.server import Address, serve

from children import (
    KINDS,
    Job,  # only: Job
    StatefulSet,  # only: StatefulSet
    desired_children,
)
from model import PARENT, Spec, status


def sync(request: SyncRequest, now: datetime) -> SyncResponse:
    """Return the desired children and the status of one MyKind."""
    parent, spec = request.parent, try_read(request.parent.spec, Spec)
    if spec is None:  # stored before the CRD had today's rules: change nothing
        return SyncResponse(status(parent, "InvalidSpec", now), kept=request.children.kept())
    children = desired_children(parent, spec)
    is_ready = not any(drifted_field(child, request.children) for child in children)
    # only: Deployment
    deployment = request.children.get(Deployment, parent.name)  # only: namespaced
    deployment = request.children.get(Deployment, parent.name, f"mykind-{parent.name}")  # only: cluster-scoped
    is_ready = is_ready and rolled_out(deployment)
    # end
    # only: StatefulSet
    stateful_set = request.children.get(StatefulSet, parent.name)  # only: namespaced
    stateful_set = request.children.get(StatefulSet, parent.name, f"mykind-{parent.name}")  # only: cluster-scoped
    is_ready = is_ready and stateful_set is not None and stateful_set.is_ready
    # end
    return SyncResponse(status(parent, "Ready" if is_ready else "Progressing", now), children)


# only: finalize
def finalize(request: SyncRequest, now: datetime) -> FinalizeResponse:
    """Delete the children, and let the MyKind go once none is left."""
    is_done = not list(request.children)
    return FinalizeResponse(status(request.parent, "Deleting", now), finalized=is_done)


# end
CONTROLLER = Controller(
    sync,
    KINDS,
    parent=PARENT,
    update_methods={Job: "OnDelete"},  # only: Job
    finalize=finalize,  # only: finalize
)

if __name__ == "__main__":
    serve(CONTROLLER, Address("0.0.0.0", 8080), Address("0.0.0.0", 8081))
