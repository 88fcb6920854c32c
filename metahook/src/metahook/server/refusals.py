"""Refusals: the responses other than 200. None holds input: Metacontroller copies error bodies into Events and logs."""

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from metahook.protocol import bodies
from metahook.protocol.bodies import MalformedRequest

CLOSE = {"Connection": "close"}
MALFORMED, BUSY = 400, 429
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

    def body(self, id_: str) -> bytes:
        """Return the body of the response, JSON, with the id that the log has."""
        return bodies.refusal_body(self.message, id_)

    def written(self, id_: str) -> bytes:
        """Return the whole response as it is written to a connection, which it ends."""
        status, body = HTTPStatus(self.status), self.body(id_)
        first = f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: application/json\r\n"
        return f"{first}content-length: {len(body)}\r\nconnection: close\r\n\r\n".encode() + body

    def response(self, id_: str, request: Request | None = None) -> Response:
        """Return this refusal of *request* as a response with the id that the log has.

        uvicorn drops the rest of a body that nobody reads. A client that waits to be asked for its body may send its
        next request instead, so its connection ends.
        """
        headers = dict(self.headers or {})
        if self.status == BUSY:  # a random time, so that not all come back at the same time
            headers["Retry-After"] = str(1 + secrets.randbelow(RETRY_AFTER))
        if request and "expect" in request.headers:
            headers |= CLOSE
        return Response(self.body(id_), self.status, headers, "application/json")


class Refused(Exception):
    """Raised to respond with a refusal. The constants are not raised: an exception keeps a traceback of each raise."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


UNAUTHORIZED = Refusal(
    401,
    "send the header Authorization: Bearer TOKEN, with one of the tokens of the hook",
    {"WWW-Authenticate": "Bearer"},
    "tokens",
)
FORBIDDEN = Refusal(
    403, "use a client certificate with one of the names that the hook accepts", limit="tls_client_names"
)
NOT_OURS = Refusal(403, "the server does not use the certificates of the hook", limit="tls_cert")
NOT_HTTP = Refusal(MALFORMED, "the request is not HTTP/1.1")
NOT_FOUND = Refusal(404, "no such path")
NOT_ALLOWED = Refusal(405, "no such method for this path")
TOO_SLOW = Refusal(408, "the request was not sent in time", CLOSE, "body_timeout")
HEAD_TOO_SLOW = replace(TOO_SLOW, limit="head_timeout")
TOO_LARGE = Refusal(413, bodies.TOO_LARGE, limit="max_body")
UNSUPPORTED = Refusal(415, "send the header Content-Type: application/json, and no Content-Encoding")
TOO_MANY_REQUESTS = Refusal(BUSY, "too many requests at the same time", limit="max_in_flight")
TOO_MANY_BODIES = replace(TOO_MANY_REQUESTS, limit="bodies")
LEFT = Refusal(499, "the client closed the connection before the response")
"""It is not sent: its status is for the log and the metrics."""
FAILED = Refusal(500, bodies.FAILED)
TOO_LONG = Refusal(503, "the hook did not decide in time", limit="decide_timeout")
TOO_MANY_CONNECTIONS = Refusal(503, "too many connections at the same time", CLOSE, "max_connections")
STOPPED = Refusal(503, "the hook stopped before it could respond", CLOSE)


def malformed(error: MalformedRequest) -> Refusal:
    """Return the refusal that tells which rule the body breaks."""
    return Refusal(MALFORMED, str(error))


def refusal_of(error: HTTPException, paths: Iterable[str]) -> Refusal | None:
    """Return the refusal for an exception of the router: no such path, of those that the app has, or no such method.

    Return None for an exception that a route raises with a text of its own.
    """
    if error.detail == HTTPStatus.NOT_FOUND.phrase:
        return replace(NOT_FOUND, message=f"{NOT_FOUND.message}: the paths are {', '.join(sorted(paths))}")
    if error.detail == HTTPStatus.METHOD_NOT_ALLOWED.phrase:
        allowed = (error.headers or {}).get("Allow", "GET")  # StaticFiles has no such header
        methods = sorted(allowed.split(", "))  # sorted, because the router has them in a set
        message = f"{NOT_ALLOWED.message}: use {' or '.join(methods)}"
        return replace(NOT_ALLOWED, message=message, headers={"Allow": ", ".join(methods)})
    return None
