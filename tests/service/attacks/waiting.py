"""A hook that is not quick, for the attacks: ``python -m tests.service.attacks.waiting PORT HEALTH_PORT``.

With a third argument, the memory of small bodies is not counted.
"""

import math
import sys

from metahook import Address, ConfigMap, Controller, SyncRequest, SyncResponse, serve
from metahook.server.hook import calls

CONTROLLER = Controller(lambda request, _: keep(request), children=(ConfigMap,))


def keep(request: SyncRequest) -> SyncResponse:
    """Return the children as they are, which takes memory for all that they have."""
    return SyncResponse({"state": "Failed"}, kept=request.children.kept())


if __name__ == "__main__":
    port, health_port, *uncounted = sys.argv[1:]
    if uncounted:
        calls.DECODED_AT_ONCE = math.inf  # type: ignore[assignment] # of the control
    serve(CONTROLLER, Address("127.0.0.1", int(port)), Address("127.0.0.1", int(health_port)))
