"""The calls of hooks: a body is read and decided about, and the decision becomes a response.

A thread decides, so that a hook that waits, or computes for long, holds up neither health nor other calls. A short body
for a hook that is quick is decided about in the event loop: there a decision takes about as long as a thread would take
to start, but one that blocks also blocks health, so that the kubelet restarts the process.
"""

import asyncio
import gc
from collections.abc import Callable, Coroutine
from datetime import datetime
from typing import Any, NamedTuple

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from metahook.protocol.bodies import MalformedRequest
from metahook.protocol.controller import EncodedResponse, Handler
from metahook.protocol.request import Body, Parent, try_parent
from metahook.protocol.request_limits import MAX_DECODED, decoded_size
from metahook.server.clock import Clock
from metahook.server.connections.body import SMALL, Bodies
from metahook.server.connections.body_memory import Buffer
from metahook.server.connections.connection import Connection, connection_of
from metahook.server.hook.threads import Threads
from metahook.server.limits import Limits
from metahook.server.refusal import FAILED, INCOMPLETE, LEFT, TOO_LONG, TOO_MANY_REQUESTS, Refusal, Refused, malformed
from metahook.server.telemetry.error_location import error_location
from metahook.server.telemetry.hook_call import OK, HookCall
from metahook.server.telemetry.telemetry import Telemetry

LONG = 256 * 1024
"""Bytes. A longer body is decided about in a thread in any case, so that health and other requests go on."""

DECODED_AT_ONCE = MAX_DECODED // 2
"""Bytes of memory that small bodies may take decoded, together, for hooks that wait. Of the costliest ones, sixteen at
once would take more than a large one."""

STUCK = 60.0
"""Seconds for which all threads of a kind are late until the process counts as stuck. A function that is only slow
returns by then: its caller gave up 50 seconds ago. A restart interrupts other calls, so it does not come sooner."""

Endpoint = Callable[[Request], Coroutine[Any, Any, Response]]

_JSON = (b"content-type", b"application/json")


class HookCalls:
    """Calls handlers within *limits*, and reports each call once."""

    def __init__(self, limits: Limits, telemetry: Telemetry, clock: Clock) -> None:
        self._limits = limits
        self._telemetry = telemetry
        self._clock = clock
        self._bodies = Bodies(limits)
        # One large body after the other, as one alone can take half of the memory when it is decoded. Long ones do not
        # wait for them. More threads would only share the same CPU, except for hooks that wait: each of their requests
        # has a thread, until the hooks do not return at all.
        self._for_long = Threads(1, "long")
        self._for_large = Threads(1, "large")
        self._for_waiting = Threads(max(limits.max_in_flight, 1), "hook", DECODED_AT_ONCE)
        self._threads = (self._for_long, self._for_large, self._for_waiting)

    @property
    def has_busy_threads(self) -> bool:
        """Whether a thread decides. Python waits for it before the process exits."""
        return any(threads.are_busy for threads in self._threads)

    @property
    def late(self) -> int:
        """How many functions have not returned within ``decide_timeout``, and still run."""
        return sum(threads.late for threads in self._threads)

    @property
    def is_stuck(self) -> bool:
        """Whether calls of some kind are all refused, because functions do not return: only a restart helps."""
        return any(threads.seconds_full > STUCK for threads in self._threads)

    def endpoint(self, path: str, handler: Handler, *, is_quick: bool) -> Endpoint:
        """Return the endpoint of a route at *path*: it responds as *handler* does, or refuses if anything fails."""

        async def respond(request: Request) -> Response:
            # An app may include the router under a prefix, and one with parameters would make any number of paths.
            shown = path if request.path_params else request.scope["path"]
            call, connection = _Call(self._telemetry, shown), connection_of(request.scope)
            try:
                outcome = await self._outcome(request, connection, handler, call, is_quick=is_quick)
            except ClientDisconnect:
                # Neither is sent. A connection that a limit has closed is reported with that limit.
                return call.refuse(LEFT) if connection and connection.end_if_left() else INCOMPLETE.response("")
            except Refused as refused:
                return call.refuse(refused.refusal)
            except Exception as error:  # noqa: BLE001 - whatever else fails around a hook
                return call.refuse(FAILED, error_location(error))
            return call.refuse(LEFT) if connection and connection.end_if_left() else call.respond(outcome)

        return respond

    async def _outcome(
        self, request: Request, connection: Connection | None, handler: Handler, call: "_Call", *, is_quick: bool
    ) -> "_Outcome":
        """Return what *handler* decides about *request*; raise Refused or ClientDisconnect."""
        buffer = await self._bodies.read(request)
        call.body = buffer.body
        if connection and connection.is_over_limit:  # others have arrived while this body did
            buffer.release()
            raise Refused(TOO_MANY_REQUESTS)
        if not is_quick or len(buffer.body) > LONG:
            return await self._handle_in_thread(handler, buffer, is_quick=is_quick)
        try:
            return _handle(handler, buffer.body, self._clock())
        finally:
            buffer.release()

    async def _handle_in_thread(self, handler: Handler, buffer: Buffer, *, is_quick: bool) -> "_Outcome":
        """Decide in a thread. It can't be stopped, so the memory of the body is given back when it ends."""
        is_large = len(buffer.body) > SMALL
        not_large = self._for_long if is_quick else self._for_waiting
        threads, handle = (self._for_large, _handle_large) if is_large else (not_large, _handle)
        size = decoded_size(buffer.body) if threads is self._for_waiting else 0
        try:
            async with asyncio.timeout(self._limits.decide_timeout):
                return await threads.run(lambda: handle(handler, buffer.body, self._clock()), buffer.release, size)
        except TimeoutError:
            if is_large:
                gc.enable()  # the thread may never get to do it
            return _Outcome(TOO_LONG, parent=await asyncio.to_thread(try_parent, buffer.body))


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


