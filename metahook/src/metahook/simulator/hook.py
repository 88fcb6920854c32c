"""The hook as Metacontroller calls it: in this process, or anywhere else."""

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple, Protocol

from metahook.protocol.bodies import FAILED, MAX_BODY, TOO_LARGE, MalformedRequest, refusal_body
from metahook.protocol.controller import Controller


class Reply(NamedTuple):
    """An HTTP response. ``retry_after`` is the header, in seconds. ``problem`` is for the author of the hook alone."""

    status: int
    body: bytes
    retry_after: float | None = None
    problem: str = ""


class Unreachable(Exception):
    """Raised when the hook does not respond in time."""


class Hook(Protocol):
    """A function that Metacontroller calls for each sync, customize and finalize."""

    def __call__(self, hook: str, body: bytes) -> Reply:
        """Return the reply to *body*, sent to ``/sync``, ``/customize`` or ``/finalize``; raise Unreachable."""


def in_process(
    controller: Controller, now: Callable[[], datetime], report: Callable[[Exception], object] = bool
) -> Hook:
    """Return *controller* as a hook, which responds as its service would; *report* gets the exception behind a 500."""

    def call(hook: str, body: bytes) -> Reply:
        if len(body) > MAX_BODY:
            return _refusal(413, TOO_LARGE)
        if hook not in controller.handlers:
            return _refusal(404, "no such path")
        try:
            return Reply(200, controller.handlers[hook](body, now()).body)
        except MalformedRequest as error:
            return _refusal(400, str(error))
        except Exception as error:  # noqa: BLE001 - the service sends a 500 for any bug of the hook, too
            report(error)
            return _refusal(500, FAILED)

    return call


def _refusal(status: int, message: str) -> Reply:
    return Reply(status, refusal_body(message))
