"""The hook of MyKind objects: from a request to the desired attachments."""

from datetime import datetime

from metahook import (
    Decorator,
    DecoratorFinalizeResponse,  # only: finalize
    DecoratorResponse,
    Kind,
    SyncRequest,
)
from metahook.server import Address, serve

from children import (
    KINDS,
    Job,  # only: Job
    desired_children,
)

PARENT = Kind("my.example.com/v1", "MyKind", "mykinds")


def sync(request: SyncRequest, now: datetime) -> DecoratorResponse:
    """Return the desired attachments of one MyKind."""
    return DecoratorResponse(children=desired_children(request.parent))


# only: finalize
def finalize(request: SyncRequest, now: datetime) -> DecoratorFinalizeResponse:
    """Delete the attachments, and let the MyKind go once none is left."""
    return DecoratorFinalizeResponse(finalized=not list(request.children))


# end
CONTROLLER = Decorator(
    sync,
    KINDS,
    parent=PARENT,
    update_methods={Job: "OnDelete"},  # only: Job
    finalize=finalize,  # only: finalize
)

if __name__ == "__main__":
    serve(CONTROLLER, Address("0.0.0.0", 8080), Address("0.0.0.0", 8081))
