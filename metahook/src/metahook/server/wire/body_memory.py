"""The memory of bodies. Nothing waits for it: a body that is slow to arrive gives way to a new one."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from metahook.server.refusal import TOO_MANY_SMALL, Refused


class Buffer:
    """What has arrived of a body."""

    def __init__(self, take: Callable[[int, "Buffer"], None]) -> None:
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


class BodyMemory:
    """At most *most* bytes, for all bodies together."""

    def __init__(self, most: int) -> None:
        self._left = most
        self._arriving: dict[Buffer, None] = {}

    @contextmanager
    def buffer(self) -> Iterator[Buffer]:
        """Yield the buffer of a body, whose memory is given back when the block ends."""
        buffer = Buffer(self._take)
        self._arriving[buffer] = None
        try:
            yield buffer
        finally:
            self.settle(buffer)
            self._left += len(buffer.body)

    def settle(self, buffer: Buffer) -> None:
        """Note that the body in *buffer* has arrived: it no longer gives way."""
        self._arriving.pop(buffer, None)

    def _take(self, size: int, taker: Buffer) -> None:
        """Take *size* bytes for *taker*, from the bodies that have been arriving for longest if need be."""
        while self._left < size:
            longest = next(buffer for buffer in self._arriving if buffer.body or buffer is taker)
            if longest is taker:
                raise Refused(TOO_MANY_SMALL)
            self.settle(longest)
            self._left += longest.give_way()
        self._left -= size
