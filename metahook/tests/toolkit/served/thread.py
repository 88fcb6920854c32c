"""A hook in a thread of this process, and clients that send it bytes."""

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from email.message import Message
from http.client import HTTPResponse
from typing import NamedTuple

import pytest
from fastapi import FastAPI

from metahook.server import Address, Controllers, ServerOptions, callers, create_app
from metahook.server.options import DEFAULT_OPTIONS
from metahook.server.serve import HookServer
from toolkit.hooks.minimal import TINY, sync_body
from toolkit.waiting import eventually

PATIENCE = 10
"""Seconds for which a client waits."""
POLL = 0.02
"""Seconds between two looks at files."""
TINY_BODY = sync_body()

At = tuple[str, int]
"""Where a hook is served."""


def serving(controllers: Controllers = TINY, options: ServerOptions = DEFAULT_OPTIONS) -> AbstractContextManager[At]:
    """Serve *controllers* until the block ends; return where."""
    return serving_app(create_app(controllers, options))


@contextmanager
def serving_app(app: FastAPI) -> Iterator[At]:
    """Serve *app*, of :func:`metahook.server.create_app`, until the block ends; yield where."""
    with pytest.MonkeyPatch.context() as patched, Address("127.0.0.1", 0).listen() as listener:
        patched.setattr(callers, "POLL", POLL)
        server = HookServer(app)
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            assert eventually(lambda: server.started)
            yield listener.getsockname()
        finally:
            server.should_exit = True
            thread.join(PATIENCE)


class Answer(NamedTuple):
    """A response."""

    status: int
    headers: Message
    body: bytes

    @property
    def is_last(self) -> bool:
        """Whether it says that the connection is closed."""
        return bool(self.headers["connection"] == "close")


def raw(content: bytes = TINY_BODY, *headers: str, line: str = "POST /sync HTTP/1.1") -> bytes:
    """Return a request with *content*, whose headers have its length."""
    lines = (line, "Host: hook", "Content-Type: application/json", f"Content-Length: {len(content)}", *headers)
    return "\r\n".join((*lines, "", "")).encode("latin-1") + content


def sent(at: At, request: bytes, client: ssl.SSLContext | None = None) -> socket.socket:
    """Return a new connection on which *request* has been sent."""
    connection = socket.create_connection(at, PATIENCE)
    if client:
        connection = client.wrap_socket(connection, server_hostname="127.0.0.1")
    connection.sendall(request)
    return connection


def read(connection: socket.socket) -> Answer:
    """Return the next response on *connection*; raise HTTPException or OSError if there is none."""
    with HTTPResponse(connection) as response:
        response.begin()
        return Answer(response.status, response.headers, response.read())


def asked(at: At, request: bytes, client: ssl.SSLContext | None = None) -> Answer:
    """Return the response to *request*, on a connection that is then closed."""
    with sent(at, request, client) as connection:
        return read(connection)
