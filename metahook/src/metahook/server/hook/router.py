"""The routes of controllers, for any FastAPI app: ``app.include_router(hook_router(CONTROLLER))``.

The routes take the raw body: FastAPI's own way of declaring a body would parse all of it, and answer a mistake with the
request's content, which Metacontroller would copy into an Event.
"""

import re
from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.routing import request_response

from metahook.protocol.controller import Controller, Handler
from metahook.server.clock import Clock, utc_now
from metahook.server.hook.calls import Endpoint, HookCalls
from metahook.server.hook.openapi import documentation
from metahook.server.limits import DEFAULT_LIMITS, Limits
from metahook.server.telemetry.log_rate import LOG_RATE
from metahook.server.telemetry.telemetry import Telemetry

Controllers = Controller | Mapping[str, Controller]
"""One controller, at ``/sync``, ``/customize``, and ``/finalize`` if it has that hook; or several, each by its prefix,
such as ``/myresource``."""

_PREFIX = re.compile(r"(/[A-Za-z0-9._~-]+)*")


def hook_router(
    controllers: Controllers,
    *,
    limits: Limits = DEFAULT_LIMITS,
    telemetry: Telemetry | None = None,
    clock: Clock = utc_now,
    dev: bool = False,
) -> APIRouter:
    """Return the routes of the hooks of *controllers*, which share the memory and the threads that *limits* allow.

    Calls are logged with :mod:`logging`, or as *telemetry* does; with *dev*, each with what it changes in the response,
    and an exception with its text and traceback: not for clusters. The limits of bodies hold under any server; those
    of connections, and of calls in flight, need ``metahook.serve``. Raise ValueError if a prefix is not one.
    """
    router, handlers = APIRouter(), handlers_of(controllers)
    if dev:
        from metahook.server.dev.mode import turn_on  # noqa: PLC0415 - it is off in a cluster

        handlers = turn_on(handlers)
    calls = HookCalls(limits, telemetry or Telemetry(None if dev else LOG_RATE), clock)
    add_routes(router, controllers, handlers, calls)
    return router


class DirectRoute(APIRoute):
    """A route without dependencies, whose endpoint takes the request and returns a response: it is called as it is."""

    def __init__(self, path: str, endpoint: Endpoint, **options: Any) -> None:  # noqa: ANN401 - FastAPI's
        super().__init__(path, endpoint, **options)
        # As Starlette has it. FastAPI would take a tenth of a call's time to look for what else the endpoint needs.
        self.app = request_response(endpoint)


def add_routes(
    router: APIRouter,
    controllers: Controllers,
    handlers: Mapping[str, Handler],
    calls: HookCalls,
    route: type[APIRoute] = APIRoute,
) -> None:
    """Add the routes of *handlers*, by path, to *router*: those of *controllers*, or what takes their place."""
    for prefix, controller in _by_prefix(controllers).items():
        for hook in controller.handlers:
            path = f"{prefix}/{hook}"
            described = documentation(controller, hook)
            router.add_api_route(
                path,
                calls.endpoint(path, handlers[path], is_quick=controller.quick),
                methods=["POST"],
                generate_unique_id_function=_operation_id,
                name=_dashed(path),
                route_class_override=route,
                **described,
            )


def _operation_id(route: APIRoute) -> str:
    """Return the id of *route* from the path at which an app has it: two routers in one app have different ids."""
    return _dashed(route.path_format)


def _dashed(path: str) -> str:
    return path.removeprefix("/").replace("/", "-")


def handlers_of(controllers: Controllers) -> dict[str, Handler]:
    """Return the handlers of *controllers*, by path; raise ValueError if a prefix is not one."""
    return {
        f"{prefix}/{name}": handler
        for prefix, controller in _by_prefix(controllers).items()
        for name, handler in controller.handlers.items()
    }


def _by_prefix(controllers: Controllers) -> Mapping[str, Controller]:
    if isinstance(controllers, Controller):
        return {"": controllers}
    for prefix in controllers:
        if not _PREFIX.fullmatch(prefix):
            message = f"not the prefix of a path: {prefix!r}; write it as in /myresource"
            raise ValueError(message)
    return controllers
