"""A call of a hook, once it is answered: what the log and the metrics say about it."""

from dataclasses import dataclass

from metahook.protocol.summary import Summary


@dataclass(frozen=True)
class Call:
    """A call of a hook. Nothing in it is content of the request, except the identity of the parent."""

    hook: str
    """The path, such as ``/sync``."""
    status: int
    request_bytes: int
    response_bytes: int
    seconds: float
    limit: str = ""
    """The limit that refused it, by the name of its setting; "" for none."""
    id: str = ""
    """What the body of a refusal names, and the log has; "" for a 200."""
    summary: Summary | None = None
    """None if no response was decided."""
