"""Serves an app of hooks with uvicorn: the hooks on one port, health and metrics on another, until a signal.

1. SIGTERM ends readiness. For the time *drain* requests are still served, while the Pod is removed from
   its Service. Each response closes its connection, so that the client opens the next one to another Pod.
2. uvicorn closes the port, and each connection without a request.
3. Requests in progress have the time *stop_timeout*. The others get a refusal.

SIGINT, such as Ctrl-C, skips step 1. A second signal ends the drain, and the next one waits for no request.
"""

import asyncio
import ctypes
import logging
import math
import os
import signal
import socket
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from ipaddress import ip_address
from types import FrameType
from typing import Any

import uvicorn
import uvloop
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from metahook.server.app import Controllers, Service, create_app
from metahook.server.callers import CLIENT_NAMES, names_of
from metahook.server.calls import Threads
from metahook.server.logs import LogEvent, set_up_logging
from metahook.server.options import DEFAULT_OPTIONS, Address, Limits, ServerOptions
from metahook.server.refusals import HEAD_TOO_SLOW, NOT_HTTP, TOO_MANY_CONNECTIONS, Refusal
from metahook.server.telemetry import CONTENT_TYPE, Telemetry

CUT_OFF = 1
"""Exit code of a process that stops before all requests are finished."""

HEALTH_STOP_TIMEOUT = 1
"""Seconds for probes and scrapes in progress once the hooks have stopped."""

LARGE_BLOCK = 64 * 1024
_M_MMAP_THRESHOLD = -3
"""Of malloc.h."""

log = logging.getLogger(__name__)


def serve(
    controllers: Controllers, hooks_at: Address, health_at: Address, options: ServerOptions = DEFAULT_OPTIONS
) -> None:
    """Serve *controllers* as :func:`run` serves their app."""
    run(create_app(controllers, options), hooks_at, health_at)


def run(app: FastAPI, hooks_at: Address, health_at: Address) -> None:
    """Serve *app*, of :func:`metahook.server.create_app`, until a signal, and log to stderr.

    Raise CannotListen if an address is taken. End the process with exit code 1 if a hook function has not returned.
    """
    _give_back_large_blocks()
    service: Service = app.state.service
    set_up_logging(service.options.log)
    # The hooks first: an error about a port that is taken then names the one that users know.
    with hooks_at.listen() as hooks_socket, health_at.listen() as health_socket:
        _announce(hooks_socket, health_socket, service.options)
        hooks = HookServer(app)
        plain = replace(service.options, certificates=None, stop_timeout=HEALTH_STOP_TIMEOUT)
        health = HealthServer(server_config(health_app(hooks), plain, Telemetry(), lifespan="off"))
        uvloop.run(_serve(hooks, hooks_socket, health, health_socket))
    log.info(LogEvent("stopped"))
    if service.calls.threads.late:
        os._exit(CUT_OFF)  # a thread can't be stopped; its request got a refusal long ago


async def _serve(
    hooks: "HookServer", hooks_socket: socket.socket, health: "HealthServer", health_socket: socket.socket
) -> None:
    """Serve health for as long as the hooks are served."""
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(health.serve([health_socket]))
        await hooks.serve([hooks_socket])
        health.should_exit = True


def _announce(hooks_socket: socket.socket, health_socket: socket.socket, options: ServerOptions) -> None:
    """Log the first line, and what is not meant for an address that other machines can reach."""
    hooks, health = (_text(listener.getsockname()) for listener in (hooks_socket, health_socket))
    log.info(LogEvent("started", version=options.version, hooks=hooks, health=health, settings=dict(options.settings)))
    is_reachable = not ip_address(hooks_socket.getsockname()[0]).is_loopback
    if is_reachable and options.tokens and not options.certificates:
        log.warning("tokens are sent without TLS: anyone on the network can read them; set --tls-cert and --tls-key")


def _text(address: tuple[str, int]) -> str:
    host, port = address[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _give_back_large_blocks() -> None:
    """Have glibc give back each large block, such as a body, when it is freed; do nothing with another C library.

    Once it has freed one, it keeps blocks of up to 32 MiB. Source: mallopt(3), M_MMAP_THRESHOLD.
    """
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, LARGE_BLOCK)


class HookServer(uvicorn.Server):
    """Serves the hooks of *service*, and drains at a signal."""

    def __init__(self, app: FastAPI) -> None:
        self.service: Service = app.state.service
        options = self.service.options
        super().__init__(server_config(app, options, self.service.telemetry, lifespan="on"))
        if options.certificates:
            options.certificates.on_refused = self.service.telemetry.closed
        self.service.metrics.connections.set_function(lambda: len(self.server_state.connections))

    @property
    def is_ready(self) -> bool:
        """Whether the hooks are served, and no signal has arrived."""
        return self.started and not self.service.calls.is_stopping

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept connections on *sockets*."""
        await super().startup(sockets)
        if not self.should_exit:
            log.info(LogEvent("ready"))

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002 - uvicorn's
        """Begin to stop, or skip what remains of it."""
        asyncio.get_running_loop().call_soon_threadsafe(self._stop, signal.Signals(sig))

    def _stop(self, number: signal.Signals) -> None:
        log.info(LogEvent("stopping", signal=number.name))
        self.force_exit = self.should_exit
        self.should_exit = number is signal.SIGINT or not self.is_ready
        self.service.calls.is_stopping = True
        asyncio.get_running_loop().call_later(self.service.options.drain, self._end_draining)

    def _end_draining(self) -> None:
        self.should_exit = True


class HealthServer(uvicorn.Server):
    """Serves health and metrics, and leaves signals to the server of the hooks."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Leave signals alone."""
        yield


