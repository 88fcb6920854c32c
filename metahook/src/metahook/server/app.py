"""The app: POST /sync and POST /customize of one controller.

The two routes take the raw body: FastAPI's own way of declaring a body would parse all of it, and answer a mistake with
the request's content, which Metacontroller would copy into an Event.
"""

import asyncio
import logging
import traceback
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime

from fastapi import FastAPI
from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from metahook import __version__
from metahook.protocol import Body, Controller, MalformedRequest, RefusedResponse
from metahook.server.body import MAX_BODY, Bodies
from metahook.server.clock import Clock, utc_now
from metahook.server.openapi import openapi_document
from metahook.server.recording import Exchange, Recorder
from metahook.server.refusal import FAILED, MALFORMED, Refused, by_status

Answer = Callable[[Body, datetime], bytes]

LONG = 256 * 1024
"""Bytes. The answer to a longer request is worked out in a thread, so that health and other requests go on."""

THREADS = 2
"""So that one long request does not wait for the end of another. More would only share the same CPU."""

log = logging.getLogger(__name__)


def create_app(  # noqa: PLR0913 - one argument a setting
    controller: Controller,
    *,
    clock: Clock = utc_now,
    max_body: int = MAX_BODY,
    max_body_name: str = "max_body",
    recorder: Recorder | None = None,
    version: str = __version__,
) -> FastAPI:
    """Return the app that serves *controller*.

    *max_body* is in bytes, and the log calls it *max_body_name*; a *recorder* keeps what is asked; *version* is the one
    in the OpenAPI document.
    """
    app = FastAPI(title="Metacontroller hooks", version=version, docs_url=None, redoc_url=None)
    app.router.redirect_slashes = False
    app.add_exception_handler(HTTPException, by_status)
    answers: dict[str, Answer] = {
        "/sync": controller.answer_sync,
        "/customize": lambda body, _: controller.answer_customize(body),
    }
    bodies, threads = Bodies(max_body, name=max_body_name), ThreadPoolExecutor(THREADS, "hook")
    for path, answer in answers.items():
        app.add_route(path, _Hook(_Asked(answer, clock, recorder), bodies, threads).respond, methods=["POST"])
    app.openapi = lambda: openapi_document(app.title, app.version, [""])  # type: ignore[method-assign] # FastAPI's way of extending
    return app


@dataclass(frozen=True)
class _Asked:
    """What a request is answered with."""

    answer: Answer
    clock: Clock
    recorder: Recorder | None

    def respond(self, path: str, body: Body) -> Response:
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


@dataclass(frozen=True)
class _Hook:
    """A hook: what is asked there, and what it is read and answered with."""

    asked: _Asked
    bodies: Bodies
    threads: Executor

    async def respond(self, request: Request) -> Response:
        """Return the response to *request*; whatever goes wrong is a refusal."""
        path = request.scope["path"]
        try:
            async with self.bodies.read(request) as body:
                return await self._answered(path, body)
        except Refused as refused:
            return refused.refusal.response()
        except MalformedRequest as error:
            log.warning("hook %s refused: %s", path, error)
            return MALFORMED.response()
        except Exception as error:  # noqa: BLE001 - the same, before there was a body
            return _failed(path, error)

    async def _answered(self, path: str, body: Body) -> Response:
        if len(body) <= LONG:
            return self.asked.respond(path, body)
        return await asyncio.get_running_loop().run_in_executor(self.threads, self.asked.respond, path, body)


def _failed(path: str, error: Exception) -> Response:
    log.error("hook %s failed: %s", path, _where(error))
    return FAILED.response()


def _where(error: Exception) -> str:
    """Return what kind of error it was and the way to it, without its text, which may hold the request."""
    frames = traceback.extract_tb(error.__traceback__)
    way = " < ".join(f"{frame.filename}:{frame.lineno}" for frame in reversed(frames))
    said = f" ({error})" if isinstance(error, RefusedResponse) else ""
    return f"{type(error).__name__}{said} at {way}"
