"""The app that ``metahook.serve`` serves: FastAPI with the routes of hooks, and refusals in place of its errors."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field

from fastapi import FastAPI
from prometheus_client.registry import Collector
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from metahook import __version__
from metahook.server.callers.tls import Certificates, NameCheck
from metahook.server.callers.tokens import TokenCheck, Tokens
from metahook.server.clock import Clock, utc_now
from metahook.server.connections.overload import OverloadCheck
from metahook.server.hook.calls import HookCalls
from metahook.server.hook.router import Controllers, DirectRoute, add_routes, handlers_of
from metahook.server.limits import DEFAULT_LIMITS, Limits
from metahook.server.refusal import from_http_exception
from metahook.server.telemetry.logs import DEFAULT_LOG, LogOptions
from metahook.server.telemetry.metrics import Metrics
from metahook.server.telemetry.telemetry import Telemetry


@dataclass(frozen=True)
class ServerOptions:
    """How controllers are served."""

    limits: Limits = DEFAULT_LIMITS
    """What requests may take."""
    log: LogOptions = DEFAULT_LOG
    """What is logged, and how, unless logging is set up already."""
    drain: float = 5
    """Seconds for which requests are still served after SIGTERM. Ctrl-C stops without it."""
    stop_timeout: float = 12
    """Seconds after that for requests in progress; a hook call takes at most 10."""
    certificates: Certificates | None = None
    """Serve the hooks over TLS; None over plain HTTP."""
    tokens: Tokens | None = None
    """Serve the hooks to callers with a token; None to everyone."""
    version: str = __version__
    """The hook's version, for the OpenAPI document."""
    settings: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Settings that differ from their defaults, without secrets: for the first line of the log."""
    dev: bool = False
    """Development mode: log what each call changes in the response, and each exception with its text and traceback. Not
    for clusters."""
    collectors: tuple[Collector, ...] = ()
    """The hook's own metrics, of prometheus_client, made with ``registry=None``; served beside those of metahook.
    A thread reads them: one that takes long holds up neither health nor hooks."""


DEFAULT_OPTIONS = ServerOptions()


def create_app(
    controllers: Controllers,
    options: ServerOptions = DEFAULT_OPTIONS,
    *,
    clock: Clock = utc_now,
    telemetry: Telemetry | None = None,
) -> FastAPI:
    """Return the app that serves *controllers*; raise ValueError if a prefix is not one.

    *telemetry* is told what happens to requests; without it, only the log is.
    """
    telemetry = telemetry or create_telemetry(controllers, options)
    app = FastAPI(
        title="Metacontroller hooks",
        version=options.version,
        docs_url=None,  # the page would load its scripts from another server
        redoc_url=None,
        telemetry={"tracing": False, "metrics": False, "logs": False},  # ours says less of a request
    )
    app.router.redirect_slashes = False
    handlers = handlers_of(controllers)
    app.add_exception_handler(HTTPException, _refuse_with(telemetry, {*handlers, "/openapi.json"}))
    if options.dev:
        from metahook.server.dev.mode import turn_on  # noqa: PLC0415 - it is off in a cluster

        handlers = turn_on(handlers)
    app.state.calls = HookCalls(options.limits, telemetry, clock)
    add_routes(app.router, controllers, handlers, app.state.calls, DirectRoute)
    app.add_middleware(OverloadCheck, paths=frozenset(handlers), refuse=telemetry.respond_refused)
    if options.tokens:
        # The middleware that is added last is the first one to run.
        app.add_middleware(TokenCheck, tokens=options.tokens, refuse=telemetry.respond_refused)
    if options.certificates and options.certificates.client_names:
        app.add_middleware(NameCheck, names=options.certificates.client_names, refuse=telemetry.respond_refused)
    return app


def create_telemetry(controllers: Controllers, options: ServerOptions, metrics: Metrics | None = None) -> Telemetry:
    """Return the telemetry of a server. Development mode has a log of its own for calls."""
    return Telemetry(None if options.dev else options.log.rate, hooks=handlers_of(controllers), metrics=metrics)


def _refuse_with(telemetry: Telemetry, paths: Collection[str]) -> Callable[[Request, Exception], Awaitable[Response]]:
    """Return the handler of the router's exceptions: a coroutine, because Starlette has threads for other handlers."""

    async def refuse(request: Request, error: Exception) -> Response:
        return telemetry.respond_refused(from_http_exception(error, paths), request.url.path)

    return refuse
