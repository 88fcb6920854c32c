"""The hook as Metacontroller calls it: in this process, or anywhere else."""

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple, Protocol

from metahook.protocol import Controller, MalformedRequest

MAX_BODY = 32 * 1024 * 1024
"""Bytes; the service refuses a larger request."""


class Reply(NamedTuple):
    """An HTTP response. ``retry_after`` is the header, in seconds."""

    status: int
    body: bytes
    retry_after: float | None = None


class Unreachable(Exception):
    """Raised when the hook does not respond in time."""


class Hook(Protocol):
    """A function that Metacontroller calls for each sync and customize."""

    def __call__(self, hook: str, body: bytes) -> Reply:
        """Return the reply to *body*, sent to ``/sync`` or ``/customize``; raise Unreachable."""


def in_process(controller: Controller, now: Callable[[], datetime]) -> Hook:
    """Return *controller* as a hook, with the status codes that its service would send."""

    def call(hook: str, body: bytes) -> Reply:
        if len(body) > MAX_BODY:
            return Reply(413, b"the request is too large")
        try:
            if hook == "customize":
                return Reply(200, controller.answer_customize(body))
            return Reply(200, controller.answer_sync(body, now()))
        except MalformedRequest:
            return Reply(400, b"not a hook request")
        except Exception:  # noqa: BLE001 - the service sends a 500 for any bug of the hook, too
            return Reply(500, b"the hook failed")

    return call
