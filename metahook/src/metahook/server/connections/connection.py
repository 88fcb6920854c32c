"""A connection: gives uvicorn's protocol what arrives, once it is known to be within the limits.

uvicorn bounds neither heads nor times, except between requests. It is used by its public surface alone: its protocol
gets the calls that asyncio makes, and the app gets the ASGI messages, both from here.
"""

import asyncio
import random
import socket
import ssl
from collections.abc import Callable
from enum import Enum
from functools import partial
from http import HTTPStatus
from typing import Any, cast

from starlette.types import Scope
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from metahook.server.connections.connections import Connections
from metahook.server.connections.deadline import Deadline
from metahook.server.connections.incoming import Incoming
from metahook.server.connections.transport import dropping_when_closed, is_established
from metahook.server.refusal import HEAD_TOO_SLOW, Refusal, Refused

STATE = "metahook.connection"
"""The key of the connection in the ``state`` of an ASGI scope, which uvicorn copies from what its protocol gets."""

LINGER = 1.0
"""Seconds for which a client may read a refusal, while the rest of what it sends is dropped."""


class _Phase(Enum):
    """What is waited for."""

    OPENING = "the end of the TLS handshake"
    IDLE = "a request"
    HEAD = "the rest of a head: a request line and headers"
    BODY = "the rest of a body, or the response"
    DECIDING = "the response to a request that has arrived"
    REST = "the rest of a body whose request has its response"
    ENDED = "nothing: all that arrives is dropped"


_ARRIVING = (_Phase.HEAD, _Phase.BODY)
_UNANSWERED = (_Phase.BODY, _Phase.DECIDING)


