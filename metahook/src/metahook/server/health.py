"""Health, for the probes of the kubelet: whether the process runs, and whether it can take requests."""

from collections.abc import Callable

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route


def create_health_app(ready: Callable[[], bool]) -> Starlette:
    """Return the app with ``/livez`` and ``/readyz``; *ready* tells whether the hooks are served."""

    async def livez(_: Request) -> Response:
        return PlainTextResponse("ok\n")

    async def readyz(_: Request) -> Response:
        return PlainTextResponse("ok\n") if ready() else PlainTextResponse("not ready\n", 503)

    app = Starlette(
        routes=[Route("/livez", livez), Route("/readyz", readyz)], exception_handlers={HTTPException: _refused}
    )
    app.router.redirect_slashes = False
    return app


async def _refused(_: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 500)
    return PlainTextResponse("try GET /livez or GET /readyz\n", status)
