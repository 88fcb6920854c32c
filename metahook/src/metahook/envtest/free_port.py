"""Free ports, for processes that are about to start."""

import secrets

from metahook.server.options import Address, CannotListen

_PORTS = range(12000, 32000)
"""Below those that systems give to clients, who would else take a port before it is listened on."""

_given: set[int] = set()


def free_port() -> int:
    """Return a free port that was not returned before: its listener may be about to start."""
    while True:
        port = secrets.choice(_PORTS)
        if port in _given:
            continue
        _given.add(port)
        try:
            Address("127.0.0.1", port).listen().close()
        except CannotListen:
            continue
        return port