class Connection(asyncio.Protocol):
    """A connection."""

    tls: ssl.SSLObject | None = None
    """The server's side of TLS; None over plain HTTP, and once the connection is closed."""

    def __init__(
        self,
        connections: Connections,
        accepted: socket.socket,
        abort: Callable[[], object],
        **options: Any,  # noqa: ANN401 - uvicorn's
    ) -> None:
        """Take the socket, and what closes the connection while it opens."""
        self._http = HttpToolsProtocol(app_state={STATE: self}, **options)
        self._socket = accepted
        self._abort = abort
        self._connections = connections
        self._limits = connections.limits
        self._incoming = Incoming(self._limits, self._head_begins, self._head_ends, self._body_ends)
        self._loop = loop = asyncio.get_running_loop()
        self._receiving, self._sending = Deadline(loop), Deadline(loop)
        self._transport: asyncio.Transport
        self._phase = _Phase.OPENING
        # At random, so that those that were opened together are not closed together.
        self._old_at = loop.time() + self._limits.max_connection_age * random.uniform(0.8, 1)  # noqa: S311 - no secret
        self.is_over_limit = False
        """Whether ``max_in_flight`` calls of hooks were in flight already when the request arrived."""
        self.is_response_begun = False
        self.header_count = 0
        """How many headers the request has."""
        self._has_left = self._is_call = self._is_in_flight = False
        self._responding = 0
        self._closes = False
        """Whether the connection ends with the response: another request has arrived before it."""

    # What asyncio calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start, unless the place was given to another connection in the meantime."""
        self._transport = cast("asyncio.Transport", transport)  # that of a socket
        self._abort = self._transport.abort
        self.tls = self._transport.get_extra_info("ssl_object")
        self._http.connection_made(dropping_when_closed(self._transport))
        if self._phase is _Phase.ENDED:
            self._http.connection_lost(ConnectionAbortedError())
            self._abort()
        else:
            self._enter(_Phase.IDLE, self._limits.idle_timeout, partial(self.cut, "idle_timeout"))

    def data_received(self, data: bytes) -> None:
        """Pass *data* on; refuse it as soon as a limit is passed."""
        if self._phase is _Phase.ENDED or self._closes:
            return
        if self._phase is _Phase.IDLE:
            self._begin_head()
        try:
            self._incoming.feed(data)
        except Refused as refused:
            self._refuse(refused.refusal, refused.place)
        else:
            self._http.data_received(data)
            if self._phase in _ARRIVING:
                self._connections.hold_head(self, self._incoming.head_size)

    def eof_received(self) -> None:
        """Close the connection: a client that has closed its side has left."""
        self._http.eof_received()
        self._leave()

    def pause_writing(self) -> None:
        """Note that the client does not take what is sent."""
        self._http.pause_writing()

    def resume_writing(self) -> None:
        """Note that the client has taken what was sent."""
        self._http.resume_writing()

    def connection_lost(self, _: Exception | None) -> None:
        """End."""
        self._leave()
        self._enter(_Phase.ENDED)
        self._connections.remove(self)
        self._receiving.end()
        self._sending.end()
        self._http.connection_lost(None)  # with an exception, uvicorn would keep its timer, and with it the connection
        del self._transport, self._abort
        self.tls = None
        self._let_go()

    def _let_go(self) -> None:
        # uvicorn's objects refer to one another, and the transport to us: they would keep its buffers, with TLS 0.2 MiB
        # and more, until the garbage collector runs. They are needed while the app responds.
        if not self._responding and not hasattr(self, "_transport"):
            vars(self._http).clear()

    # A client that leaves

    def end_if_left(self) -> bool:
        """End the connection if the client has closed its side before its response; tell whether it has."""
        # The loop may notice that later, and over TLS it closes the other side, too.
        if self._phase in _UNANSWERED and not is_established(self._socket):
            self._leave()
            self._transport.close()
        return self._has_left

    def _leave(self) -> None:
        """Note that the client has left, so that the app neither waits nor sends."""
        if self._phase in _UNANSWERED:
            self._has_left = True
            self._enter(_Phase.ENDED)
            self._http.connection_lost(ConnectionAbortedError())

    # What arrives

    def _begin_head(self) -> None:
        self._incoming.head_of_next()
        if not self._transport.get_write_buffer_size():  # the client has taken the last response
            self._sending.remove()
        self._enter(_Phase.HEAD, self._limits.head_timeout, partial(self._refuse, HEAD_TOO_SLOW))

    def _head_begins(self) -> None:
        """Note that a request begins: one that does not wait for the response before it is not answered."""
        if self._phase is _Phase.IDLE:
            self._begin_head()
        self._closes = self._phase is not _Phase.HEAD

    def _head_ends(self) -> None:
        """Wait for the app, which reads the body."""
        if not self._closes:
            self._enter(_Phase.BODY)
            self.header_count = self._incoming.header_count
            self.is_response_begun = self._is_call = self.is_over_limit = False

    def _body_ends(self) -> None:
        """Wait for the response, or for the next request."""
        if self._phase is _Phase.REST:
            # uvicorn has no time-out now: it ended with the first byte of this rest.
            self._enter(_Phase.IDLE, self._limits.keep_alive, self._transport.close)
        elif self._phase is _Phase.BODY:
            self._enter(_Phase.DECIDING)
            if self._is_call:
                self.count_call()

    @property
    def is_crowded(self) -> bool:
        """Whether there are more connections than calls of hooks may be in flight."""
        return self._connections.count > self._limits.max_in_flight

    def count_call(self) -> None:
        """Count the request as a call of a hook, which is in flight once its body has arrived."""
        self._is_call = True
        self.is_over_limit = self._connections.in_flight >= self._limits.max_in_flight
        self._is_in_flight = self._phase is _Phase.DECIDING and not self.is_over_limit
        self._connections.in_flight += self._is_in_flight

    def _enter(self, phase: _Phase, seconds: float = 0, on_late: Callable[[], object] | None = None) -> None:
        """End the phase, and the call in flight with it; wait for *phase*, and call *on_late* after *seconds*."""
        if self._phase in _ARRIVING and phase not in _ARRIVING:
            self._connections.release_head(self)
        if self._is_in_flight:
            self._leave_flight()
        self._phase = phase
        if on_late:
            self._receiving.set(seconds, on_late)
        else:
            self._receiving.remove()

    def _leave_flight(self) -> None:
        self._connections.in_flight -= 1
        self._is_in_flight = False

    # What is sent

    def note_app_called(self) -> None:
        """Note that the app is called for a request."""
        self._responding += 1

    def note_app_returned(self) -> None:
        """Note that the app has returned."""
        self._responding -= 1
        self._let_go()

    def begin_response(self, method: str, status: int) -> bool:
        """Note that a response begins; tell whether it is the last one on the connection."""
        self.is_response_begun = True
        if self._is_in_flight:  # also if the response waits for a client that does not read the one before it
            self._leave_flight()
        if self._phase is not _Phase.ENDED and status == HTTPStatus.OK and method == "POST":
            self._connections.trust(self)
        # So that its client opens another connection, perhaps to another replica.
        is_old = self._loop.time() >= self._old_at
        return is_old or self._closes or self._connections.are_ending or not self._incoming.keeps_alive

    def end_response(self) -> None:
        """Wait for the client: for the rest of a request that was refused, or for the next one."""
        if self._phase is _Phase.ENDED:
            return
        if self._transport.get_write_buffer_size() and not self._sending.is_set:
            self._sending.set(self._limits.write_timeout, self._cut_reader)
        if self._closes:
            self._enter(_Phase.ENDED)
            self._transport.close()
        elif self._phase is _Phase.BODY:
            self._enter(_Phase.REST, self._limits.body_timeout, partial(self.cut, "body_timeout"))
        else:
            self._enter(_Phase.IDLE)

    # The limits

    def waits(self) -> bool:
        """Tell whether it is the client's turn."""
        return self._phase is not _Phase.DECIDING or self.is_response_begun

    def close_if_idle(self) -> None:
        """Close the connection if it carries no request, not even the beginning of one."""
        if self._phase is _Phase.OPENING:
            self.cut("")
        elif self._phase in {_Phase.IDLE, _Phase.REST}:
            self._transport.close()

    def cut(self, limit: str) -> None:
        """Close the connection without a response, for *limit*; "" for none."""
        self._enter(_Phase.ENDED)
        if limit:
            self._connections.on_closed(limit)
        self._abort()

    def _cut_reader(self) -> None:
        """Close the connection of a client that has not taken its response."""
        if self._transport.get_write_buffer_size():
            self.cut("write_timeout")

    def _refuse(self, refusal: Refusal, place: str = "") -> None:
        """Send *refusal* in place of any other response, and close the connection once the client could read it."""
        if self._phase is _Phase.REST or (self._phase in _UNANSWERED and self.is_response_begun):
            if place:
                self._connections.refusal_body(refusal, place)
            self.cut(refusal.limit)
            return
        self._enter(_Phase.ENDED, LINGER, self._abort)
        self._http.connection_lost(ConnectionAbortedError())  # so that the app neither waits nor sends
        body = self._connections.refusal_body(refusal, place)
        self._transport.write(refusal.head(len(body)) + (b"" if self._incoming.is_head else body))
        if self._transport.can_write_eof():  # not over TLS
            self._transport.write_eof()


def connection_of(scope: Scope) -> Connection | None:
    """Return the connection on which the request of *scope* arrived; None under other servers."""
    connection: Connection | None = scope.get("state", {}).get(STATE)
    return connection
