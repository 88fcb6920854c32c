"""The calls of hooks: a body is read within limits and decided about, and the decision becomes a response.

A thread decides, so that a hook that waits, or computes for long, holds up neither health nor other calls. A short body
for a hook that is quick is decided about in the event loop: there a decision takes about as long as a thread would take
to start, but one that blocks also blocks health, so that the kubelet restarts the process.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from threading import Thread
from time import monotonic
from typing import Any, NamedTuple, TypeVar

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from metahook.clock import Clock, utc_now
from metahook.protocol.bodies import MIB, MalformedRequest
from metahook.protocol.controller import EncodedResponse, Handler
from metahook.protocol.request import Body, Parent, try_parent
from metahook.server.logs import error_location
from metahook.server.options import Limits
from metahook.server.refusals import (
    CLOSE,
    FAILED,
    LEFT,
    NOT_HTTP,
    STOPPED,
    TOO_LARGE,
    TOO_LONG,
    TOO_MANY_BODIES,
    TOO_MANY_REQUESTS,
    TOO_SLOW,
    UNSUPPORTED,
    Refusal,
    Refused,
    malformed,
)
from metahook.server.telemetry import HookCall, Telemetry, path_of

SMALL = MIB
MOST_SMALL = 16 * SMALL
"""Bytes of a small body, at most; and of all of them together that may be in memory at once."""

LONG = 256 * 1024
"""Bytes. A longer body is decided about in a thread in any case, so that health and other requests go on."""

STUCK = 60.0
"""Seconds for which no call gets through until the process counts as stuck. A function that is only slow returns by
then: its caller gave up 50 seconds ago. A restart interrupts other calls, so it does not come sooner."""

T = TypeVar("T")

Endpoint = Callable[[Request], Coroutine[Any, Any, Response]]

Headers = Sequence[tuple[bytes, bytes]]
"""The headers of a request, with names in lower case."""

_JSON = b"application/json"


class HookCalls:
    """Calls handlers within *limits*, and reports each call once. *all_quick* is whether every controller is quick."""

    def __init__(self, limits: Limits, telemetry: Telemetry, clock: Clock = utc_now, *, all_quick: bool) -> None:
        self._limits = limits
        self._telemetry = telemetry
        self._clock = clock
        self._bodies = Bodies(limits)
        # One for the large body and one for others: more would only share the same CPU, except for hooks that wait.
        self.threads = Threads(2 if all_quick else max(limits.max_in_flight, 2))
        self.in_flight = 0
        """Calls whose body has arrived, and that have no response yet."""
        self.is_stopping = False
        """Whether each response closes its connection, so that the client opens the next one to another Pod."""

    def endpoint(self, path: str, handler: Handler, *, is_quick: bool) -> Endpoint:
        """Return the endpoint of a route at *path*: it responds as *handler* does, or refuses if anything fails."""

        async def respond(request: Request) -> Response:
            # An app may include the router under a prefix, and one with parameters would make any number of paths.
            call = _Call(self._telemetry, path if request.path_params else path_of(request.scope), request)
            try:
                response = call.respond(await self._outcome(request, handler, call, is_quick=is_quick))
            except ClientDisconnect:
                response = call.refuse(LEFT)
            except Refused as refused:
                response = call.refuse(refused.refusal)
            except asyncio.CancelledError:
                if not self.is_stopping:
                    raise
                # The server has waited for this call for long enough.
                response = call.refuse(STOPPED)
            except Exception as error:  # noqa: BLE001 - whatever else fails around a hook
                response = call.refuse(FAILED, error_location(error))
            if self.is_stopping:
                response.headers.update(CLOSE)
            return response

        return respond

    async def _outcome(self, request: Request, handler: Handler, call: "_Call", *, is_quick: bool) -> "_Outcome":
        """Return what *handler* decides about *request*; raise Refused or ClientDisconnect."""
        self._refuse_if_crowded()  # before the body takes memory
        body = await self._bodies.read(request)
        call.bytes_in = len(body.content)
        try:
            self._refuse_if_crowded()  # others have arrived while this body did
            self.in_flight += 1
            try:
                if is_quick and len(body.content) <= LONG:
                    return _handle(handler, body.content, self._clock())
                return await self._handle_in_thread(handler, body)
            finally:
                self.in_flight -= 1
        finally:
            body.release()

    def _refuse_if_crowded(self) -> None:
        if self.in_flight >= self._limits.max_in_flight:
            raise Refused(TOO_MANY_REQUESTS)

    async def _handle_in_thread(self, handler: Handler, body: "ReceivedBody") -> "_Outcome":
        """Decide in a thread. It can't be stopped, so the memory of the body is given back when it ends."""
        body.holders += 1
        try:
            async with asyncio.timeout(self._limits.decide_timeout):
                return await self.threads.run(lambda: _handle(handler, body.content, self._clock()), body.release)
        except TimeoutError:
            return _Outcome(TOO_LONG, parent=await asyncio.to_thread(try_parent, body.content))


