"""A server of one app: uvicorn's, on a socket that is open already, with connections that have limits."""

import asyncio
import socket
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial

import uvicorn
from starlette.types import ASGIApp

from metahook.server.app import DEFAULT_OPTIONS, ServerOptions
from metahook.server.callers.tls import ListenersContext
from metahook.server.wire.connection import Connection, on_connections
from metahook.server.wire.connections import Connections

LOOK = 0.02
"""Seconds between two looks at heads that are incomplete."""


class Server(uvicorn.Server):
    """A server of *connections* that leaves signals to :func:`metahook.serve`."""

    def __init__(self, config: uvicorn.Config, connections: Connections, tls: ListenersContext | None) -> None:
        super().__init__(config)
        self.servers = []
        self.is_listening = asyncio.Event()
        self._connections = connections
        self._tls = tls

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Capture none."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept connections on *sockets*, with the time-outs for TLS that uvicorn does not have."""
        loop, tls = asyncio.get_running_loop(), self._tls
        protocol = partial(
            Connection, self._connections, config=self.config, server_state=self.server_state, app_state={}
        )
        for listener in sockets or []:
            server = await loop.create_server(
                protocol,
                sock=listener,
                backlog=self.config.backlog,
                ssl=tls,
                ssl_handshake_timeout=tls.limits.handshake_timeout if tls else None,
                ssl_shutdown_timeout=tls.limits.write_timeout if tls else None,
            )
            self.servers.append(server)
        self.started = True
        self.is_listening.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close the port, then the connections that carry no request, and wait for heads: each ends by its deadline."""
        for server in self.servers:
            server.close()
        for _ in range(2):  # so that the loop reads what has arrived, and no connection is closed with a request
            await asyncio.sleep(0)
        self._connections.close_idle()
        while self._connections.heads and not self.force_exit:  # noqa: ASYNC110 - uvicorn waits so, too
            await asyncio.sleep(LOOK)
        await super().shutdown(sockets)


def create_server(
    app: ASGIApp,
    options: ServerOptions = DEFAULT_OPTIONS,
    tls: ListenersContext | None = None,
    connections: Connections | None = None,
) -> Server:
    """Return a server of *app* as :func:`metahook.serve` has it, not yet started. It leaves signals alone."""
    connections = connections or Connections(options.limits)
    config = uvicorn.Config(
        on_connections(app),
        http=Connection,
        ws="none",
        lifespan="off",
        timeout_keep_alive=int(options.limits.keep_alive),
        timeout_graceful_shutdown=int(options.stop_timeout) + 1,  # serve cuts off before that, see shutdown.py
        access_log=False,
        log_config=None,
        proxy_headers=False,
        server_header=False,
    )
    return Server(config, connections, tls)
