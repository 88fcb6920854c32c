"""A controller: two pure functions, and the way of a body through them to the answer."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from metahook.protocol.gate import check_customize, check_kept, check_size, check_sync, kinds_of
from metahook.protocol.objects import Object
from metahook.protocol.request import Body, CustomizeRequest, SyncRequest
from metahook.protocol.response import CustomizeResponse, SyncResponse
from metahook.protocol.wire import RelatedRule


def _nothing_related(_: CustomizeRequest) -> list[RelatedRule]:
    return []


@dataclass(frozen=True)
class Controller:
    """What makes a controller: its functions, and the kinds of its children.

    ``sync(request, now)`` decides; *now* is the only clock it has. ``customize(request)`` names related objects. Both
    are pure and never raise for what a user wrote: a user's mistake is a condition in the status.
    """

    sync: Callable[[SyncRequest, datetime], SyncResponse]
    children: tuple[type[Object], ...]
    customize: Callable[[CustomizeRequest], list[RelatedRule]] = _nothing_related

    def answer_sync(self, body: Body, now: datetime) -> bytes:
        """Return the answer to a sync request, both JSON; raise MalformedRequest or RefusedResponse."""
        request = SyncRequest.decode(body, self.children)
        answer = self.sync(request, now)
        check_sync(answer, request.parent, kinds_of(*self.children))
        check_kept(answer, request.children)
        return check_size(answer.encode())

    def answer_customize(self, body: Body) -> bytes:
        """Return the answer to a customize request, both JSON; raise MalformedRequest or RefusedResponse."""
        request = CustomizeRequest.decode(body)
        rules = self.customize(request)
        check_customize(rules, request.parent)
        return check_size(CustomizeResponse(rules).encode())
