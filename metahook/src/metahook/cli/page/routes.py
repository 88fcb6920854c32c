"""What the browser asks for, and only a page of this server: one from elsewhere must not run the hook.

The shapes of the responses are in ``session`` and ``history``. A text that no cluster accepts is status 422 with its
``errors`` and the index of its ``step``; all else that is wrong has a sentence as its ``detail``.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Iterable
from contextlib import nullcontext
from typing import Any, TypeVar
from urllib.parse import urlsplit

import click
import msgspec
from fastapi import APIRouter, FastAPI, HTTPException
from fastapi.exceptions import RequestValidationError
from starlette.datastructures import URL, Headers
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from metahook.cli.binding import Binding, bind
from metahook.cli.errors import InputError
from metahook.cli.hooks.subject import HookUnderTest, built_in
from metahook.cli.page.document import document, policy
from metahook.cli.page.session import Session, Steps, TextToCheck, WrongText, check, examples, live_data
from metahook.protocol.bodies import MIB
from metahook.server.calls import Threads
from metahook.simulator.metacontroller.settings import MODES
from metahook.simulator.scenarios import InvalidScenario

MAX_BODY = 1 * MIB
"""Of a request. To read so much YAML takes some seconds."""

HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
"""Any other name may be one by which a page elsewhere has the browser reach this address: DNS rebinding."""

T = TypeVar("T")


def add_bound_page(app: FastAPI, bound: Binding, own: object) -> None:
    """Add the page about the controller of the program that is *bound*; *own* are its options."""
    bind(bound, own)
    hook = built_in(bound.controller(own))
    add_page(app, HookUnderTest(hook, MODES[0], lambda mode: bound.settings(mode, own)), bound.examples)


def add_page(app: FastAPI, subject: HookUnderTest, files: Iterable[str] = ()) -> None:
    """Add the page about the hook of *subject* to *app*, whose routes no page from elsewhere reaches any more.

    Its examples are in *files*.
    """
    page = _Page(subject, tuple(files))
    router = APIRouter(include_in_schema=False)
    router.get("/")(page.show)
    router.get("/docs")(_to_page)  # where FastAPI has a page whose scripts are from elsewhere
    router.get("/page/start")(page.data)
    router.get("/page/alive")(page.alive)
    router.post("/page/check")(page.check)
    router.post("/page/simulation")(page.simulate)
    app.include_router(router)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_middleware(_OwnPageOnly)


class _OwnPageOnly:
    """Refuses what a browser sends for another page, and too much, before *app* reads a body.

    The hook stays open to Metacontroller, which names no origin, and may call it by any name.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = _refusal(scope) if scope["type"] == "http" else None
        app = JSONResponse({"detail": refusal[1]}, refusal[0], _HEADERS) if refusal else self._app
        await app(scope, receive, send)


def _refusal(scope: Scope) -> tuple[int, str] | None:
    """Return the status and the sentence with which to refuse a request, or None."""
    headers, path = Headers(scope=scope), scope["path"]
    host, origin, length = headers.get("host", ""), headers.get("origin"), headers.get("content-length", "")
    is_of_page = path in ("/", "/docs") or path.startswith("/page/")
    if not is_of_page and origin is None:
        return None
    if _name_of(host) not in HOSTS:
        return 403, "open the page at http://127.0.0.1, with the port of the hook"
    if origin not in (None, f"{URL(scope=scope).scheme}://{host}"):
        return 403, "only the page of this server may ask this"
    if is_of_page and scope["method"] == "POST" and not length.isdecimal():
        return 411, "send the length of the text"
    if is_of_page and length.isdecimal() and int(length) > MAX_BODY:
        return 413, f"the text has more than {MAX_BODY // MIB} MiB; simulate fewer objects"
    return None


def _name_of(host: str) -> str | None:
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


def _to_page() -> Response:
    return RedirectResponse("/")


async def _malformed(_: Request, error: Exception) -> Response:
    """Respond without FastAPI's description of *error*, which has the input."""
    del error
    return _json(b'{"detail":"the page sends no such request; load it again"}', 400)


class _Page:
    """Runs one simulation at a time, the newest; what is quick has threads of its own."""

    def __init__(self, subject: HookUnderTest, files: tuple[str, ...]) -> None:
        self._subject, self._files = subject, files
        self._id = secrets.token_hex(8)
        self._context = click.get_current_context(silent=True)
        self._quick, self._simulations = Threads(4), Threads(1)
        self._turn = asyncio.Lock()
        self._newest: Session | None = None

    async def show(self) -> Response:
        """Return the page."""
        return HTMLResponse(document(await self._quickly(self._data)), headers=_HEADERS)

    async def data(self) -> Response:
        """Return what the page begins with, again after it has changed."""
        return _json(msgspec.json.encode(await self._quickly(self._data)))

    def _data(self) -> dict[str, Any]:
        return live_data(self._subject, self._files, MAX_BODY)

    async def alive(self) -> Response:
        """Return what is another one once the code of the hook, or an example, has changed."""
        texts = await self._quickly(lambda: examples(self._files))
        return _json(msgspec.json.encode({"id": f"{self._id}-{hash(str(texts))}"}))

    async def check(self, text: TextToCheck) -> Response:
        """Return what is wrong with a text, while it is written."""
        return _json(msgspec.json.encode({"errors": await self._quickly(lambda: check(self._subject, text))}))

    async def simulate(self, steps: Steps) -> Response:
        """Return the history of *steps*."""
        if self._simulations.late:
            raise HTTPException(503, "the hook has not returned from an earlier call: start it again")
        try:
            session = await self._quickly(lambda: Session(self._subject, steps))
        except WrongText as error:
            return _json(msgspec.json.encode({"errors": error.errors, "step": error.step}), 422)
        except InvalidScenario as error:
            raise HTTPException(400, f"not a step of a scenario: {error}") from error
        if self._newest:
            self._newest.stop()
        self._newest = session
        async with self._turn:
            return _json(await self._run(session))

    async def _run(self, session: Session) -> bytes:
        running = asyncio.create_task(self._simulations.run(self._in_context(session.run)))
        while not (await asyncio.wait({running}, timeout=1))[0]:
            if session.hangs:
                running.cancel()
                return await self._quickly(session.give_up)
        return running.result()

    def _quickly(self, function: Callable[[], T]) -> Awaitable[T]:
        return self._quick.run(self._in_context(function))

    def _in_context(self, function: Callable[[], T]) -> Callable[[], T]:
        """Return *function* for a thread, in the context of the command that runs.

        It raises HTTPException for a file that can't be used any more.
        """

        def run() -> T:
            with self._context.scope(cleanup=False) if self._context else nullcontext():
                try:
                    return function()
                except InputError as error:
                    raise HTTPException(500, error.message) from error

        return run


_HEADERS = {
    "Content-Security-Policy": f"{policy()}; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
}


def _json(content: bytes, status: int = 200) -> Response:
    return Response(content, status, _HEADERS, "application/json")
