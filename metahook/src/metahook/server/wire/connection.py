"""A connection: gives uvicorn's protocol what arrives, once it is known to be within the limits.

uvicorn bounds neither heads nor times, except between requests. It is used by its public surface alone: its protocol
gets the calls that asyncio makes, and the app gets the ASGI messages, both from here.
"""

import asyncio
from functools import partial
from http import HTTPStatus
from typing import Any, cast

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from metahook.server.refusal import HEAD_TOO_SLOW, Refusal, Refused
from metahook.server.wire.connections import STATE, Connections
from metahook.server.wire.deadline import Deadline
from metahook.server.wire.incoming import Incoming

LINGER = 1.0
"""Seconds for which a client may read a refusal, while the rest of what it sends is dropped."""

_CLOSE = (b"connection", b"close")


class Connection(asyncio.Protocol):
    """A connection. Its client is waited for between requests, in a head (request line and headers), or in a body."""

    def __init__(self, connections: Connections, app_state: dict[str, Any], **options: Any) -> None:  # noqa: ANN401 - uvicorn's
        self._http = HttpToolsProtocol(app_state={**app_state, STATE: self}, **options)
        self._connections = connections
        self._limits = connections.limits
        self._incoming = Incoming(self._limits, self)
        loop = asyncio.get_running_loop()
        self._receiving = Deadline(loop)
        self._sending = Deadline(loop)
        self._transport: asyncio.Transport
        self._is_in_head = False
        self._is_in_body = False
        self._is_unanswered = False
        """Whether a head has arrived whose response is not complete."""
        self._is_in_flight = False
        self.is_one_too_many = False
        """Whether the request arrived while as many were in flight as may be."""
        self._is_response_begun = False
        self._closes = False
        """Whether the connection ends with the response: another request has arrived before it."""
        self._is_deaf = False
        """Whether all that arrives is dropped."""

    # What asyncio calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin, unless there are too many connections."""
        self._transport = cast("asyncio.Transport", transport)  # that of a socket
        self._http.connection_made(self._transport)
        self._is_deaf = not self._connections.admit(self)
        if self._is_deaf:
            self._transport.abort()
        else:
            self._receiving.set(self._limits.idle_timeout, partial(self.cut, "idle_timeout"))

    def data_received(self, data: bytes) -> None:
        """Give *data* on; refuse it as soon as a limit is passed."""
        if self._is_deaf:
            return
        if not (self._is_in_head or self._is_in_body or self._is_unanswered):
            self._begin_head()
        try:
            self._incoming.feed(data)
        except Refused as refused:
            self._refuse(refused.refusal)
        else:
            self._http.data_received(data)

    def eof_received(self) -> None:
        """Note that the client sends nothing more."""
        self._http.eof_received()

    def pause_writing(self) -> None:
        """Note that the client does not take what is sent."""
        self._http.pause_writing()

    def resume_writing(self) -> None:
        """Note that the client has taken what was sent."""
        self._http.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._connections.remove(self)
        self._leave_head()
        self._leave_flight()
        self._receiving.end()
        self._sending.end()
        self._http.connection_lost(exc)

    # What arrives

    def _begin_head(self) -> None:
        self._is_in_head = True
        self._connections.heads += 1
        self._incoming.head_of_next()
        if not self._transport.get_write_buffer_size():  # the client has taken the last response
            self._sending.remove()
        self._receiving.set(self._limits.head_timeout, partial(self._refuse, HEAD_TOO_SLOW))

    def head_begins(self) -> None:
        """Note that a request begins: one that does not wait for the response before it is not answered."""
        if self._is_unanswered:
            self._closes = True

    def head_ends(self) -> None:
        """Wait for the app, which reads the body."""
        if self._closes:
            return
        self._leave_head()
        self._is_in_body, self._is_unanswered, self._is_response_begun = True, True, False
        self.is_one_too_many = self._connections.is_full
        self._receiving.remove()

    def body_ends(self) -> None:
        """Wait for the response."""
        self._is_in_body = False
        self._receiving.remove()
        if self._is_unanswered and not self._is_in_flight:
            self.is_one_too_many = self.is_one_too_many or self._connections.is_full
            self._is_in_flight = not self.is_one_too_many
            self._connections.in_flight += self._is_in_flight

    def _leave_head(self) -> None:
        if self._is_in_head:
            self._is_in_head = False
            self._connections.heads -= 1

    def _leave_flight(self) -> None:
        if self._is_in_flight:
            self._is_in_flight = False
            self._connections.in_flight -= 1

    # What is sent

    async def respond(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Have *app* respond to the request of *scope*."""
        expects = any(name == b"expect" for name, _ in scope["headers"])

        async def receive_expected() -> Message:
            nonlocal expects
            expects = False
            return await receive()

        async def send_noted(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._begin_response(scope, message["status"])
                # A client that waits to be asked for its body sends the next request instead if it never is.
                is_last = expects or self._closes or not self._incoming.keeps_alive
                message = closing(message) if is_last else message
            await send(message)
            if message["type"] == "http.response.body" and not message.get("more_body"):
                self._end_response()

        await app(scope, receive_expected if expects else receive, send_noted)

    def _begin_response(self, scope: Scope, status: int) -> None:
        if self._is_deaf:
            return
        self._is_response_begun = True
        if status == HTTPStatus.OK and scope["method"] == "POST":
            self._connections.trust(self)

    def _end_response(self) -> None:
        """Wait for the client: for the rest of a request that was refused, or for the next one."""
        if self._is_deaf:
            return
        self._is_unanswered = False
        self._leave_flight()
        if self._closes:
            self._is_deaf = True
            self._transport.close()
        if self._transport.get_write_buffer_size() and not self._sending.is_set:
            self._sending.set(self._limits.write_timeout, self._cut_reader)
        if self._is_in_body:
            self._receiving.set(self._limits.body_timeout, partial(self.cut, "body_timeout"))

    # The limits

    def close_if_idle(self) -> None:
        """Close the connection if it carries no request, not even the beginning of one."""
        if not (self._is_in_head or self._is_unanswered):
            self._transport.close()

    def waits(self) -> bool:
        """Tell whether it is the client's turn."""
        return not self._is_unanswered or self._is_in_body

    def cut(self, limit: str) -> None:
        """Close the connection without a response, for *limit*; "" for none."""
        self._is_deaf = True
        if limit:
            self._connections.closed(limit)
        self._transport.abort()

    def _cut_reader(self) -> None:
        """Close the connection of a client that has not taken its response."""
        if self._transport.get_write_buffer_size():
            self.cut("write_timeout")

    def _refuse(self, refusal: Refusal) -> None:
        """Send *refusal* in place of any other response, and close the connection once the client could read it."""
        if self._is_unanswered and self._is_response_begun:
            self.cut(refusal.limit)
            return
        self._is_deaf = True
        self._http.connection_lost(ConnectionAbortedError())  # so that the app neither waits nor sends
        body = self._connections.refused(refusal)
        status = HTTPStatus(refusal.status)
        head = f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: application/json\r\n"
        self._transport.write(f"{head}content-length: {len(body)}\r\nconnection: close\r\n\r\n".encode() + body)
        if self._transport.can_write_eof():  # not over TLS
            self._transport.write_eof()
        self._receiving.set(LINGER, self._transport.abort)


def on_connections(app: ASGIApp) -> ASGIApp:
    """Return *app* for a server of connections: each of them gets to know what *app* sends on it."""

    async def respond(scope: Scope, receive: Receive, send: Send) -> None:
        connection: Connection = scope["state"][STATE]
        await connection.respond(app, scope, receive, send)

    return respond


def closing(message: Message) -> Message:
    """Return *message* of an app, the start of a response, with the header that closes the connection."""
    headers = message.get("headers", ())
    if any(name.lower() == _CLOSE[0] for name, _ in headers):
        return message
    return {**message, "headers": [*headers, _CLOSE]}
