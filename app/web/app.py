"""The app: POST /sync and POST /customize of one controller.

The two routes take the raw body: FastAPI's own way of declaring a body would parse all of it, and answer a mistake with
the request's content, which Metacontroller would copy into an Event.
"""

import logging
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

from fastapi import FastAPI
from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from app import __version__
from app.hooks import Controller, MalformedRequest, RefusedAnswer
from app.web.body import read_body
from app.web.clock import Clock, utc_now
from app.web.openapi import document
from app.web.recording import Exchange, Recorder
from app.web.refusal import FAILED, MALFORMED, Refused, by_status

Answer = Callable[[bytes, datetime], bytes]
Endpoint = Callable[[Request], Awaitable[Response]]

MAX_BODY = 4 * 1024 * 1024
"""Bytes. A parent with its children is some 10 KiB; what the API server stores is at most 1.5 MiB an object."""

log = logging.getLogger(__name__)


def create_app(
    controller: Controller, *, clock: Clock = utc_now, max_body: int = MAX_BODY, recorder: Recorder | None = None
) -> FastAPI:
    """Return the app that serves *controller*; *max_body* is in bytes, a *recorder* keeps what is asked."""
    app = FastAPI(title="Metacontroller hooks", version=__version__, docs_url=None, redoc_url=None)
    app.router.redirect_slashes = False
    app.add_exception_handler(HTTPException, by_status)
    answers: dict[str, Answer] = {
        "/sync": controller.answer_sync,
        "/customize": lambda body, _: controller.answer_customize(body),
    }
    for path, answer in answers.items():
        app.add_route(path, _hook(_Asked(answer, clock, recorder), max_body), methods=["POST"])
    app.openapi = lambda: document(app.title, app.version)  # type: ignore[method-assign] # FastAPI's way of extending
    return app


@dataclass(frozen=True)
class _Asked:
    """What a request is answered with."""

    answer: Answer
    clock: Clock
    recorder: Recorder | None

    def respond(self, path: str, body: bytes) -> Response:
        """Return the response to *body*; raise MalformedRequest."""
        now = self.clock()
        try:
            response = Response(self.answer(body, now), media_type="application/json")
        except MalformedRequest:
            raise
        except Exception as error:  # noqa: BLE001 - innermost: one parent's bug must not close the connection
            response = _failed(path, error)
        if self.recorder:
            exchange = Exchange(path, now, response.status_code, body, bytes(response.body))
            response.background = BackgroundTask(self.recorder.keep, exchange)
        return response


def _hook(asked: _Asked, max_body: int) -> Endpoint:
    """Return the endpoint that answers as *asked* does; whatever goes wrong in it is a refusal."""

    async def endpoint(request: Request) -> Response:
        path = request.scope["path"]
        try:
            return asked.respond(path, await read_body(request, max_body))
        except Refused as refused:
            return refused.refusal.response()
        except MalformedRequest as error:
            log.warning("hook %s refused: %s", path, error)
            return MALFORMED.response()
        except Exception as error:  # noqa: BLE001 - the same, before there was a body
            return _failed(path, error)

    return endpoint


def _failed(path: str, error: Exception) -> Response:
    log.error("hook %s failed: %s", path, _where(error))
    return FAILED.response()


def _where(error: Exception) -> str:
    """Return what kind of error it was and the way to it, without its text, which may hold the request."""
    frames = traceback.extract_tb(error.__traceback__)
    way = " < ".join(f"{frame.filename}:{frame.lineno}" for frame in reversed(frames))
    said = f" ({error})" if isinstance(error, RefusedAnswer) else ""
    return f"{type(error).__name__}{said} at {way}"
