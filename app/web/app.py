"""The app: POST /sync and POST /customize of one controller.

The two routes take the raw body: FastAPI's own way of declaring a body would parse all of it, and answer a mistake with
the request's content, which Metacontroller would copy into an Event.
"""

import logging
import traceback
from collections.abc import Awaitable, Callable

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from app import __version__
from app.hooks import Controller, MalformedRequest, RefusedAnswer
from app.web.body import read_body
from app.web.clock import Clock, utc_now
from app.web.openapi import document
from app.web.refusal import FAILED, MALFORMED, Refused, by_status

Answer = Callable[[bytes], bytes]
Endpoint = Callable[[Request], Awaitable[Response]]

MAX_BODY = 4 * 1024 * 1024
"""Bytes. A parent with its children is some 10 KiB; what the API server stores is at most 1.5 MiB an object."""

log = logging.getLogger(__name__)


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
        except Refused as refused:
            return refused.refusal.response()
        except MalformedRequest as error:
            log.warning("hook %s refused: %s", request.scope["path"], error)
            return MALFORMED.response()
        except Exception as error:  # noqa: BLE001 - innermost: one parent's bug must not close the connection
            log.error("hook %s failed: %s", request.scope["path"], _where(error))  # noqa: TRY400 - see _where
            return FAILED.response()

    return endpoint


def _where(error: Exception) -> str:
    """Return what kind of error it was and the way to it, without its text, which may hold the request."""
    frames = traceback.extract_tb(error.__traceback__)
    way = " < ".join(f"{frame.filename}:{frame.lineno}" for frame in reversed(frames))
    said = f" ({error})" if isinstance(error, RefusedAnswer) else ""
    return f"{type(error).__name__}{said} at {way}"