def _handle_large(handler: Handler, body: Body, now: datetime) -> _Outcome:
    """Return what *handler* decides about a large *body*, one at a time, without garbage collections.

    What is decoded has no cycles. A collection holds all threads, and there would be many for a million lists.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return _handle(handler, body, now)
    finally:
        if was_enabled:
            gc.enable()


class _JsonResponse(Response):
    """A response to send. Starlette would take 3 us to build the same headers."""

    def __init__(self, body: bytes) -> None:
        self.status_code, self.body, self.background = OK, body, None
        self.raw_headers = [(b"content-length", b"%d" % len(body)), _JSON]


class _Call:
    """A call of the hook at *path*: reports its response, and returns it."""

    def __init__(self, telemetry: Telemetry, path: str) -> None:
        self._telemetry = telemetry
        self._path = path
        self._begin = telemetry.timer()
        self.body: Body = b""
        """Empty until it is received."""

    def respond(self, outcome: _Outcome) -> Response:
        """Report *outcome*, and return it as a response."""
        result = outcome.result
        if isinstance(result, Refusal):
            return self.refuse(result, outcome.place, outcome.parent)
        response = _JsonResponse(result.body)
        self._report(response, summary=result.summary)
        return response

    def refuse(self, refusal: Refusal, place: str = "", parent: Parent | None = None) -> Response:
        """Report *refusal*, and return it as a response. *place* is where in the code the hook failed.

        The *parent* is that of a failure: other refusals are the caller's mistakes, and it may send many. To decode a
        body for it takes time, so the event loop does not.
        """
        id_ = self._telemetry.count_refusal(self._path, refusal, place)
        response = refusal.response(id_)
        self._report(response, limit=refusal.limit, id=id_, parent=parent)
        return response

    def _report(self, response: Response, **fields: Any) -> None:  # noqa: ANN401 - fields of a call
        seconds = self._telemetry.timer() - self._begin
        sizes = (len(self.body), len(response.body))
        self._telemetry.called(HookCall(self._path, response.status_code, *sizes, seconds, **fields))
