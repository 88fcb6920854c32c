"""Refusals: the responses other than 200. None holds input: Metacontroller copies error bodies into Events and logs."""

import asyncio
import secrets
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from http import HTTPStatus

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from metahook.protocol import bodies
from metahook.protocol.bodies import MalformedRequest, RequestRule

DROP_WITHIN = 5.0
"""Seconds for which the rest of a request that is too large is read and dropped."""

CLOSE = {"Connection": "close"}
RETRY_AFTER = 5
"""Seconds, at most. Metacontroller repeats a request at once, and for ever, if a 429 does not say when."""


@dataclass(frozen=True)
class Refusal:
    """A response other than 200, which changes nothing in the cluster."""

    status: int
    message: str
    headers: Mapping[str, str] | None = None
    limit: str = ""
    """The limit that the request is over, by the name of its setting; "" for none."""
    drops_rest: bool = False
    """Whether the rest of the request is read and dropped before the connection is closed."""

    def body(self, id_: str) -> bytes:
        """Return the body of the response, JSON, with the id that the log has."""
        return bodies.refusal_body(self.message, id_)

    def head(self, length: int) -> bytes:
        """Return the head of a response with a body of this *length* that ends the connection."""
        status = HTTPStatus(self.status)
        first = f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: application/json\r\n"
        return f"{first}content-length: {length}\r\nconnection: close\r\n\r\n".encode()

    def response(self, id_: str) -> Response:
        """Return this refusal as a response with the id that the log has."""
        kind = _DroppingRest if self.drops_rest else Response
        return kind(self.body(id_), self.status, self._headers(), "application/json")

    def _headers(self) -> Mapping[str, str] | None:
        # A random time, so that requests that are refused at the same time do not all come back at the same time.
        return self.headers if self.status != BUSY else {"Retry-After": str(1 + secrets.randbelow(RETRY_AFTER))}


def respond_without_id(refusal: Refusal, _: str) -> Response:
    """Return *refusal* as a response, whatever the path, where there is no log."""
    return refusal.response("")


class _DroppingRest(Response):
    """A response that is sent at once; then the rest of the request is read and dropped, for a while.

    A client that is still sending when its connection is closed may see a reset, and never the response.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        await send({"type": "http.response.body", "body": self.body, "more_body": True})
        if not _waits_for_continue(scope):
            with suppress(TimeoutError):
                async with asyncio.timeout(DROP_WITHIN):
                    while (await receive()).get("more_body"):
                        pass
        await send({"type": "http.response.body", "body": b""})


def _waits_for_continue(scope: Scope) -> bool:
    """Tell whether the client sends the body only when it is asked to: it was not, so there is no rest."""
    return any(name == b"expect" for name, _ in scope["headers"])


class Refused(Exception):
    """Raised to respond with a refusal. The constants are not raised: an exception keeps a traceback of each raise.

    *place* is where in the code the server failed.
    """

    def __init__(self, refusal: Refusal, place: str = "") -> None:
        super().__init__(refusal.message)
        self.refusal, self.place = refusal, place


BUSY = 429

INCOMPLETE = Refusal(bodies.MALFORMED, RequestRule.COMPLETE.value)
UNAUTHORIZED = Refusal(
    401,
    "send the header Authorization: Bearer TOKEN, with one of the tokens of the hook",
    {"WWW-Authenticate": "Bearer", **CLOSE},
    "tokens",
    drops_rest=True,
)
CHUNKED = Refusal(411, "send the header Content-Length, and no Transfer-Encoding", CLOSE, "tokens", drops_rest=True)
FORBIDDEN = Refusal(
    403,
    "use a client certificate with one of the names that the hook accepts",
    CLOSE,
    "tls_client_names",
    drops_rest=True,
)
NOT_HTTP = Refusal(bodies.MALFORMED, "the request is not HTTP/1.1")
UPGRADE = Refusal(bodies.MALFORMED, "send the request without the header Upgrade")
CODING = Refusal(bodies.MALFORMED, "send the header Transfer-Encoding with the word chunked alone, or Content-Length")
NOT_ONE_HOST = Refusal(bodies.MALFORMED, "send the header Host once")
NOT_FOUND = Refusal(404, "no such path")
NOT_ALLOWED = Refusal(405, "no such method for this path")
TOO_SLOW = Refusal(408, "the request was not sent in time", CLOSE, "body_timeout")
HEAD_TOO_SLOW = replace(TOO_SLOW, limit="head_timeout")
TOO_LARGE = Refusal(*bodies.TOO_LARGE, CLOSE, "max_body", drops_rest=True)
URL_TOO_LONG = Refusal(414, "the URL is too long", limit="max_url")
UNSUPPORTED = Refusal(415, "send the header Content-Type: application/json, and no Content-Encoding")
TOO_MANY_REQUESTS = Refusal(BUSY, "too many requests at the same time", limit="max_in_flight")
TOO_MANY_LARGE = replace(TOO_MANY_REQUESTS, limit="max_large_bodies")
TOO_MANY_SMALL = replace(TOO_MANY_REQUESTS, limit="small_bodies")
LEFT = Refusal(499, "the client closed the connection before the response")
"""It is not sent: its status is for the log and the metrics."""
HEAD_TOO_LARGE = Refusal(431, "the headers are too large", limit="max_head")
TOO_MANY_HEADERS = Refusal(431, "the request has too many headers", limit="max_headers")
FAILED = Refusal(*bodies.FAILED)
TOO_LONG = Refusal(503, "the hook did not decide in time", limit="decide_timeout")
STOPPED = Refusal(503, "the hook stopped before it could respond", CLOSE)


def malformed(error: MalformedRequest) -> Refusal:
    """Return the refusal that tells which rule the body breaks."""
    return Refusal(bodies.MALFORMED, str(error))


def from_http_exception(error: Exception, paths: Iterable[str]) -> Refusal:
    """Return the refusal for an exception of the router: no such path, of those that the app has, or no such method."""
    status = getattr(error, "status_code", FAILED.status)
    if status == NOT_ALLOWED.status:
        return _not_allowed(getattr(error, "headers", {})["Allow"])
    if status == NOT_FOUND.status:
        return replace(NOT_FOUND, message=f"{NOT_FOUND.message}: the paths are {', '.join(sorted(paths))}")
    return FAILED


def _not_allowed(allowed: str) -> Refusal:
    """Return the refusal that names the *allowed* methods of the path, sorted, because the router has them in a set."""
    methods = sorted(allowed.split(", "))
    message = f"{NOT_ALLOWED.message}: use {' or '.join(methods)}"
    return replace(NOT_ALLOWED, message=message, headers={"Allow": ", ".join(methods)})
