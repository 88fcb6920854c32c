"""A budget of memory for bodies. Nothing waits for it: a body that is slow to arrive gives way to a new one."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from metahook.server.refusal import TOO_MANY_SMALL, Refused


class Share:
    """What has arrived of a body."""

    def __init__(self, take: Callable[[int, "Share"], None]) -> None:
        self.body = bytearray()
        self._has_given_way = False
        self._take = take

    def add(self, chunk: bytes) -> None:
        """Add *chunk* to the body; raise Refused if there is no room, or if another body has taken the room of it."""
        if self._has_given_way:
            raise Refused(TOO_MANY_SMALL)
        self._take(len(chunk), self)
        self.body += chunk

    def give_way(self) -> int:
        """Return how many bytes the body had: they are another's now."""
        size, self._has_given_way = len(self.body), True
        self.body.clear()
        return size


class Budget:
    """A budget of *most* bytes."""

    def __init__(self, most: int) -> None:
        self._left = most
        self._arriving: dict[Share, None] = {}

    @contextmanager
    def share(self) -> Iterator[Share]:
        """Yield a share of this budget, which is given back when the block ends."""
        share = Share(self._take)
        self._arriving[share] = None
        try:
            yield share
        finally:
            self.settle(share)
            self._left += len(share.body)

    def settle(self, share: Share) -> None:
        """Note that the body of *share* has arrived: it no longer gives way."""
        self._arriving.pop(share, None)

    def _take(self, size: int, taker: Share) -> None:
        """Take *size* bytes for *taker*, from the bodies that have been arriving for longest if need be."""
        while self._left < size:
            longest = next(share for share in self._arriving if share.body or share is taker)
            if longest is taker:
                raise Refused(TOO_MANY_SMALL)
            self.settle(longest)
            self._left += longest.give_way()
        self._left -= size
