"""Refusals: the answers other than 200. Each is constant: Metacontroller copies error bodies into Events and logs."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response


@dataclass(frozen=True)
class Refusal:
    """An answer other than 200, which changes nothing in the cluster."""

    status: int
    says: str
    headers: Mapping[str, str] | None = None

    def response(self) -> Response:
        """Return this refusal as a response."""
        return Response(json.dumps({"error": self.says}), self.status, self.headers, "application/json")


class Refused(Exception):
    """Raised, anew each time, to answer with a refusal."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.says)
        self.refusal = refusal


MALFORMED = Refusal(400, "not a hook request")
NOT_FOUND = Refusal(404, "no such path: the hooks are /sync and /customize")
NOT_ALLOWED = Refusal(405, "no such method for this path; hooks are called with POST")
TOO_LARGE = Refusal(413, "the request is too large", {"Connection": "close"})
UNSUPPORTED = Refusal(415, "send application/json, without content encoding")
FAILED = Refusal(500, "the hook failed; its log says where")


def by_status(_: Request, error: Exception) -> Response:
    """Return the refusal for what the router raised: no such path, or no such method."""
    status = getattr(error, "status_code", FAILED.status)
    if status == NOT_ALLOWED.status:
        return Refusal(status, NOT_ALLOWED.says, getattr(error, "headers", None)).response()
    return NOT_FOUND.response() if status == NOT_FOUND.status else FAILED.response()
