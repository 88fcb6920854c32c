"""The limits: what requests may take, all together or each."""

from dataclasses import dataclass

from metahook.protocol.wire import MAX_BODY

KIB = 1024


@dataclass(frozen=True)
class Limits:
    """The limits, each with a default that suits a Metacontroller with some thousand parents.

    Sizes are in bytes, times in seconds. A limit has the same name in settings, logs and metrics.
    """

    max_body: int = MAX_BODY
    max_head: int = 32 * KIB
    """Of the request line and the headers together."""
    max_headers: int = 64
    max_url: int = 2048
    max_connections: int = 800
    max_large_bodies: int = 2
    """How many bodies over 1 MiB are in memory at the same time. The others wait in their sockets."""
    max_in_flight: int = 64
    """Hook calls that are received and not yet answered. Those beyond get 429."""
    handshake_timeout: float = 5
    idle_timeout: float = 120
    """Until the first byte of a connection. As long as keep_alive: a client in Go may open one before it needs it."""
    head_timeout: float = 10
    """From the first byte of a request to the end of its headers."""
    body_timeout: float = 5
    """Counted from when the hook starts to read the body, with the time that a large one waits for a place. Half of a
    hook call's timeout: a request that waits for memory of a slow one is still answered in time."""
    decide_timeout: float = 8
    """Until a thread has decided, with the time until one is free. The function goes on: a thread can't be stopped."""
    write_timeout: float = 10
    """From the first byte of a response until the client has taken it."""
    keep_alive: float = 120
    """Longer than the 90 s for which Metacontroller keeps an idle connection: a request that is sent into a connection
    just being closed fails, and is not repeated."""
    max_connection_age: float = 300
    """After which, or a bit before, a connection ends with the next response: so that clients spread over new replicas,
    and that their certificates are looked at again."""


DEFAULT_LIMITS = Limits()
