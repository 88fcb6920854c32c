"""A server of one app: uvicorn's, on a socket that is open already, with connections that have limits."""

import asyncio
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial

import uvicorn
from starlette.types import ASGIApp

from metahook.server.app import DEFAULT_OPTIONS, ServerOptions
from metahook.server.callers.tls import Certificates
from metahook.server.connections.connection import Connection
from metahook.server.connections.connections import Connections
from metahook.server.connections.responses import on_connections
from metahook.server.lifecycle.listener import Listener
from metahook.server.refusal import Refusal

TURNS = 5
"""Turns of the loop from the accept of a connection until what has arrived on it is read: it may have a request."""

LOOK = 0.02
"""Seconds between two looks at requests that are incomplete."""


class Server(uvicorn.Server):
    """A server of *connections* that leaves signals to :func:`metahook.serve`."""

    def __init__(self, config: uvicorn.Config, connections: Connections, certificates: Certificates | None) -> None:
        super().__init__(config)
        self.servers = []  # of asyncio: the listeners are in place of them
        self.is_listening = asyncio.Event()
        self._connections = connections
        self._certificates = certificates
        self._listeners: list[Listener] = []

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Capture none."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept connections on *sockets*."""
        create = partial(Connection, self._connections, config=self.config, server_state=self.server_state)
        for each in sockets or []:
            listener = Listener(each, create, self._connections, self._certificates)
            listener.start()
            self._listeners.append(listener)
        self.started = True
        self.is_listening.set()

    def end_connections(self) -> None:
        """Close each connection with its next response."""
        self._connections.are_ending = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close the port, then the connections that carry no request, and wait for requests: each arrives in time."""
        for listener in self._listeners:
            listener.close()
        for _ in range(TURNS):
            await asyncio.sleep(0)
        self._connections.close_idle()
        while self._connections.heads and not self.force_exit:  # noqa: ASYNC110 - uvicorn waits so, too
            await asyncio.sleep(LOOK)
        await super().shutdown(sockets)


def create_server(
    app: ASGIApp,
    options: ServerOptions = DEFAULT_OPTIONS,
    connections: Connections | None = None,
    *,
    refuse: Callable[[Refusal, str], ASGIApp] | None = None,
    adds_date: bool = True,
) -> Server:
    """Return a server of *app* as :func:`metahook.serve` has it, not yet started. It leaves signals alone.

    *refuse* is as in :func:`on_connections`; *adds_date* is whether each response gets the header Date.
    """
    connections = connections or Connections(options.limits)
    config = uvicorn.Config(
        on_connections(app, refuse),
        http=Connection,
        ws="none",
        lifespan="off",
        timeout_keep_alive=int(options.limits.keep_alive),
        timeout_graceful_shutdown=int(options.stop_timeout) + 1,  # serve cuts off before that, see shutdown.py
        access_log=False,
        log_config=None,
        proxy_headers=False,
        server_header=False,
        date_header=adds_date,
    )
    return Server(config, connections, options.certificates)
