"""Refusals: the answers other than 200. Each is constant: Metacontroller copies error bodies into Events and logs."""

import json
from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import Response


class Refusal(Exception):
    """An answer other than 200, which changes nothing in the cluster."""

    def __init__(self, status: int, says: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(says)
        self.status = status
        self._body = json.dumps({"error": says}).encode()
        self._headers = headers

    def response(self) -> Response:
        """Return this refusal as a response."""
        return Response(self._body, self.status, self._headers, "application/json")


MALFORMED = Refusal(400, "not a hook request")
NOT_FOUND = Refusal(404, "no such path: the hooks are /sync and /customize")
TOO_LARGE = Refusal(413, "the request is too large", {"Connection": "close"})
UNSUPPORTED = Refusal(415, "send application/json, without content encoding")
METHOD_NOT_ALLOWED = 405
FAILED = Refusal(500, "the hook failed; its log says where")


def by_status(_: Request, error: Exception) -> Response:
    """Return the refusal for what the router raised: no such path, or no such method."""
    status = getattr(error, "status_code", FAILED.status)
    if status == METHOD_NOT_ALLOWED:
        headers = getattr(error, "headers", None)
        return Refusal(METHOD_NOT_ALLOWED, "no such method; hooks are called with POST", headers).response()
    return NOT_FOUND.response() if status == NOT_FOUND.status else FAILED.response()