# Bodies


class ReceivedBody:
    """What has arrived of a body. It takes memory until everyone who holds it has released it."""

    def __init__(self, bodies: "Bodies") -> None:
        self.content = bytearray()
        self.is_large = self.waits = False
        """Whether it has the place of a large body, or waits for it."""
        self.holders = 1
        self._bodies = bodies

    def release(self) -> None:
        """Give the memory back if this is the last one who holds it."""
        self.holders -= 1
        if not self.holders:
            self._bodies.give_back(self)
            self.content = bytearray()  # a cycle of futures may keep the rest until the garbage collector runs


class Bodies:
    """Reads bodies within *limits*: small ones have 16 MiB together, and large ones one place, one after the other."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._left = MOST_SMALL
        self._place = asyncio.Semaphore(1)

    async def read(self, request: Request) -> ReceivedBody:
        """Return the body of *request*, which holds memory until it is released.

        Raise Refused if it is not plain JSON, too long or too slow, or if there is no memory for it; raise
        ClientDisconnect if the connection is closed before it is complete.
        """
        left = self._announced(request.scope["headers"])
        body = ReceivedBody(self)
        try:
            async with asyncio.timeout(self._limits.body_timeout):
                await self._receive(request, body, left)
        except BaseException as error:
            body.release()
            if isinstance(error, TimeoutError):
                raise Refused(TOO_MANY_BODIES if body.waits else TOO_SLOW) from None
            raise
        return body

    def _announced(self, headers: Headers) -> int:
        """Return the length that *headers* announce, or the maximum. Metacontroller always sends the length."""
        fields = dict(reversed(headers))  # reversed, so that the first of several headers counts
        media_type = fields.get(b"content-type", b"")
        if media_type != _JSON and media_type.partition(b";")[0].strip().lower() != _JSON:
            raise Refused(UNSUPPORTED)
        if b"content-encoding" in fields:
            raise Refused(UNSUPPORTED)
        length = fields.get(b"content-length")
        if length is None:
            return self._limits.max_body
        if not length.isdigit():
            raise Refused(NOT_HTTP)
        # Python refuses to convert thousands of digits, and no limit has 20.
        size = int(length.lstrip(b"0")[:20] or b"0")
        if size > self._limits.max_body:
            raise Refused(TOO_LARGE)
        return size

    async def _receive(self, request: Request, body: ReceivedBody, left: int) -> None:
        """Receive *body*, of at most *left* bytes."""
        has_more = True
        while has_more:
            message = await request.receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            chunk: bytes = message.get("body", b"")
            has_more = message.get("more_body", False)
            left -= len(chunk)
            if left < 0:
                raise Refused(TOO_LARGE)
            if not body.is_large and len(body.content) + len(chunk) > SMALL:
                await self._make_large(body)
            if not body.is_large:
                self._take(len(chunk))
            body.content += chunk

    async def _make_large(self, body: ReceivedBody) -> None:
        """Wait for the place of a large body, which gives back the memory of a small one."""
        body.waits = True
        await self._place.acquire()
        self._left += len(body.content)
        body.is_large, body.waits = True, False

    def _take(self, size: int) -> None:
        if size > self._left:
            raise Refused(TOO_MANY_BODIES)
        self._left -= size

    def give_back(self, body: ReceivedBody) -> None:
        """Take back the memory of *body*, or its place."""
        if body.is_large:
            self._place.release()
        else:
            self._left += len(body.content)


# Threads


class Threads:
    """At most *most* threads. A call waits for its thread in the event loop, so that nothing of it stays if it ends."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._free = asyncio.Semaphore(most)
        self._running: set[asyncio.Future[Any]] = set()
        self._late: set[asyncio.Future[Any]] = set()
        self._full_since = 0.0

    @property
    def late(self) -> int:
        """How many functions run for which nobody waits any more."""
        return len(self._late)

    @property
    def are_stuck(self) -> bool:
        """Whether no call gets through, because functions do not return: only a restart helps."""
        return len(self._late) == self._most and monotonic() - self._full_since > STUCK

    async def run(self, function: Callable[[], T], end: Callable[[], object] = lambda: None) -> T:
        """Return what *function* returns, in a thread; call *end* once it has ended, also if nobody waits any more."""
        try:
            await self._free.acquire()
        except asyncio.CancelledError:
            end()
            raise
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._running.add(future)
        ended = partial(self._ended, future, end)
        try:
            Thread(target=_work, args=(function, future, ended), name="hook", daemon=True).start()
        except RuntimeError as error:  # no thread starts
            ended(partial(future.set_exception, error))
        try:
            return await future
        except asyncio.CancelledError:
            if future in self._running:  # it may have ended before this call learns that it is cancelled
                self._late.add(future)
                self._full_since = monotonic()
            raise

    def _ended(self, future: asyncio.Future[T], end: Callable[[], object], finish: Callable[[], object]) -> None:
        """Give the thread of *future* back, and *finish* the future for the call that waits for it, if one does."""
        self._free.release()
        self._running.discard(future)
        self._late.discard(future)
        end()
        if not future.done():
            finish()


