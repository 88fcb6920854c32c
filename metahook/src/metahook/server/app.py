"""The app: POST /sync and POST /customize of one controller, or of several, each under its own prefix.

The routes take the raw body: FastAPI's own way of declaring a body would parse all of it, and answer a mistake with the
request's content, which Metacontroller would copy into an Event.
"""

import logging
import re
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from metahook import __version__
from metahook.protocol import Body, Controller, MalformedRequest, RefusedResponse, UndeclaredKind
from metahook.protocol.controller import Answer, Hook, MisusedException
from metahook.server.clock import Clock, utc_now
from metahook.server.limits import DEFAULT_LIMITS, Limits
from metahook.server.openapi import openapi_document
from metahook.server.recording import Exchange, RecordedResponse, Recorder
from metahook.server.refusal import FAILED, Refusal, Refused, from_http_exception, malformed
from metahook.server.tls import Certificates
from metahook.server.tokens import TokenCheck, Tokens
from metahook.server.work import Work

Controllers = Controller | Mapping[str, Controller]
"""One controller, at ``/sync`` and ``/customize``; or several, each by its prefix, such as ``/myresource``."""

_PREFIX = re.compile(r"(/[A-Za-z0-9._~-]+)*")

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ServerOptions:
    """How controllers are served."""

    limits: Limits = DEFAULT_LIMITS
    """What requests may take."""
    drain: float = 5
    """Seconds for which requests are still served after SIGTERM."""
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
    dev: bool = False
    """Development mode: log what each call changes in the response, and serve ``/`` and ``/docs``. Not for clusters."""


DEFAULT_OPTIONS = ServerOptions()


def create_app(
    controllers: Controllers,
    options: ServerOptions = DEFAULT_OPTIONS,
    *,
    clock: Clock = utc_now,
    health_port: int | None = None,
) -> FastAPI:
    """Return the app that serves *controllers*; raise ValueError if a prefix is not one.

    *health_port* is for the page ``/`` of development mode; None if health is not served.
    """
    app = FastAPI(title="Metacontroller hooks", version=options.version, docs_url=None, redoc_url=None)
    app.router.redirect_slashes = False
    app.add_exception_handler(HTTPException, from_http_exception)
    by_prefix = _by_prefix(controllers)
    work = Work(options.limits)
    app.state.work = work
    hooks = dict(_hooks(by_prefix))
    if options.dev:
        from metahook.server.dev.mode import turn_on  # noqa: PLC0415 - it is off in a cluster

        hooks = turn_on(app, hooks, health_port)
    for path, hook in hooks.items():
        route = _Route(_Endpoint(path, hook, clock, options.recorder), work)
        app.add_route(path, route.respond, methods=["POST"])
    document = openapi_document(app.title, app.version, by_prefix)
    app.openapi = lambda: document  # type: ignore[method-assign] # FastAPI's way of extending
    if options.tokens:
        # Why last: the middleware that is added last is the first one to run.
        app.add_middleware(TokenCheck, tokens=options.tokens, refuse=Refusal.response)
    if options.recorder:
        options.recorder.announce()
    return app


def paths(controllers: Controllers) -> list[str]:
    """Return the paths of the hooks of *controllers*; raise ValueError if a prefix is not one."""
    return [path for path, _ in _hooks(_by_prefix(controllers))]


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


@dataclass(frozen=True)
class _Endpoint:
    """Turns the bodies that are sent to *path* into responses."""

    path: str
    hook: Hook
    clock: Clock
    recorder: Recorder | None

    def respond(self, body: Body) -> Response:
        """Return the response to *body*; raise MalformedRequest."""
        now = self.clock()
        try:
            response = Response(self.hook(body, now).body, media_type="application/json")
        except MalformedRequest:
            raise
        except Exception as error:  # noqa: BLE001 - innermost: one parent's bug must not close the connection
            response = _failed(self.path, error)
        if self.recorder is None:
            return response
        exchange = Exchange(self.path, now, response.status_code, body, bytes(response.body))
        # Why here: the body gives its memory back before the response is sent, so the recorder must have room for it.
        return RecordedResponse(response, self.recorder, exchange) if self.recorder.admit(exchange) else response


@dataclass(frozen=True)
class _Route:
    """Reads the requests to an endpoint, within limits."""

    endpoint: _Endpoint
    work: Work

    async def respond(self, request: Request) -> Response:
        """Return the response to *request*; whatever goes wrong is a refusal."""
        path = self.endpoint.path
        try:
            return await self.work.do(request, self.endpoint.respond)
        except Refused as refused:
            return refused.refusal.response()
        except MalformedRequest as error:
            log.warning("hook %s refused the request: %s", path, error)
            return malformed(error).response()
        except Exception as error:  # noqa: BLE001 - whatever the handler of the body does not catch
            return _failed(path, error)


def _failed(path: str, error: Exception) -> Response:
    log.error("hook %s failed: %s", path, _where(error))
    return FAILED.response()


def _where(error: Exception) -> str:
    """Return the type of *error* and its traceback in one line; its text only if it can't hold the request."""
    frames = traceback.extract_tb(error.__traceback__)
    trace = " < ".join(f"{frame.filename}:{frame.lineno}" for frame in reversed(frames))
    text = f" ({error})" if isinstance(error, RefusedResponse | UndeclaredKind | MisusedException) else ""
    return f"{type(error).__name__}{text} at {trace}"
