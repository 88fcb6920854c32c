"""The routes of controllers, for any FastAPI app, and the app that ``serve`` runs.

The routes take the raw body: FastAPI's own way of declaring a body would parse all of it, and answer a mistake with the
request's content, which Metacontroller would copy into an Event.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from fastapi import APIRouter, FastAPI
from fastapi.exception_handlers import http_exception_handler
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import request_response

from metahook.clock import Clock, utc_now
from metahook.protocol.controller import Controller, Handler
from metahook.server.callers import CallerCheck
from metahook.server.calls import Endpoint, HookCalls
from metahook.server.openapi import documentation
from metahook.server.options import DEFAULT_LIMITS, DEFAULT_OPTIONS, Limits, ServerOptions
from metahook.server.refusals import refusal_of
from metahook.server.telemetry import Metrics, Telemetry, path_of

Controllers = Controller | Mapping[str, Controller]
"""One controller, at ``/sync``, ``/customize``, and ``/finalize`` if it has that hook; or several, each by its prefix,
such as ``/myresource``."""

_PREFIX = re.compile(r"(/[A-Za-z0-9._~-]+)*")


class Hook(NamedTuple):
    """A hook of a controller, at a path."""

    path: str
    name: str
    controller: Controller


@dataclass(frozen=True)
class Service:
    """What an app of hooks is made of, for the server that runs it."""

    options: ServerOptions
    calls: HookCalls
    metrics: Metrics
    telemetry: Telemetry


def hook_router(
    controllers: Controllers,
    *,
    limits: Limits = DEFAULT_LIMITS,
    telemetry: Telemetry | None = None,
    clock: Clock = utc_now,
) -> APIRouter:
    """Return the routes of the hooks of *controllers*, which share the memory and the threads that *limits* allow.

    Calls are logged with :mod:`logging`, or as *telemetry* does. Raise ValueError if a prefix is not one.
    """
    hooks, router = list(_hooks(controllers)), APIRouter()
    _add_routes(router, hooks, _calls(hooks, limits, telemetry or Telemetry(), clock))
    return router


def create_app(
    controllers: Controllers, options: ServerOptions = DEFAULT_OPTIONS, *, clock: Clock = utc_now
) -> FastAPI:
    """Return the app that serves *controllers*, under any server; raise ValueError if a prefix is not one.

    It has the service in ``state.service``, of which :func:`metahook.server.run` serves health and metrics. You can
    add routes of your own: who may call holds for them, too, and the log and the metrics have none of their calls.
    """
    hooks = list(_hooks(controllers))
    paths = frozenset(hook.path for hook in hooks)
    metrics = Metrics(paths, options)
    telemetry = Telemetry(paths, metrics, logs_calls=not options.around)
    calls = _calls(hooks, options.limits, telemetry, clock)
    app = FastAPI(
        title="Metacontroller hooks",
        version=options.version,
        docs_url=None,  # the page would load its scripts from another server
        redoc_url=None,
        redirect_slashes=False,
        telemetry={"tracing": False, "metrics": False, "logs": False},  # ours says less of a request
    )
    app.state.service = Service(options, calls, metrics, telemetry)
    # In the app's own router: FastAPI would match each request twice in one that is included.
    _add_routes(app.router, hooks, calls, options.around, route_class=_HookRoute)

    @app.exception_handler(HTTPException)
    async def refuse(request: Request, error: HTTPException) -> Response:
        if (refusal := refusal_of(error, {*paths, "/openapi.json"})) is None:
            return await http_exception_handler(request, error)
        return refusal.response(telemetry.refused(refusal, path_of(request.scope)), request)

    if options.tokens or options.certificates:
        app.add_middleware(CallerCheck, tokens=options.tokens, certificates=options.certificates, telemetry=telemetry)
    return app


def _hooks(controllers: Controllers) -> Iterator[Hook]:
    by_prefix = {"": controllers} if isinstance(controllers, Controller) else controllers
    for prefix, controller in by_prefix.items():
        if not _PREFIX.fullmatch(prefix):
            message = f"not the prefix of a path: {prefix!r}; write it as in /myresource"
            raise ValueError(message)
        yield from (Hook(f"{prefix}/{name}", name, controller) for name in controller.handlers)


def _calls(hooks: list[Hook], limits: Limits, telemetry: Telemetry, clock: Clock) -> HookCalls:
    calls = HookCalls(limits, telemetry, clock, all_quick=all(hook.controller.quick for hook in hooks))
    if telemetry.metrics:
        telemetry.metrics.measure(calls)
    return calls


class _HookRoute(APIRoute):
    """A route that calls its endpoint as Starlette does: it looks for no parameters, and has no dependencies.

    The routes of ``hook_router`` are FastAPI's own: the app that includes them may add dependencies.
    """

    def __init__(self, path: str, endpoint: Endpoint, **options: Any) -> None:  # noqa: ANN401 - FastAPI's
        super().__init__(path, endpoint, **options)
        self.app = request_response(endpoint)


def _add_routes(
    router: APIRouter,
    hooks: list[Hook],
    calls: HookCalls,
    around: Callable[[str, Handler], Handler] | None = None,
    route_class: type[APIRoute] = APIRoute,
) -> None:
    for path, name, controller in hooks:
        handler = controller.handlers[name]
        router.add_api_route(
            path,
            calls.endpoint(path, around(path, handler) if around else handler, is_quick=controller.quick),
            methods=["POST"],
            generate_unique_id_function=_operation_id,
            name=_dashed(path),
            route_class_override=route_class,
            **documentation(controller, name),
        )


def _operation_id(route: APIRoute) -> str:
    """Return the id of *route* from the path at which an app has it: two routers in one app have different ids."""
    return _dashed(route.path_format)


def _dashed(path: str) -> str:
    return path.removeprefix("/").replace("/", "-")
