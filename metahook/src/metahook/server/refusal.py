"""Refusals: the responses other than 200. None holds input: Metacontroller copies error bodies into Events and logs."""

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from metahook.protocol import MalformedRequest, wire
from metahook.protocol.malformed import Rule

DRAIN_WITHIN = 5.0
"""Seconds."""


@dataclass(frozen=True)
class Refusal:
    """A response other than 200, which changes nothing in the cluster."""

    status: int
    message: str
    headers: Mapping[str, str] | None = None
    drains: bool = False
    """Whether the rest of the request is read and dropped."""
    limit: str = ""
    """The limit that struck, by the name of its setting; "" for none."""

    def response(self, id_: str) -> Response:
        """Return this refusal as a response with the id that the log has, see :mod:`metahook.server.reports`."""
        kind = _Draining if self.drains else Response
        return kind(wire.refusal_body(self.message, id_), self.status, self.headers, "application/json")


class _Draining(Response):
    """A response that is sent at once; then the rest of the request is read and dropped, for a while.

    A client that is still sending when its connection is closed may see a reset, and never the response.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - as ASGI has it
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        await send({"type": "http.response.body", "body": self.body, "more_body": True})
        with suppress(TimeoutError):
            async with asyncio.timeout(DRAIN_WITHIN):
                while (await receive()).get("more_body"):
                    pass
        await send({"type": "http.response.body", "body": b""})


class Refused(Exception):
    """Raised to respond with a refusal. Why not the constants: an exception keeps the traceback of each raise."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


INCOMPLETE = Refusal(wire.MALFORMED, Rule.COMPLETE.value)
UNAUTHORIZED = Refusal(
    401,
    "send the header Authorization: Bearer TOKEN, with one of the tokens of the hook",
    {"WWW-Authenticate": "Bearer", "Connection": "close"},
)
NOT_FOUND = Refusal(404, "no such path")
NOT_ALLOWED = Refusal(405, "no such method for this path")
TOO_SLOW = Refusal(408, "the request was not sent in time", {"Connection": "close"}, limit="body_timeout")
TOO_LARGE = Refusal(*wire.TOO_LARGE, {"Connection": "close"}, drains=True, limit="max_body")
UNSUPPORTED = Refusal(415, "send the header Content-Type: application/json, and no Content-Encoding")
FAILED = Refusal(*wire.FAILED)
STOPPED = Refusal(503, "the hook stopped before it could respond", {"Connection": "close"})


def malformed(error: MalformedRequest) -> Refusal:
    """Return the refusal that tells which rule the body breaks."""
    return Refusal(wire.MALFORMED, str(error))


def from_http_exception(request: Request, error: Exception) -> Refusal:
    """Return the refusal for an exception of the router: no such path, or no such method."""
    status = getattr(error, "status_code", FAILED.status)
    if status == NOT_ALLOWED.status:
        return _not_allowed(getattr(error, "headers", {})["Allow"])
    return _not_found(request.app.routes) if status == NOT_FOUND.status else FAILED


def _not_allowed(allowed: str) -> Refusal:
    """Return the refusal that names the *allowed* methods of the path. Why sorted: the router has them in a set."""
    methods = sorted(allowed.split(", "))
    message = f"{NOT_ALLOWED.message}: use {' or '.join(methods)}"
    return replace(NOT_ALLOWED, message=message, headers={"Allow": ", ".join(methods)})


def _not_found(routes: Iterable[Route]) -> Refusal:
    """Return the refusal that lists the paths of *routes*, which are the app's own: none is of the request.

    A route with parameters, for files that a page loads, is left out.
    """
    paths = ", ".join(sorted(route.path for route in routes if not route.param_convertors))
    return replace(NOT_FOUND, message=f"{NOT_FOUND.message}: the paths are {paths}")