class HookProtocol(HttpToolsProtocol):
    """uvicorn's, with a deadline for the head of a request, for which uvicorn waits without end.

    What it refuses, also for too many connections, gets such an answer as the app gives. The app gets the names in the
    client's certificate.
    """

    def __init__(self, telemetry: Telemetry, max_connections: int, **options: Any) -> None:  # noqa: ANN401 - uvicorn's
        super().__init__(**options)
        self._telemetry = telemetry
        self._max_connections = max_connections
        self._deadline: asyncio.TimerHandle | None = None
        self._is_in_head = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        """Wait for the first request, unless there are far too many connections."""
        super().connection_made(transport)
        if len(self.connections) > self._max_connections + Limits.spare_connections:
            self._telemetry.closed(TOO_MANY_CONNECTIONS.limit)
            transport.abort()
            return
        # As after a request: Go also keeps a connection that it opened for a request which another one then carried.
        self._deadline = self.loop.call_later(Limits.keep_alive, transport.close)
        if tls := transport.get_extra_info("ssl_object"):
            self.app_state = {**self.app_state, CLIENT_NAMES: names_of(tls)}

    def data_received(self, data: bytes) -> None:
        """Parse *data*, and wait for the rest of a head: most arrive in one piece, and need no timer."""
        super().data_received(data)
        if self._deadline or self.transport.is_closing():
            return
        if self._is_in_head:
            self._deadline = self.loop.call_later(Limits.head_timeout, self._refuse, HEAD_TOO_SLOW)
        elif getattr(self.cycle, "response_complete", True) and not self.timeout_keep_alive_task:
            # An empty line between two requests: uvicorn has stopped waiting for the next one.
            self._deadline = self.loop.call_later(Limits.keep_alive, self.transport.close)

    def on_message_begin(self) -> None:
        """Begin a head."""
        super().on_message_begin()
        self._end_deadline()
        self._is_in_head = True

    def on_headers_complete(self) -> None:
        """Give the request to the app, without the trailers that follow its body: a proxy has not seen them."""
        self._end_deadline()
        self._is_in_head = False
        app = self.app
        if len(self.connections) > self._max_connections:
            self.app = TOO_MANY_CONNECTIONS.response(self._telemetry.refused(TOO_MANY_CONNECTIONS))
        super().on_headers_complete()
        self.app = app
        self.headers = []

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the deadline."""
        self._end_deadline()
        self._is_in_head = False
        super().connection_lost(exc)

    def _end_deadline(self) -> None:
        if self._deadline:
            self._deadline.cancel()
            self._deadline = None

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - uvicorn's
        """Refuse what is not HTTP."""
        self._refuse(NOT_HTTP)

    def _refuse(self, refusal: Refusal) -> None:
        id_ = self._telemetry.refused(refusal)
        has_begun: bool = getattr(self.cycle, "response_started", False)  # uvicorn has None before the first request
        if not has_begun or self.cycle.response_complete:  # it would be in the middle of another response
            self.transport.write(refusal.written(id_))
        self.transport.close()


def server_config(app: ASGIApp, options: ServerOptions, telemetry: Telemetry, **more: Any) -> uvicorn.Config:  # noqa: ANN401 - uvicorn's
    """Return uvicorn's configuration for *app*, with the limits and the certificates of *options*."""
    if certificates := options.certificates:
        more["ssl_context_factory"] = lambda *_: certificates.ssl_context()
    return uvicorn.Config(
        app,
        http=partial(HookProtocol, telemetry, options.limits.max_connections),  # type: ignore[arg-type] # it is called as the class would be
        ws="none",
        timeout_keep_alive=Limits.keep_alive,
        timeout_graceful_shutdown=math.ceil(options.stop_timeout),
        access_log=False,
        log_config=None,
        proxy_headers=False,
        server_header=False,
        **more,
    )


def health_app(server: HookServer) -> Starlette:
    """Return the app with ``/livez`` and ``/readyz``, for the kubelet, and ``/metrics``, for Prometheus."""
    service, scrapes = server.service, Threads(1)

    async def livez(_: Request) -> Response:
        is_stuck = service.calls.threads.are_stuck
        return PlainTextResponse("hook functions do not return\n", 503) if is_stuck else PlainTextResponse("ok\n")

    async def readyz(_: Request) -> Response:
        return PlainTextResponse("ok\n") if server.is_ready else PlainTextResponse("not ready\n", 503)

    async def metrics(_: Request) -> Response:  # in a thread, as metrics of the hook may take a while
        try:
            async with asyncio.timeout(Limits.scrape_timeout):
                return Response(await scrapes.run(service.metrics.text), media_type=CONTENT_TYPE)
        except TimeoutError:
            return PlainTextResponse("a metric of the hook takes too long\n", 503)

    async def refuse(_: Request, error: Exception) -> Response:
        status = getattr(error, "status_code", 500)
        return PlainTextResponse("try GET /livez, GET /readyz or GET /metrics\n", status)

    routes = [Route("/livez", livez), Route("/readyz", readyz), Route("/metrics", metrics)]
    app = Starlette(routes=routes, exception_handlers={HTTPException: refuse})
    app.router.redirect_slashes = False
    return app
