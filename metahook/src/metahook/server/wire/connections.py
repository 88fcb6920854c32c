"""The connections of a server: how many there may be, and which one is closed for a new one."""

import ssl
from collections.abc import Callable
from typing import Protocol

from starlette.types import Scope

from metahook.server.limits import Limits
from metahook.server.refusal import Refusal

STATE = "metahook.connection"
"""The key of the connection in the ``state`` of an ASGI scope, which uvicorn copies from what its protocol gets."""


class _Connection(Protocol):
    is_one_too_many: bool

    @property
    def tls(self) -> ssl.SSLObject | None:
        """The server's side of TLS; None over plain HTTP."""

    def waits(self) -> bool:
        """Tell whether it is the client's turn."""

    def cut(self, limit: str) -> None:
        """Close the connection without a response, for *limit*."""

    def close_if_idle(self) -> None:
        """Close the connection if it carries no request."""


Closed = Callable[[str], object]
"""Called with the limit, or another reason, when a connection is closed without a response."""

MAX_CONNECTIONS = "max_connections"


def is_one_too_many(scope: Scope) -> bool:
    """Tell whether the request of *scope* arrived while as many were in flight as may be; False under other servers."""
    connection: _Connection | None = scope.get("state", {}).get(STATE)
    return connection is not None and connection.is_one_too_many


def tls_of(scope: Scope) -> ssl.SSLObject | None:
    """Return the server's side of the TLS connection of *scope*; None over plain HTTP, and under other servers."""
    connection: _Connection | None = scope.get("state", {}).get(STATE)
    return connection.tls if connection else None


def ignore(_: str) -> None:
    """Do nothing with the reason for which a connection is closed."""


def _body(refusal: Refusal) -> bytes:
    return refusal.body("")


class Connections:
    """The connections of one server."""

    def __init__(
        self,
        limits: Limits,
        closed: Closed = ignore,
        refused: Callable[[Refusal], bytes] = _body,
        limit: str = MAX_CONNECTIONS,
    ) -> None:
        """Take what is called with the limit of each connection that is *closed* without a response.

        *refused* is called with each refusal that is sent before the app is called, and returns its body. *limit* names
        the maximum number of connections.
        """
        self.limits = limits
        self.closed = closed
        self.refused = refused
        self.in_flight = 0
        """Requests that have arrived completely and have no response yet, so a slow sender has none."""
        self.heads = 0
        """Requests whose head has begun and is incomplete."""
        self._limit = limit
        self._open: set[_Connection] = set()
        self._untrusted: dict[_Connection, None] = {}

    @property
    def is_full(self) -> bool:
        """Whether no more requests may be in flight."""
        return self.in_flight >= self.limits.max_in_flight

    @property
    def count(self) -> int:
        """Tell how many are open."""
        return len(self._open)

    def admit(self, connection: _Connection) -> bool:
        """Tell whether *connection* may stay. At the limit, another one is closed for it.

        That is the oldest of those that got no 200 and whose client is waited for: Metacontroller has got one.
        """
        if len(self._open) >= self.limits.max_connections:
            longest = next((other for other in self._untrusted if other.waits()), None)
            if longest is None:
                self.closed(self._limit)
                return False
            self.remove(longest)
            longest.cut(self._limit)
        self._open.add(connection)
        self._untrusted[connection] = None
        return True

    def trust(self, connection: _Connection) -> None:
        """Note that a 200 is sent on *connection*."""
        self._untrusted.pop(connection, None)

    def close_idle(self) -> None:
        """Close the connections that carry no request."""
        for connection in list(self._open):
            connection.close_if_idle()

    def remove(self, connection: _Connection) -> None:
        """Note that *connection* is closed."""
        self._open.discard(connection)
        self.trust(connection)
