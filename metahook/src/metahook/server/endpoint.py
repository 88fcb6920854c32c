"""Endpoints: what a hook decides about a body."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from metahook.protocol import Body, CustomizeRequest, MalformedRequest, Parent
from metahook.protocol.controller import Answer, Hook
from metahook.server.clock import Clock
from metahook.server.failure import where
from metahook.server.refusal import FAILED, Refusal, malformed


class Decision(NamedTuple):
    """What a hook decided *at* a time: an answer, or a refusal, with the *place* in the code and the parent."""

    at: datetime
    outcome: Answer | Refusal
    place: str = ""
    parent: Parent | None = None
    is_remembered: bool = False


@dataclass(frozen=True)
class Endpoint:
    """Decides about the bodies that are sent to *path*."""

    path: str
    hook: Hook
    clock: Clock

    def decide(self, body: Body) -> Decision:
        """Return what the hook decides about *body*.

        Why nothing is reported here: a thread may decide after the request has got its refusal.

        Errors are returned, not raised: a future holds its exception, whose traceback refers to the future. Such a
        cycle keeps the body in memory until the garbage collector runs.
        """
        now = self.clock()
        try:
            return Decision(now, self.hook(body, now))
        except MalformedRequest as error:
            return Decision(now, malformed(error))
        except KeyboardInterrupt:
            raise
        # Why BaseException: a panic of a library in Rust, or sys.exit in a hook, which ends no other parent's sync.
        except BaseException as error:  # noqa: BLE001 - innermost: one parent's bug
            return Decision(now, FAILED, where(error), try_parent(body))


def try_parent(body: Body) -> Parent | None:
    """Return the parent of the request *body*, or None."""
    try:
        return CustomizeRequest.decode(body).parent
    except MalformedRequest:
        return None
