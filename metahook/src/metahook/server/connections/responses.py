"""The responses of an app, and which one is the last on its connection."""

import asyncio
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from metahook.server.connections.connection import Connection, connection_of
from metahook.server.refusal import STOPPED, Refusal

_CLOSE = (b"connection", b"close")


def on_connections(app: ASGIApp, refuse: Callable[[Refusal, str], ASGIApp] | None) -> ASGIApp:
    """Return *app* for a server of connections: each connection is told what *app* sends on it.

    *refuse* returns the response of a refusal to a request for a path, for those that the shutdown cuts off; without
    it, they end as uvicorn ends them.
    """

    async def respond(scope: Scope, receive: Receive, send: Send) -> None:
        connection: Connection = connection_of(scope)  # type: ignore[assignment] # our server's requests have one
        scope["headers"] = scope["headers"][: connection.header_count]  # uvicorn appends the trailers
        expects = b"expect" in dict(scope["headers"])

        async def receive_expected() -> Message:
            nonlocal expects
            expects = False
            return await receive()

        async def send_noted(message: Message) -> None:
            if message["type"] == "http.response.start":
                is_last = connection.begin_response(scope["method"], message["status"])
                # A client that waits to be asked for its body sends the next request instead if it never is.
                message = _closing(message) if is_last or expects else message
            await send(message)
            if message["type"] == "http.response.body" and not message.get("more_body"):
                connection.end_response()

        connection.note_app_called()
        try:
            await app(scope, receive_expected if expects else receive, send_noted)
        except asyncio.CancelledError:
            if refuse is None:
                raise
            if not connection.is_response_begun:
                await refuse(STOPPED, scope["path"])(scope, receive, send_noted)
        finally:
            connection.note_app_returned()

    return respond


def _closing(message: Message) -> Message:
    """Return *message* of an app, the start of a response, with the header that closes the connection."""
    headers = message.get("headers", ())
    if any(name.lower() == _CLOSE[0] for name, _ in headers):
        return message
    return {**message, "headers": [*headers, _CLOSE]}
