"""A controller: two pure functions, and the way of a body through them to the answer."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from app.hooks.answer import CustomizeAnswer, RelatedRule, SyncAnswer
from app.hooks.gate import check_customize, check_size, check_sync, kinds_of
from app.hooks.objects import MalformedRequest, Object
from app.hooks.request import CustomizeRequest, SyncRequest


def _nothing_related(_: CustomizeRequest) -> list[RelatedRule]:
    return []


@contextmanager
def _depth_bounded() -> Iterator[None]:
    """Call a body malformed that is nested deeper than Python can follow."""
    try:
        yield
    except RecursionError:
        message = "nested too deeply"
        raise MalformedRequest(message) from None


@dataclass(frozen=True)
class Controller:
    """What makes a controller: its functions, and the kinds of its children.

    ``sync(request, now)`` decides; *now* is the only clock it has. ``customize(request)`` names related objects. Both
    are pure and never raise for what a user wrote: a user's mistake is a condition in the status.
    """

    sync: Callable[[SyncRequest, datetime], SyncAnswer]
    children: tuple[type[Object], ...]
    customize: Callable[[CustomizeRequest], list[RelatedRule]] = _nothing_related

    def answer_sync(self, body: bytes, now: datetime) -> bytes:
        """Return the answer to a sync request, both JSON; raise MalformedRequest or RefusedAnswer."""
        with _depth_bounded():
            request = SyncRequest.decode(body)
            answer = self.sync(request, now)
            check_sync(answer, request.parent, kinds_of(*self.children))
            return check_size(answer.encode())

    def answer_customize(self, body: bytes) -> bytes:
        """Return the answer to a customize request, both JSON; raise MalformedRequest or RefusedAnswer."""
        with _depth_bounded():
            request = CustomizeRequest.decode(body)
            rules = self.customize(request)
            check_customize(rules, request.parent)
            return check_size(CustomizeAnswer(rules).encode())
