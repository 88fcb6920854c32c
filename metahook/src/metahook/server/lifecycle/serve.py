"""``serve``: serves controllers until a signal, with health and metrics on a port of their own."""

import asyncio
import logging
import os
import socket
from dataclasses import dataclass, replace
from functools import partial
from ipaddress import ip_address

import uvloop

from metahook.server.app import DEFAULT_OPTIONS, ServerOptions, create_app, create_telemetry
from metahook.server.callers.watched_files import Reloaded, reloading
from metahook.server.connections.connections import MAX_CONNECTIONS, Connections
from metahook.server.hook.router import Controllers, handlers_of
from metahook.server.lifecycle.address import Address
from metahook.server.lifecycle.allocator import give_back_large_blocks
from metahook.server.lifecycle.health import create_health_app
from metahook.server.lifecycle.server import Server, create_server
from metahook.server.lifecycle.shutdown import CUT_OFF, Shutdown
from metahook.server.limits import Limits
from metahook.server.telemetry.log_event import LogEvent
from metahook.server.telemetry.logs import set_up_logging
from metahook.server.telemetry.metrics import Metrics
from metahook.server.telemetry.telemetry import Telemetry

HEALTH_CONNECTIONS = 64
"""Of the kubelet, and of those who read the metrics."""

log = logging.getLogger(__name__)


def serve(
    controllers: Controllers, hooks_at: Address, health_at: Address, options: ServerOptions = DEFAULT_OPTIONS
) -> None:
    """Serve *controllers* until a signal, such as SIGTERM, and log to stderr unless logging is set up already.

    Raise CannotListen if an address is taken. If requests are cut off, or a hook function has not returned, end the
    process with exit code 1.
    """
    give_back_large_blocks()
    metrics = Metrics(handlers_of(controllers), options.version, options.limits, options.collectors)
    set_up_logging(options.log, metrics.omitted)
    telemetry = create_telemetry(controllers, options, metrics)
    shutdown = Shutdown(options.drain, options.stop_timeout, telemetry)
    with shutdown.on_signals(), health_at.listen() as health_socket, hooks_at.listen() as hooks_socket:
        connections = _connections(options.limits, telemetry)
        app = create_app(controllers, options, telemetry=telemetry)
        log.info(_started(hooks_socket, health_socket, options))
        if not ip_address(hooks_socket.getsockname()[0]).is_loopback:
            _warn_of_other_machines(options)
        _watch_files(options, metrics)
        calls = app.state.calls
        metrics.measure(lambda: connections.in_flight + calls.late, lambda: connections.count, lambda: calls.late)
        if certificates := options.certificates:
            metrics.measure_certificate(lambda: certificates.expiry)
        hook_server = create_server(app, options, connections, refuse=telemetry.respond_refused)
        health_limits = replace(options.limits, max_connections=HEALTH_CONNECTIONS)
        health_connections = _connections(health_limits, telemetry, "health_connections")
        health_app = create_health_app(lambda: shutdown.is_ready, metrics, lambda: calls.is_stuck)
        health_server = create_server(health_app, replace(options, certificates=None), health_connections)
        uvloop.run(
            _serve(
                BoundServer(hook_server, hooks_socket),
                BoundServer(health_server, health_socket),
                shutdown,
                telemetry,
                options,
            )
        )
    if calls.has_busy_threads:
        os._exit(CUT_OFF)  # its request got a refusal long ago, and Python would wait for the thread


def _warn_of_other_machines(options: ServerOptions) -> None:
    """Log what is not meant for an address that other machines can reach."""
    if options.dev:
        log.warning("development mode is open to other machines: listen on 127.0.0.1, except in a container")
    if options.tokens and not options.certificates:
        log.warning("tokens are sent without TLS: anyone on the network can read them; set --tls-cert and --tls-key")


def _watch_files(options: ServerOptions, metrics: Metrics) -> None:
    """Log which files are weak, and measure how many can't be used once they have changed."""
    given = {"certificates": options.certificates, "tokens": options.tokens}
    watched: dict[str, Reloaded] = {name: files for name, files in given.items() if files}
    for files in watched.values():
        files.warn()
    metrics.measure_files({name: partial(getattr, files, "unusable") for name, files in watched.items()})


def _connections(limits: Limits, telemetry: Telemetry, limit: str = MAX_CONNECTIONS) -> Connections:
    return Connections(limits, telemetry.closed, telemetry.refuse, limit)


def _started(hooks_socket: socket.socket, health_socket: socket.socket, options: ServerOptions) -> LogEvent:
    """Return the first line of the log."""
    hooks, health = (_text(listener.getsockname()) for listener in (hooks_socket, health_socket))
    return LogEvent("started", version=options.version, hooks=hooks, health=health, settings=dict(options.settings))


def _text(address: tuple[str, int]) -> str:
    host, port = address[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


@dataclass(frozen=True)
class BoundServer:
    """A server with the socket on which it listens."""

    server: Server
    socket: socket.socket

    async def start(self, tasks: asyncio.TaskGroup) -> asyncio.Task[None]:
        """Return the task that serves, once it accepts connections."""
        task = tasks.create_task(self.server.serve([self.socket]))
        await self.server.is_listening.wait()
        return task


async def _serve(
    hook_server: BoundServer,
    health_server: BoundServer,
    shutdown: Shutdown,
    telemetry: Telemetry,
    options: ServerOptions,
) -> None:
    async with reloading(options.certificates, options.tokens), telemetry.writing_counts():
        await run(hook_server, health_server, shutdown)


async def run(hook_server: BoundServer, health_server: BoundServer, shutdown: Shutdown) -> None:
    """Serve health, then the hooks, until the end of *shutdown*."""
    shutdown.attach()
    async with asyncio.TaskGroup() as tasks:
        health_served = await health_server.start(tasks)
        hooks_served = await hook_server.start(tasks)
        shutdown.serving()
        await shutdown.stop(hook_server.server, hooks_served)
        for task in (hooks_served, health_served):
            task.cancel()
