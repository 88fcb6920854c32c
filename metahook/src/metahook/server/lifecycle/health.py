"""Health, for the probes of the kubelet, and metrics, for Prometheus."""

from collections.abc import Callable

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from metahook.server.telemetry.metrics import CONTENT_TYPE, Metrics


def create_health_app(
    ready: Callable[[], bool], metrics: Metrics, stuck: Callable[[], bool] = lambda: False
) -> Starlette:
    """Return the app with ``/livez``, ``/readyz`` and ``/metrics``.

    *ready* tells whether the hooks are served, and *stuck* whether only a restart helps.
    """

    async def livez(_: Request) -> Response:
        return PlainTextResponse("hook functions do not return\n", 503) if stuck() else PlainTextResponse("ok\n")

    async def readyz(_: Request) -> Response:
        return PlainTextResponse("ok\n") if ready() else PlainTextResponse("not ready\n", 503)

    def read_metrics(_: Request) -> Response:  # in a thread, as metrics of the hook may take a while
        return Response(metrics.text(), media_type=CONTENT_TYPE)

    app = Starlette(
        routes=[Route("/livez", livez), Route("/readyz", readyz), Route("/metrics", read_metrics)],
        exception_handlers={HTTPException: _refused},
    )
    app.router.redirect_slashes = False
    return app


async def _refused(_: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 500)
    return PlainTextResponse("try GET /livez, GET /readyz or GET /metrics\n", status)
