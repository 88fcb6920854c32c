"""The server: two listeners in one event loop, started and stopped together."""

import asyncio
import logging
import os
import socket
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from ipaddress import ip_address

import uvicorn
import uvloop
from starlette.types import ASGIApp

from metahook.server.address import Address
from metahook.server.app import DEFAULT_OPTIONS, Controllers, ServerOptions, create_app, create_reports, paths
from metahook.server.connection import Connection
from metahook.server.connections import MAX_CONNECTIONS, Connections
from metahook.server.direct import DirectConnection, TryRespond
from metahook.server.health import create_health_app
from metahook.server.limits import Limits
from metahook.server.line import Line
from metahook.server.logs import set_up_logging
from metahook.server.memory import give_back_large_blocks
from metahook.server.metrics import Metrics
from metahook.server.reports import Reports
from metahook.server.shutdown import CUT_OFF, Shutdown
from metahook.server.tls import ListenersContext
from metahook.server.watched_files import reloading

HEALTH_CONNECTIONS = 64
"""Of the kubelet, and of those who read the metrics."""

log = logging.getLogger(__name__)


class Server(uvicorn.Server):
    """A server that leaves signals to :func:`serve`."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.servers = []
        self.is_listening = asyncio.Event()

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Capture none."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept connections on *sockets*. Why not as uvicorn does: it has no timeouts for TLS."""
        config, loop = self.config, asyncio.get_running_loop()

        def protocol() -> asyncio.Protocol:
            return config.http_protocol_class(  # type: ignore[call-arg] # as uvicorn calls it
                config=config, server_state=self.server_state, app_state={}
            )

        tls = config.ssl if isinstance(config.ssl, ListenersContext) else None
        for each in sockets or []:
            server = await loop.create_server(
                protocol,
                sock=each,
                backlog=config.backlog,
                ssl=tls,
                ssl_handshake_timeout=tls.limits.handshake_timeout if tls else None,
                ssl_shutdown_timeout=tls.limits.write_timeout if tls else None,
            )
            self.servers.append(server)
        self.started = True
        self.is_listening.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close the port, then the connections that carry no request."""
        for server in self.servers:
            server.close()
        for _ in range(2):  # Why here: the loop reads what has arrived, so that no connection is closed with a request
            await asyncio.sleep(0)
        await super().shutdown(sockets)


def create_server(
    app: ASGIApp,
    options: ServerOptions = DEFAULT_OPTIONS,
    tls: ListenersContext | None = None,
    connections: Connections | None = None,
    try_respond: TryRespond | None = None,
) -> Server:
    """Return a server of *app* as :func:`serve` has it, not yet started. It leaves signals alone.

    *try_respond* responds directly to the requests for which it can; None if the app responds to all.
    """
    connections = connections or Connections(options.limits)
    protocol = partial(DirectConnection, try_respond=try_respond) if try_respond else Connection
    config = uvicorn.Config(
        app,
        http=partial(protocol, connections=connections),  # type: ignore[arg-type] # it makes one
        ws="none",
        lifespan="off",
        timeout_keep_alive=int(options.limits.keep_alive),
        timeout_graceful_shutdown=int(options.stop_timeout) + 1,  # Why more: serve cuts off first, see shutdown.py
        access_log=False,
        log_config=None,
        proxy_headers=False,
        server_header=False,
        ssl_context_factory=(lambda _, __: tls) if tls else None,
    )
    return Server(config)


def serve(
    controllers: Controllers, hooks_at: Address, health_at: Address, options: ServerOptions = DEFAULT_OPTIONS
) -> None:
    """Serve *controllers* until SIGTERM or SIGINT, and log to stderr unless logging is set up already.

    Raise CannotListen if an address is taken. If requests are cut off, or a hook function has not returned, end the
    process with exit code 1.
    """
    give_back_large_blocks()
    set_up_logging(options.log)
    metrics = Metrics(paths(controllers), options.version, options.limits)
    reports = create_reports(controllers, options, metrics)
    shutdown = Shutdown(options.drain, options.stop_timeout, reports)
    with shutdown.on_signals(), health_at.listen() as health_socket, hooks_at.listen() as hooks_socket:
        app = create_app(controllers, options, health_port=health_socket.getsockname()[1], reports=reports)
        log.info(_started(hooks_socket, health_socket, options))
        if not ip_address(hooks_socket.getsockname()[0]).is_loopback:
            _warn_of_other_machines(options)
        connections = _connections(options.limits, reports)
        metrics.measure(lambda: app.state.work.in_flight, lambda: connections.count)
        tls = _tls(options, metrics, reports)
        try_respond = app.state.try_respond and shutdown.direct(app.state.try_respond)
        hooks = create_server(shutdown.served(app), options, tls, connections, try_respond)
        few = replace(options.limits, max_connections=HEALTH_CONNECTIONS)
        of_health = _connections(few, reports, "health_connections")
        health_app = create_health_app(lambda: shutdown.is_ready, metrics)
        health = create_server(health_app, options, connections=of_health)
        uvloop.run(_serve(Listener(hooks, hooks_socket), Listener(health, health_socket), shutdown, reports, options))
    if app.state.work.is_in_threads:
        os._exit(CUT_OFF)  # Why here: its request got a refusal long ago, and Python would wait for the thread


def _warn_of_other_machines(options: ServerOptions) -> None:
    """Log what is not meant for an address that other machines can reach."""
    if options.dev:
        log.warning("development mode is open to other machines: listen on 127.0.0.1, except in a container")
    if options.tokens and not options.certificates:
        log.warning("tokens are sent without TLS: anyone on the network can read them; set --tls-cert and --tls-key")


def _connections(limits: Limits, reports: Reports, limit: str = MAX_CONNECTIONS) -> Connections:
    return Connections(limits, reports.closed, lambda refusal: refusal.body(reports.count_refusal("", refusal)), limit)


def _started(hooks_socket: socket.socket, health_socket: socket.socket, options: ServerOptions) -> Line:
    """Return the first line of the log."""
    hooks, health = (_text(each.getsockname()) for each in (hooks_socket, health_socket))
    return Line("started", version=options.version, hooks=hooks, health=health, settings=dict(options.settings))


def _text(address: tuple[str, int]) -> str:
    host, port = address[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _tls(options: ServerOptions, metrics: Metrics, reports: Reports) -> ListenersContext | None:
    """Return the context for TLS, or None for plain HTTP."""
    certificates = options.certificates
    if certificates is None:
        return None
    metrics.measure_certificate(lambda: certificates.expiry)
    return certificates.context(reports.closed, options.limits)


@dataclass(frozen=True)
class Listener:
    """A server with its socket."""

    server: Server
    socket: socket.socket

    async def start(self, tasks: asyncio.TaskGroup) -> asyncio.Task[None]:
        """Return the task that serves, once it accepts connections."""
        task = tasks.create_task(self.server.serve([self.socket]))
        await self.server.is_listening.wait()
        return task


async def _serve(
    hooks: Listener, health: Listener, shutdown: Shutdown, reports: Reports, options: ServerOptions
) -> None:
    async with reloading(options.certificates, options.tokens), reports.writing_counts():
        await run(hooks, health, shutdown)


async def run(hooks: Listener, health: Listener, shutdown: Shutdown) -> None:
    """Serve health, then the hooks, until the end of *shutdown*."""
    shutdown.attach()
    async with asyncio.TaskGroup() as tasks:
        health_served = await health.start(tasks)
        hooks_served = await hooks.start(tasks)
        shutdown.serving()
        await shutdown.stop(hooks.server, hooks_served)
        for task in (hooks_served, health_served):
            task.cancel()
