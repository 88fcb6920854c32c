from datetime import datetime

import msgspec

from metahook import ConfigMap, Controller, SyncRequest, SyncResponse, drifted_field, try_read
from metahook.server import Address, serve


class GreetingSpec(msgspec.Struct):
    text: str


def sync(request: SyncRequest, now: datetime) -> SyncResponse:
    """Return the ConfigMap and the status of one Greeting."""
    parent, spec = request.parent, try_read(request.parent.spec, GreetingSpec)
    if spec is None:
        invalid = {"state": "Failed", "message": "spec.text must be a string"}
        return SyncResponse(status=invalid, kept=request.children.kept())
    desired = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": parent.name, "namespace": parent.namespace},
        "data": {"text": spec.text},
    }
    drift = drifted_field(desired, request.children)  # such as "data.text"; None if the child is as desired
    return SyncResponse(status={"state": "Building" if drift else "Ready"}, children=[desired])


GREETINGS = Controller(sync=sync, children=(ConfigMap,), example_spec={"text": "hello"})

if __name__ == "__main__":
    serve(GREETINGS, Address("0.0.0.0", 8080), Address("0.0.0.0", 8081))
