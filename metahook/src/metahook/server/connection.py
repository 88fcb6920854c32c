"""A connection: uvicorn's, with limits on what arrives before the app is called, and on how long a client takes.

uvicorn bounds neither headers nor times, except between requests. What of uvicorn this builds on is named in its test.
"""

import asyncio
from functools import partial
from http import HTTPStatus
from typing import Any

import httptools
from uvicorn._types import ASGI3Application, ASGIReceiveCallable, ASGISendCallable, ASGISendEvent, Scope
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from metahook.server.connections import Connections
from metahook.server.deadline import Deadline
from metahook.server.refusal import (
    HEAD_TOO_LARGE,
    HEAD_TOO_SLOW,
    NOT_HTTP,
    TOO_MANY_HEADERS,
    UPGRADE,
    URL_TOO_LONG,
    Refusal,
    Refused,
)

LINGER = 1.0
"""Seconds for which a client may read a refusal, while the rest of what it sends is dropped."""


class _Pipelined(Exception):
    """Raised when a request begins before the response to the last one is complete."""


class Connection(HttpToolsProtocol):
    """A connection. Its client is waited for between requests, in a head (request line and headers), or in a body."""

    def __init__(self, *args: Any, connections: Connections, **options: Any) -> None:  # noqa: ANN401 - uvicorn's
        super().__init__(*args, **options)
        self._connections = connections
        self._limits = connections.limits
        self._receiving = Deadline(self.loop)
        self._sending = Deadline(self.loop)
        self._cycle: RequestResponseCycle | None = None
        """The request whose response is not complete."""
        self._in_request = False
        self._in_body = False
        self._is_deaf = False
        """Whether all that arrives is dropped."""
        self._head_size = 0
        self._unread = 0
        """Bytes that have arrived since a part of the request was complete."""

    # What asyncio calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin, unless there are too many connections."""
        super().connection_made(transport)  # type: ignore[arg-type] # a transport of a socket
        self._is_deaf = not self._connections.admit(self)
        if self._is_deaf:
            self.transport.abort()
        else:
            self._receiving.set(self._limits.idle_timeout, partial(self.cut, "idle_timeout"))

    def data_received(self, data: bytes) -> None:
        """Parse *data*; refuse it as soon as a limit is passed."""
        if self._is_deaf:
            return
        if not self._cycle:
            self._begin_request()
        self._unread += len(data)
        try:
            self.parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            if not self._is_deaf:
                cause = error.__context__
                self._refuse(cause.refusal if isinstance(cause, Refused) else NOT_HTTP)
            return
        if self._unread > self._limits.max_head:
            self._refuse(HEAD_TOO_LARGE)
        elif self._in_body and self.cycle.body:
            # Why here: the app reads on when it has room for the body.
            self.flow.pause_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._connections.remove(self)
        self._receiving.end()
        self._sending.end()
        super().connection_lost(exc)

    # What the parser calls

    def on_message_begin(self) -> None:
        """Begin a request."""
        if self._cycle:
            self._is_deaf, self._cycle.keep_alive = True, False
            raise _Pipelined
        self._begin_request()
        self._head_size = 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Take a part of the URL."""
        super().on_url(url)
        self._head_size += len(url)
        if len(self.url) > self._limits.max_url:
            raise Refused(URL_TOO_LONG)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header, or a trailer."""
        super().on_header(name, value)
        self._head_size += len(name) + len(value) + len(": \r\n")
        if self._head_size > self._limits.max_head:
            raise Refused(HEAD_TOO_LARGE)
        if len(self.headers) > self._limits.max_headers:
            raise Refused(TOO_MANY_HEADERS)

    def on_headers_complete(self) -> None:
        """Call the app."""
        if self.parser.should_upgrade():
            raise Refused(UPGRADE)
        if self.parser.get_http_version() not in {"1.0", "1.1"}:
            raise Refused(NOT_HTTP)
        super().on_headers_complete()
        self._cycle = self.cycle
        self._unread = 0
        self._in_body = True
        self._receiving.remove()

    def on_body(self, body: bytes) -> None:
        """Take a part of the body."""
        self._unread = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """End a request."""
        self._unread = 0
        self._in_request = self._in_body = False
        self._receiving.remove()
        super().on_message_complete()

    # What uvicorn calls

    def shutdown(self) -> None:
        """Close the connection, unless a head is incomplete: its response closes it then, see shutdown.py."""
        if self._in_body or self._is_deaf or not self._in_request:
            super().shutdown()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        async def call(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
            async def note_and_send(message: ASGISendEvent) -> None:
                if message["type"] == "http.response.start":
                    self._note(cycle, message["status"])
                await send(message)

            await app(scope, receive, note_and_send)

        super()._start_asgi_task(cycle, call)

    def on_response_complete(self) -> None:
        """Wait for the client: for the rest of a request that was refused, or for the next one."""
        super().on_response_complete()
        self.cycle.body, self._cycle = bytearray(), None
        if self.transport.get_write_buffer_size() and not self._sending.is_set:
            self._sending.set(self._limits.write_timeout, self._cut_reader)
        if self._in_body:
            self._receiving.set(self._limits.body_timeout, partial(self.cut, "body_timeout"))

    # The limits

    def waits(self) -> bool:
        """Tell whether it is the client's turn."""
        return self._cycle is None or self._cycle.more_body

    def cut(self, limit: str) -> None:
        """Close the connection without a response, for *limit*; "" for none."""
        self._is_deaf = True
        if limit:
            self._connections.closed(limit)
        self.transport.abort()

    def _begin_request(self) -> None:
        if not self._in_request:
            self._in_request = True
            self._unread = 0
            if not self.transport.get_write_buffer_size():  # the client has taken the last response
                self._sending.remove()
            self._unset_keepalive_if_required()
            self._receiving.set(self._limits.head_timeout, partial(self._refuse, HEAD_TOO_SLOW))

    def _note(self, cycle: RequestResponseCycle, status: int) -> None:
        """Note the *status* of a response that is about to be sent."""
        if status == HTTPStatus.OK and cycle.scope["method"] == "POST":
            self._connections.trust(self)
        if cycle.waiting_for_100_continue:
            # Why here: such a client does not send the body, and the next request would be taken for it.
            cycle.keep_alive = False

    def _cut_reader(self) -> None:
        """Close the connection of a client that has not taken its response."""
        if self.transport.get_write_buffer_size():
            self.cut("write_timeout")

    def _refuse(self, refusal: Refusal) -> None:
        """Send *refusal* in place of any other response, and close the connection once the client could read it."""
        if self._cycle and self._cycle.response_started:
            self.cut(refusal.limit)
            return
        if self._cycle:
            self._cycle.disconnected = True
            self._cycle.message_event.set()
        self._is_deaf = True
        body = self._connections.refused(refusal)
        head = b"content-type: application/json\r\ncontent-length: %d\r\nconnection: close\r\n\r\n" % len(body)
        self.transport.write(STATUS_LINE[refusal.status] + head + body)
        if self.transport.can_write_eof():  # not over TLS
            self.transport.write_eof()
        self._receiving.set(LINGER, self.transport.abort)
