"""The app: POST /sync and POST /customize of one controller, or of several, each under its own prefix.

The routes take the raw body: FastAPI's own way of declaring a body would parse all of it, and answer a mistake with the
request's content, which Metacontroller would copy into an Event.
"""

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field

from fastapi import FastAPI
from starlette import routing
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response

from metahook import __version__
from metahook.protocol.controller import Answer, Controller, Hook
from metahook.protocol.request import Body
from metahook.server.clock import Clock, utc_now
from metahook.server.endpoint import Answers, Endpoint
from metahook.server.limits import DEFAULT_LIMITS, Limits
from metahook.server.logs import DEFAULT_LOG, LogOptions
from metahook.server.metrics import Metrics
from metahook.server.openapi import openapi_document
from metahook.server.recording import Recorder
from metahook.server.refusal import (
    from_http_exception,
)
from metahook.server.reports import Reports
from metahook.server.routes import HookCalls, Route, Routes
from metahook.server.tls import Certificates
from metahook.server.tokens import TokenCheck, Tokens
from metahook.server.watched_files import reloading
from metahook.server.work import Work

Controllers = Controller | Mapping[str, Controller]
"""One controller, at ``/sync`` and ``/customize``; or several, each by its prefix, such as ``/myresource``."""

_PREFIX = re.compile(r"(/[A-Za-z0-9._~-]+)*")


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
    recorder: Recorder | None = None
    """Writes requests and responses to files."""
    version: str = __version__
    """The hook's version, for the OpenAPI document."""
    settings: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Settings that differ from their defaults, without secrets: for the first line of the log."""
    dev: bool = False
    """Development mode: log what each call changes in the response, and serve ``/`` and ``/docs``. Not for clusters."""


DEFAULT_OPTIONS = ServerOptions()


def create_app(
    controllers: Controllers,
    options: ServerOptions = DEFAULT_OPTIONS,
    *,
    clock: Clock = utc_now,
    health_port: int | None = None,
    reports: Reports | None = None,
) -> FastAPI:
    """Return the app that serves *controllers*; raise ValueError if a prefix is not one.

    *health_port* is for the page ``/`` of development mode; None if health is not served. *reports* gets to know what
    happens to requests; without it, the log does.
    """
    app = _empty_app(options)
    reports = reports or create_reports(controllers, options)
    app.add_exception_handler(HTTPException, _refuse_with(reports))
    by_prefix = _by_prefix(controllers)
    work = Work(options.limits)
    app.state.work = work
    hooks = dict(_hooks(by_prefix))
    if options.dev:
        from metahook.server.dev.mode import turn_on  # noqa: PLC0415 - it is off in a cluster

        hooks = turn_on(app, hooks, health_port, reports.respond_refused)
    answers = None if options.dev else Answers()
    endpoints = [Endpoint(path, hook, clock, answers) for path, hook in hooks.items()]
    routes = Routes({each.path: Route(each, work, reports, options.recorder) for each in endpoints}, options.tokens)
    # Why not in development mode: it has a check of its own for each request.
    app.state.try_respond = None if options.dev else routes.try_respond
    # Why, though HookCalls responds first: the router's refusals 404 and 405 name these paths and methods.
    app.router.routes.extend(routing.Route(path, route, methods=["POST"]) for path, route in routes.by_path.items())
    document = openapi_document(app.title, app.version, by_prefix)
    app.openapi = lambda: document  # type: ignore[method-assign] # FastAPI's way of extending
    # A direct response skips all middleware: what refuses requests there must also be in Routes.try_respond.
    # Why not add_middleware: this one runs after those that refuse requests.
    app.user_middleware.append(Middleware(HookCalls, routes=routes))
    if options.tokens:
        # Why last: the middleware that is added last is the first one to run.
        app.add_middleware(TokenCheck, tokens=options.tokens, refuse=reports.respond_refused)
    if options.recorder:
        options.recorder.announce()
    return app


def _empty_app(options: ServerOptions) -> FastAPI:
    """Return an app without routes."""
    app = FastAPI(
        title="Metacontroller hooks",
        version=options.version,
        docs_url=None,
        redoc_url=None,
        lifespan=lambda _: reloading(options.tokens),  # for other servers: serve, which has no lifespan, reloads itself
    )
    app.router.redirect_slashes = False
    return app


def paths(controllers: Controllers) -> list[str]:
    """Return the paths of the hooks of *controllers*; raise ValueError if a prefix is not one."""
    return [path for path, _ in _hooks(_by_prefix(controllers))]


def create_reports(controllers: Controllers, options: ServerOptions, metrics: Metrics | None = None) -> Reports:
    """Return the reports of a server. Why no calls in development mode: that has a log of its own for them."""
    return Reports(None if options.dev else options.log.rate, hooks=paths(controllers), metrics=metrics)


def _refuse_with(reports: Reports) -> Callable[[Request, Exception], Awaitable[Response]]:
    """Return the handler of the router's exceptions. Why a coroutine: Starlette has threads for other handlers."""

    async def refuse(request: Request, error: Exception) -> Response:
        return reports.respond_refused(from_http_exception(request, error), request.url.path)

    return refuse


def _by_prefix(controllers: Controllers) -> Mapping[str, Controller]:
    if isinstance(controllers, Controller):
        return {"": controllers}
    for prefix in controllers:
        if not _PREFIX.fullmatch(prefix):
            message = f"not the prefix of a path: {prefix!r}; write it as in /myresource"
            raise ValueError(message)
    return controllers


def _hooks(controllers: Mapping[str, Controller]) -> Iterator[tuple[str, Hook]]:
    """Yield the hooks, each with its path."""
    for prefix, controller in controllers.items():
        yield f"{prefix}/sync", controller.call_sync
        yield f"{prefix}/customize", _without_clock(controller.call_customize)


def _without_clock(hook: Callable[[Body], Answer]) -> Hook:
    return lambda body, _: hook(body)
