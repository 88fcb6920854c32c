"""The limits: what requests may take, all together or each."""

from dataclasses import dataclass
from typing import ClassVar

from metahook.protocol.bodies import MAX_BODY, MIB

__all__ = ["DEFAULT_LIMITS", "KIB", "MIB", "NAMES", "Limits"]

KIB = 1024


@dataclass(frozen=True)
class Limits:
    """The limits, each with a value that suits a Metacontroller with some thousand parents.

    Sizes are in bytes, times in seconds. A limit has the same name in settings, logs and metrics. Those that depend on
    the hook can be set; the others depend on Metacontroller, on Go's client and on this server, and are constants.
    """

    max_body: int = MAX_BODY
    max_connections: int = 800
    max_in_flight: int = 64
    """Hook calls that are received and not yet answered. Those beyond get 429."""
    body_timeout: float = 5
    """Counted from when the hook starts to read the body, with the time that a large one waits for a place. Half of a
    hook call's timeout: a request that waits for memory of a slow one is still answered in time."""
    decide_timeout: float = 8
    """Until a thread has decided, with the time until one is free. The function goes on: a thread can't be stopped."""

    max_head: ClassVar[int] = 32 * KIB
    """Of the request line and the headers together, which are half a KiB from Metacontroller."""
    max_headers: ClassVar[int] = 64
    """Metacontroller sends a handful; proxies add some."""
    max_url: ClassVar[int] = 2048
    """Far more than the path of a hook and a revision in the query."""
    max_large_bodies: ClassVar[int] = 2
    """How many bodies over 1 MiB are in memory at the same time. The others wait in their sockets. One is decided
    about while the next one arrives: a third one would only take memory."""
    handshake_timeout: ClassVar[float] = 5
    """Half of a hook call's timeout, for two round trips."""
    idle_timeout: ClassVar[float] = 120
    """Until the first byte of a connection. As long as keep_alive: a client in Go may open one before it needs it."""
    head_timeout: ClassVar[float] = 10
    """From the first byte of a request to the end of its headers. A hook call's timeout: its caller is gone then."""
    write_timeout: ClassVar[float] = 10
    """From the first byte of a response until the client has taken it. A hook call's timeout, too."""
    keep_alive: ClassVar[float] = 120
    """Longer than the 90 s for which Metacontroller keeps an idle connection: a request that is sent into a connection
    just being closed fails, and is not repeated."""
    max_connection_age: ClassVar[float] = 300
    """After which, or a bit before, a connection ends with the next response: so that clients spread over new replicas,
    and that their certificates are looked at again."""


NAMES = tuple(Limits.__annotations__)
"""Those of all limits."""

DEFAULT_LIMITS = Limits()
"""The limits of a server that is given none."""