def _work(function: Callable[[], T], future: asyncio.Future[T], ended: Callable[[Callable[[], object]], None]) -> None:
    """Call *function*, and have *ended* called in the event loop, with what sets its outcome in *future*."""
    try:
        finish = partial(future.set_result, function())
    except Exception as error:  # noqa: BLE001 - it is for the one who waits
        finish = partial(future.set_exception, error)
    with suppress(RuntimeError):  # the loop is closed: so is the server
        future.get_loop().call_soon_threadsafe(ended, finish)


# What becomes of a call


class _Outcome(NamedTuple):
    """What became of a call: a response, or a refusal, with the *place* in the code and the parent."""

    result: EncodedResponse | Refusal
    place: str = ""
    parent: Parent | None = None


def _handle(handler: Handler, body: Body, now: datetime) -> _Outcome:
    """Return what *handler* decides about *body* at *now*.

    Errors are returned, not raised: a future holds its exception, whose traceback refers to the future. Such a cycle
    keeps the body in memory until the garbage collector runs.
    """
    try:
        return _Outcome(handler(body, now))
    except MalformedRequest as error:
        return _Outcome(malformed(error))
    # Also a panic of a library in Rust, or sys.exit in a hook: neither ends another parent's sync. It is no signal,
    # such as that of Ctrl-C: servers handle those themselves.
    except BaseException as error:  # noqa: BLE001 - innermost: one parent's bug
        return _Outcome(FAILED, error_location(error), try_parent(body))


class _Call:
    """A call of the hook at *path*: reports its response, and returns it."""

    def __init__(self, telemetry: Telemetry, path: str, request: Request) -> None:
        self._telemetry = telemetry
        self._path = path
        self._request = request
        self._begin = monotonic()
        self.bytes_in = 0
        """Of the body; 0 until it is received."""

    def respond(self, outcome: _Outcome) -> Response:
        """Report *outcome*, and return it as a response."""
        result = outcome.result
        if isinstance(result, Refusal):
            return self.refuse(result, outcome.place, outcome.parent)
        response = Response(result.body, media_type="application/json")
        self._report(response, summary=result.summary)
        return response

    def refuse(self, refusal: Refusal, place: str = "", parent: Parent | None = None) -> Response:
        """Report *refusal*, and return it as a response. *place* is where in the code the hook failed.

        The *parent* is that of a failure. Other refusals are the caller's mistakes: it may send many, and it takes time
        to decode a body for its parent.
        """
        id_ = self._telemetry.refused(refusal, self._path, place)
        response = refusal.response(id_, self._request)
        self._report(response, limit=refusal.limit, id=id_, parent=parent)
        return response

    def _report(self, response: Response, **fields: Any) -> None:  # noqa: ANN401 - fields of a call
        seconds = monotonic() - self._begin
        self._telemetry.called(
            HookCall(self._path, response.status_code, self.bytes_in, len(response.body), seconds, **fields)
        )
