"""The connections of a server: how many there may be, and which one is closed for a new one."""

import asyncio
import socket
import ssl
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from starlette.types import Message, Scope

from metahook.server.limits import KIB, Limits
from metahook.server.refusal import Refusal

if TYPE_CHECKING:
    from metahook.server.connections.connection import Connection

STATE = "metahook.connection"
"""The key of the connection in the ``state`` of an ASGI scope, which uvicorn copies from what its protocol gets."""


OnClosed = Callable[[str], object]
"""Called with the limit, or another reason, when a connection is closed without a response."""

MAX_CONNECTIONS = "max_connections"

HEADS = "heads"
"""Why a connection is closed: there are too many heads in memory, and its request has been arriving for longest."""

MAX_HEADS = 8 * 1024 * KIB
"""Bytes of the heads of requests that have not arrived completely. In memory they take about four times as many."""

_CLOSE = (b"connection", b"close")

_TCP_ESTABLISHED = b"\x01"
"""The state of a TCP connection of which no side is closed, in Linux: the first byte of tcp_info."""


def is_over_limit(scope: Scope) -> bool:
    """Tell whether the request of *scope* arrived while as many were in flight as may be; False under other servers."""
    connection: Connection | None = scope.get("state", {}).get(STATE)
    return connection is not None and connection.is_over_limit


def is_ours(scope: Scope) -> bool:
    """Tell whether the request of *scope* arrived on one of our connections, and not on one of another server."""
    return STATE in scope.get("state", {})


async def count_call(scope: Scope) -> bool:
    """Count the request of *scope*, which calls a hook; tell whether it is within the limit. Only our server counts."""
    connection: Connection | None = scope.get("state", {}).get(STATE)
    if connection is None:
        return True
    may_exceed_limit = connection.count_call()
    if may_exceed_limit and not connection.is_over_limit:
        await asyncio.sleep(0)  # all that have arrived by now are counted before one of them is decided about
    return not connection.is_over_limit


def end_if_left(scope: Scope) -> bool:
    """End the connection of *scope* if its client has left before its response; False under other servers."""
    connection: Connection | None = scope.get("state", {}).get(STATE)
    return connection is not None and connection.end_if_left()


def is_established(connected: socket.socket) -> bool:
    """Tell whether both sides of TCP are open; True where the system does not tell."""
    if sys.platform != "linux":
        return True
    try:
        return connected.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1) == _TCP_ESTABLISHED
    except OSError:  # it is closed
        return False


def tls_of(scope: Scope) -> ssl.SSLObject | None:
    """Return the server's side of the TLS connection of *scope*; None over plain HTTP, and under other servers."""
    connection: Connection | None = scope.get("state", {}).get(STATE)
    return connection.tls if connection else None


def closing(message: Message) -> Message:
    """Return *message* of an app, the start of a response, with the header that closes the connection."""
    headers = message.get("headers", ())
    if any(name.lower() == _CLOSE[0] for name, _ in headers):
        return message
    return {**message, "headers": [*headers, _CLOSE]}


def ignore(_: str) -> None:
    """Do nothing with the reason for which a connection is closed."""


def _body(refusal: Refusal, _: str) -> bytes:
    return refusal.body("")


class Connections:
    """The connections of one server.

    When all places are taken, the connection that has done nothing for longest is closed for a new one: in its TLS
    handshake, silent, in the middle of a request, or idle after a response. One that waits for the hook stays.
    """

    def __init__(
        self,
        limits: Limits,
        on_closed: OnClosed = ignore,
        refusal_body: Callable[[Refusal, str], bytes] = _body,
        limit: str = MAX_CONNECTIONS,
    ) -> None:
        """Take *on_closed*, which is called with the limit of each connection that is closed without a response.

        *refusal_body* is called with each refusal that is sent before the app is called, and where in the code the
        server failed, or ""; it returns the body. *limit* names the maximum number of connections.
        """
        self.limits = limits
        self.on_closed = on_closed
        self.refusal_body = refusal_body
        self.in_flight = 0
        """Calls of hooks that have arrived completely and have no response yet, so a slow client has none."""
        self.heads: dict[Connection, int] = {}
        """The bytes of the heads of requests that have begun to arrive and are incomplete, the oldest first."""
        self._limit = limit
        self._head_bytes = 0
        self._untrusted: dict[Connection, None] = {}
        """Those that have got no 200, the oldest first."""
        self._trusted: dict[Connection, None] = {}
        """Those that have got a 200, the one whose last 200 is longest ago first."""

    @property
    def is_full(self) -> bool:
        """Whether no more requests may be in flight."""
        return self.in_flight >= self.limits.max_in_flight

    @property
    def may_exceed_limit(self) -> bool:
        """Whether there are more connections than requests may be in flight, so that one may be over the limit."""
        return self.count > self.limits.max_in_flight

    @property
    def count(self) -> int:
        """Tell how many are open."""
        return len(self._untrusted) + len(self._trusted)

    def admit(self, connection: "Connection") -> bool:
        """Tell whether *connection* may stay. At the limit, another one is closed for it."""
        if self.count >= self.limits.max_connections and not self.make_room():
            self.on_closed(self._limit)
            return False
        self._untrusted[connection] = None
        return True

    def make_room(self) -> bool:
        """Close the connection that has done nothing for longest; tell whether there was one.

        It is one of those that have got a 200 only if they have more than half of the places: who can't call the hook
        closes no connection of Metacontroller, and idle ones do not keep others out.
        """
        for kind in sorted((self._untrusted, self._trusted), key=len, reverse=True):
            longest = next((other for other in kind if other.waits()), None)
            if longest:
                self.remove(longest)
                longest.cut(self._limit)
                return True
        return False

    def hold_head(self, connection: "Connection", size: int) -> None:
        """Note that the request of *connection* has a head of *size* bytes, and is incomplete.

        If there are too many, those that have been arriving for longest are closed, first those that have got no 200.
        """
        self._head_bytes += size - self.heads.get(connection, 0)
        self.heads[connection] = size
        while self._head_bytes > MAX_HEADS:
            longest = next(iter(self.heads))
            next((each for each in self.heads if each in self._untrusted), longest).cut(HEADS)

    def release_head(self, connection: "Connection") -> None:
        """Note that the request of *connection* has arrived, or never will."""
        self._head_bytes -= self.heads.pop(connection, 0)

    def trust(self, connection: "Connection") -> None:
        """Note that a 200 is sent on *connection*."""
        self.remove(connection)
        self._trusted[connection] = None

    def close_idle(self) -> None:
        """Close the connections that carry no request."""
        for connection in [*self._untrusted, *self._trusted]:
            connection.close_if_idle()

    def remove(self, connection: "Connection") -> None:
        """Note that *connection* is closed."""
        self._untrusted.pop(connection, None)
        self._trusted.pop(connection, None)
