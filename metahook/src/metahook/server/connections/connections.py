"""The connections of a server: how many there may be, and which one is closed for a new one."""

from collections.abc import Callable
from typing import Protocol

from metahook.server.limits import KIB, Limits
from metahook.server.refusal import Refusal

OnClosed = Callable[[str], object]
"""Called with the limit, or another reason, when a connection is closed without a response."""

MAX_CONNECTIONS = "max_connections"

HEADS = "heads"
"""Why a connection is closed: there are too many heads in memory, and its request has been arriving for longest."""

MAX_HEADS = 8 * 1024 * KIB
"""Bytes of the heads of requests that have not arrived completely. In memory they take about four times as many."""


def ignore(_: str) -> None:
    """Do nothing with the reason for which a connection is closed."""


def _body(refusal: Refusal, _: str) -> bytes:
    return refusal.body("")


class Member(Protocol):
    """What a connection does for the others."""

    def waits(self) -> bool:
        """Tell whether it is the client's turn."""

    def close_if_idle(self) -> None:
        """Close the connection if it carries no request, not even the beginning of one."""

    def cut(self, limit: str) -> None:
        """Close the connection without a response, for *limit*."""


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
        self.are_ending = False
        """Whether each connection ends with its next response."""
        self.in_flight = 0
        """Calls of hooks that have arrived completely and have no response yet, so a slow client has none."""
        self.heads: dict[Member, int] = {}
        """The bytes of the heads of requests that have begun to arrive and are incomplete, the oldest first."""
        self._limit = limit
        self._head_bytes = 0
        self._untrusted: dict[Member, None] = {}
        """Those that have got no 200, the oldest first."""
        self._trusted: dict[Member, None] = {}
        """Those that have got a 200, the one whose last 200 is longest ago first."""

    @property
    def count(self) -> int:
        """Tell how many are open."""
        return len(self._untrusted) + len(self._trusted)

    def admit(self, connection: Member) -> bool:
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

    def hold_head(self, connection: Member, size: int) -> None:
        """Note that the request of *connection* has a head of *size* bytes, and is incomplete.

        If there are too many, those that have been arriving for longest are closed, first those that have got no 200.
        """
        self._head_bytes += size - self.heads.get(connection, 0)
        self.heads[connection] = size
        while self._head_bytes > MAX_HEADS:
            longest = next(iter(self.heads))
            next((each for each in self.heads if each in self._untrusted), longest).cut(HEADS)

    def release_head(self, connection: Member) -> None:
        """Note that the request of *connection* has arrived, or never will."""
        self._head_bytes -= self.heads.pop(connection, 0)

    def trust(self, connection: Member) -> None:
        """Note that a 200 is sent on *connection*."""
        self.remove(connection)
        self._trusted[connection] = None

    def close_idle(self) -> None:
        """Close the connections that carry no request."""
        for connection in [*self._untrusted, *self._trusted]:
            connection.close_if_idle()

    def remove(self, connection: Member) -> None:
        """Note that *connection* is closed."""
        self._untrusted.pop(connection, None)
        self._trusted.pop(connection, None)
