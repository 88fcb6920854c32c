"""What the browser asks for. Only a page of this server may: one from elsewhere must not run the hook.

The shapes of the responses are in ``session`` and ``history``. A text that no cluster accepts is status 422 with its
``errors``; all else that is wrong has a sentence as its ``detail``.
"""

import secrets
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from typing import Any, TypeVar
from urllib.parse import urlsplit

import anyio
import click
import msgspec
from anyio.to_thread import run_sync
from fastapi import APIRouter, Depends, HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from metahook.cli.binding import Binding, bind
from metahook.cli.errors import InputError
from metahook.cli.hooks.subject import HookUnderTest, built_in
from metahook.cli.page.document import document, policy
from metahook.cli.page.session import LIMIT, Check, Session, Steps, WrongText, check, live
from metahook.protocol.bodies import MIB
from metahook.protocol.objects import Json
from metahook.simulator.metacontroller.settings import MODES
from metahook.simulator.scenarios import InvalidScenario

MAX_BODY = 5 * MIB

HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
"""Any other name may be one by which a page elsewhere has the browser reach this address: DNS rebinding."""

T = TypeVar("T")


def bound_page(bound: Binding, own: object) -> APIRouter:
    """Return the routes of the page about the controller of the program that is *bound*; *own* are its options."""
    bind(bound, own)
    hook = built_in(bound.controller(own))
    return page_router(HookUnderTest(hook, MODES[0], lambda mode: bound.settings(mode, own)), bound.examples)


def page_router(subject: HookUnderTest, files: Iterable[str] = ()) -> APIRouter:
    """Return the routes of the page about the hook of *subject*. Its examples are in *files*."""
    page = _Page(subject, tuple(files))
    router = APIRouter(dependencies=[Depends(_of_this_server)], include_in_schema=False)
    router.get("/")(page.show)
    router.get("/docs")(_to_page)  # where FastAPI has a page whose scripts are from elsewhere
    router.get("/page/start")(page.start)
    router.get("/page/alive")(page.alive)
    router.post("/page/check")(page.check)
    router.post("/page/simulation")(page.simulate)
    return router


def _of_this_server(request: Request) -> None:
    """Raise HTTPException for a request that is not from the page of this server, or too large."""
    host, origin = request.headers.get("host", ""), request.headers.get("origin")
    if urlsplit(f"//{host}").hostname not in HOSTS:
        raise HTTPException(403, "open the page at http://127.0.0.1, with the port of the hook")
    if origin not in (None, f"{request.url.scheme}://{host}"):
        raise HTTPException(403, "only the page of this server may ask this")
    if request.method == "POST" and not 0 < int(request.headers.get("content-length") or 0) <= MAX_BODY:
        raise HTTPException(413, f"the text has more than {MAX_BODY // MIB} MiB; simulate fewer objects")


def _to_page() -> Response:
    return RedirectResponse("/")


class _Page:
    def __init__(self, subject: HookUnderTest, files: tuple[str, ...]) -> None:
        self._subject, self._files = subject, files
        self._id = secrets.token_hex(8)
        self._context = click.get_current_context(silent=True)
        self._one_at_a_time = anyio.CapacityLimiter(1)
        self._stuck: Session | None = None
        """The session whose hook does not return."""

    async def show(self) -> Response:
        """Return the page."""
        return HTMLResponse(document(await self._in_thread(self._start)), headers=_HEADERS)

    async def start(self) -> Response:
        """Return what the page begins with, again after it has changed."""
        return _json(await self._in_thread(self._start))

    def _start(self) -> Json:
        return live(self._subject, self._files)

    async def alive(self) -> Response:
        """Return what is another one once the code of the hook, or an example, has changed."""
        examples = (await self._in_thread(self._start))["examples"]
        return _json({"id": f"{self._id}-{hash(str(examples))}"})

    async def check(self, text: Check) -> Response:
        """Return what is wrong with a text, while it is written."""
        return _json({"errors": await self._in_thread(lambda: check(self._subject, text))})

    async def simulate(self, steps: Steps) -> Response:
        """Return the history of *steps*."""
        if self._stuck:
            raise HTTPException(503, "the hook has not returned from an earlier call: start it again")
        try:
            session = await self._in_thread(lambda: Session(self._subject, steps))
        except WrongText as error:
            return _json({"errors": error.errors}, 422)
        except InvalidScenario as error:
            raise HTTPException(400, f"not a step of a scenario: {error}") from error
        with anyio.move_on_after(LIMIT + 1):
            return _json(await self._in_thread(lambda: self._run(session)))
        self._stuck = session
        return _json(session.give_up())

    def _run(self, session: Session) -> Json:
        try:
            return session.run()
        finally:
            self._stuck = None

    async def _in_thread(self, function: Callable[[], T]) -> T:
        """Return what *function* returns, in a thread, with the program that runs in its context.

        Raise HTTPException for a file that can't be used any more.
        """

        def run() -> T:
            with self._context.scope(cleanup=False) if self._context else nullcontext():
                return function()

        try:
            return await run_sync(run, abandon_on_cancel=True, limiter=self._one_at_a_time)
        except InputError as error:
            raise HTTPException(500, error.message) from error


_HEADERS = {
    "Content-Security-Policy": f"{policy()}; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
}


def _json(value: Any, status: int = 200) -> Response:  # noqa: ANN401 - JSON
    return Response(msgspec.json.encode(value), status, _HEADERS, "application/json")
