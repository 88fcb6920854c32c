"""The server: two listeners in one event loop, started and stopped together."""

import asyncio
import logging
import signal
import socket
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_address

import uvicorn
import uvloop
from starlette.types import ASGIApp

from metahook.server.app import DEFAULT_OPTIONS, Controllers, ServerOptions, create_app, paths
from metahook.server.connection import Connection
from metahook.server.connections import Connections
from metahook.server.health import create_health_app
from metahook.server.metrics import Metrics
from metahook.server.tls import ListenersContext
from metahook.server.watched_files import reloading

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Address:
    """Where to listen."""

    host: str
    port: int

    def listen(self) -> socket.socket:
        """Return a listening socket; raise CannotListen."""
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        try:
            return socket.create_server((self.host, self.port), family=family)
        except OSError as error:
            reason = (error.strerror or "not an address").partition(" (while")[0].lower()
            raise CannotListen(self, reason) from error


class CannotListen(Exception):
    """Raised when an address can't be listened on. Its text says which, and why."""

    def __init__(self, address: Address, reason: str) -> None:
        super().__init__(f"can't listen on {address.host} port {address.port}: {reason}")
        self.address = address


class _Server(uvicorn.Server):
    """A server that leaves signals to :func:`serve`."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.servers = []

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
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


def create_server(
    app: ASGIApp, options: ServerOptions = DEFAULT_OPTIONS, tls: ListenersContext | None = None
) -> uvicorn.Server:
    """Return a server of *app* as :func:`serve` has it, not yet started. It leaves signals alone."""
    config = uvicorn.Config(
        app,
        http=partial(Connection, connections=Connections(options.limits)),  # type: ignore[arg-type] # it makes one
        ws="none",
        lifespan="off",
        timeout_keep_alive=int(options.limits.keep_alive),
        timeout_graceful_shutdown=int(options.stop_timeout),
        access_log=False,
        log_config=None,
        proxy_headers=False,
        server_header=False,
        ssl_context_factory=(lambda _, __: tls) if tls else None,
    )
    return _Server(config)


def serve(
    controllers: Controllers, hooks_at: Address, health_at: Address, options: ServerOptions = DEFAULT_OPTIONS
) -> None:
    """Serve *controllers* until SIGTERM or SIGINT, and log to stderr unless logging is set up already.

    Raise CannotListen if an address is taken.
    """
    set_up_logging()
    with hooks_at.listen() as hooks_socket, health_at.listen() as health_socket:
        metrics = Metrics(paths(controllers), options.version, options.limits)
        app = create_app(controllers, options, health_port=health_socket.getsockname()[1])
        log.info("hooks on %s port %s", *hooks_socket.getsockname()[:2])
        log.info("health on %s port %s", *health_socket.getsockname()[:2])
        if options.dev and not ip_address(hooks_socket.getsockname()[0]).is_loopback:
            log.warning("development mode is open to other machines: listen on 127.0.0.1, except in a container")
        uvloop.run(_serve(app, hooks_socket, health_socket, options, metrics))


def set_up_logging() -> None:
    """Log to stderr, unless logging is set up already."""
    if not logging.getLogger().handlers:
        logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
        logging.getLogger("uvicorn").setLevel(logging.WARNING)


def _tls(options: ServerOptions, metrics: Metrics) -> ListenersContext | None:
    """Return the context for TLS, or None for plain HTTP."""
    certificates = options.certificates
    if certificates is None:
        return None
    metrics.measure_certificate(lambda: certificates.expiry)
    return certificates.context(metrics.closed, options.limits)


async def _serve(
    app: ASGIApp, hooks_socket: socket.socket, health_socket: socket.socket, options: ServerOptions, metrics: Metrics
) -> None:
    hooks = create_server(app, options, _tls(options, metrics))
    health = create_server(create_health_app(lambda: hooks.started and not hooks.should_exit, metrics), options)

    def stop() -> None:
        hooks.should_exit = health.should_exit = True

    for sign in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(sign, stop)
    async with reloading(options.certificates, options.tokens):
        await asyncio.gather(hooks.serve([hooks_socket]), health.serve([health_socket]))
