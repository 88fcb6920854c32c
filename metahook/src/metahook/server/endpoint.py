"""Endpoints: what a hook decides about a body, and the answers that are remembered.

Metacontroller often sends the same bytes again: at a resync of all parents, after its restart, and when it lists again.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple

from metahook.protocol.controller import Answer, Hook
from metahook.protocol.malformed import MalformedRequest
from metahook.protocol.memo import Memo
from metahook.protocol.request import Body, CustomizeRequest, Parent
from metahook.server.clock import Clock
from metahook.server.failure import where
from metahook.server.refusal import FAILED, Refusal, malformed

OVERHEAD = 4096
"""Bytes that a remembered answer takes besides its body, at most: its key, its summary and the names in there."""


class Decision(NamedTuple):
    """What a hook decided *at* a time: an answer, or a refusal, with the *place* in the code and the parent."""

    at: datetime
    outcome: Answer | Refusal
    place: str = ""
    parent: Parent | None = None
    is_remembered: bool = False


class _Remembered(NamedTuple):
    answer: Answer
    at: datetime
    """When it was decided."""


Answers = Memo[_Remembered]


@dataclass(frozen=True)
class Endpoint:
    """Decides about the bodies that are sent to *path*, and remembers timeless answers in *answers*."""

    path: str
    hook: Hook
    clock: Clock
    answers: Answers | None = None

    def decide(self, body: Body) -> Decision:
        """Return what the hook decides about *body*.

        Why nothing is reported here: a thread may decide after the request has got its refusal.
        """
        now = self.clock()
        if self.answers is None:
            return self._decide(body, now)
        key = (self.path, sha256(body).digest())
        remembered = self.answers.get(key)
        # Why the time: a clock that was set back may reach a time at which the answer was another one.
        if remembered and remembered.at <= now:
            return Decision(now, remembered.answer, is_remembered=True)
        decision = self._decide(body, now)
        if isinstance(decision.outcome, Answer) and decision.outcome.is_timeless:
            answer = _without_content(decision.outcome)
            self.answers.put(key, _Remembered(answer, now), len(answer.body) + OVERHEAD)
        return decision

    def _decide(self, body: Body, now: datetime) -> Decision:
        """Return what the hook decides about *body* at *now*.

        Errors are returned, not raised: a future holds its exception, whose traceback refers to the future. Such a
        cycle keeps the body in memory until the garbage collector runs.
        """
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


def _without_content(answer: Answer) -> Answer:
    """Return *answer* with what reports need of its parent: the rest has no bound that OVERHEAD could name."""
    parent = replace(answer.summary.parent, spec=b"", status=b"", created=None)
    return replace(answer, summary=replace(answer.summary, parent=parent))
