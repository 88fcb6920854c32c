"""The hook, as Metacontroller reaches it: in this process, or anything else that answers."""

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple, Protocol

from metahook.protocol import Controller, MalformedRequest

MAX_BODY = 32 * 1024 * 1024
"""Bytes of a request, beyond which the service does not read it."""


class Reply(NamedTuple):
    """An HTTP response. ``retry_after`` is the header, in seconds."""

    status: int
    body: bytes
    retry_after: float | None = None


class Unreachable(Exception):
    """Raised when nobody answers, or not in time."""


class Hook(Protocol):
    """What is called for each sync and customize."""

    def __call__(self, hook: str, body: bytes) -> Reply:
        """Return the reply to *body*, sent to ``/sync`` or ``/customize``; raise Unreachable."""


def in_process(controller: Controller, now: Callable[[], datetime]) -> Hook:
    """Return the hook that *controller* is, with the statuses that its service would answer with."""

    def call(hook: str, body: bytes) -> Reply:
        if len(body) > MAX_BODY:
            return Reply(413, b"the request is too large")
        try:
            if hook == "customize":
                return Reply(200, controller.answer_customize(body))
            return Reply(200, controller.answer_sync(body, now()))
        except MalformedRequest:
            return Reply(400, b"not a hook request")
        except Exception:  # noqa: BLE001 - the service, too, answers so to any bug of the hook
            return Reply(500, b"the hook failed")

    return call
