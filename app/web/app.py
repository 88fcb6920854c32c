"""The app: POST /sync and POST /customize of one controller.

The two routes take the raw body: FastAPI's own way of declaring a body would parse all of it, and answer a mistake with
the request's content, which Metacontroller would copy into an Event.
"""

import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from app import __version__
from app.hooks import Controller, MalformedRequest, RefusedAnswer
from app.web.body import read_body
from app.web.openapi import document
from app.web.refusal import FAILED, MALFORMED, Refusal, by_status

Clock = Callable[[], datetime]
Answer = Callable[[bytes], bytes]
Endpoint = Callable[[Request], Awaitable[Response]]

MAX_BODY = 4 * 1024 * 1024
"""Bytes. A parent with its children is some 10 KiB; what the API server stores is at most 1.5 MiB an object."""

log = logging.getLogger("myresource")


def utc_now() -> datetime:
    """Return the time: the one place where a clock is read."""
    return datetime.now(tz=UTC)  # noqa: TID251 - here it is read


def create_app(controller: Controller, *, clock: Clock = utc_now, max_body: int = MAX_BODY) -> FastAPI:
    """Return the app that serves *controller*; *max_body* is in bytes."""
    app = FastAPI(title="Metacontroller hooks", version=__version__, docs_url=None, redoc_url=None)
    app.router.redirect_slashes = False
    app.add_exception_handler(HTTPException, by_status)
    app.add_route("/sync", _hook(lambda body: controller.answer_sync(body, clock()), max_body), methods=["POST"])
    app.add_route("/customize", _hook(controller.answer_customize, max_body), methods=["POST"])
    app.openapi = lambda: document(app.title, app.version)  # type: ignore[method-assign] # FastAPI's way of extending
    return app


def _hook(answer: Answer, max_body: int) -> Endpoint:
    """Return the endpoint that answers with *answer*; whatever goes wrong in it is a refusal."""

    async def endpoint(request: Request) -> Response:
        try:
            body = await read_body(request, max_body)
            return Response(answer(body), media_type="application/json")
        except Refusal as refusal:
            return refusal.response()
        except MalformedRequest:
            return MALFORMED.response()
        except Exception as error:  # noqa: BLE001 - the innermost catch-all: one parent's bug must not close the connection
            log.error("hook %s failed: %s", request.scope["path"], _where(error))  # noqa: TRY400 - a traceback's text may hold the request
            return FAILED.response()

    return endpoint


def _where(error: Exception) -> str:
    """Return what kind of error it was and where, without its text, which may hold the request."""
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    place = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else "nowhere"
    said = f" ({error})" if isinstance(error, RefusedAnswer) else ""
    return f"{type(error).__name__}{said} at {place}"
