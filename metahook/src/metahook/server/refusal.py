"""Refusals: the responses other than 200. Each is constant: Metacontroller copies error bodies into Events and logs."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from metahook.protocol import wire

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

    def response(self) -> Response:
        """Return this refusal as a response."""
        kind = _Draining if self.drains else Response
        return kind(wire.refusal_body(self.message), self.status, self.headers, "application/json")


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


MALFORMED = Refusal(*wire.NOT_A_REQUEST)
NOT_FOUND = Refusal(404, "no such path: the paths of hooks end in /sync or /customize")
NOT_ALLOWED = Refusal(405, "no such method for this path; hooks are called with POST")
TOO_SLOW = Refusal(408, "the request was not sent in time", {"Connection": "close"})
TOO_LARGE = Refusal(*wire.TOO_LARGE, {"Connection": "close"}, drains=True)
UNSUPPORTED = Refusal(415, "send application/json, without content encoding")
FAILED = Refusal(*wire.FAILED)


def from_http_exception(_: Request, error: Exception) -> Response:
    """Return the refusal for an exception of the router: no such path, or no such method."""
    status = getattr(error, "status_code", FAILED.status)
    if status == NOT_ALLOWED.status:
        return Refusal(status, NOT_ALLOWED.message, getattr(error, "headers", None)).response()
    return NOT_FOUND.response() if status == NOT_FOUND.status else FAILED.response()
