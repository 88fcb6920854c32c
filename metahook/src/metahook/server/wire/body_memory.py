"""The memory of bodies. Nothing waits for it: a body that is slow to arrive gives way to a new one."""

from collections.abc import Callable
from types import TracebackType
from typing import Self

from metahook.server.refusal import TOO_MANY_SMALL, Refused


def _do_nothing() -> None:
    """Release nothing else."""


class Buffer:
    """What has arrived of a body. At the end of its block, its memory is given back."""

    def __init__(self, memory: "BodyMemory", on_release: Callable[[], None]) -> None:
        self.body = bytearray()
        self._memory = memory
        self._on_release = on_release
        self._has_given_way = False
        self._is_released = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def add(self, chunk: bytes) -> None:
        """Add *chunk* to the body; raise Refused if there is no room, or if another body has taken the room of it."""
        if self._has_given_way:
            raise Refused(TOO_MANY_SMALL)
        self._memory.take(len(chunk), self)
        self.body += chunk

    def give_way(self) -> int:
        """Return how many bytes the body had: they are another's now."""
        size, self._has_given_way = len(self.body), True
        self.body.clear()
        return size

    def settle(self) -> None:
        """Note that the body has arrived: it no longer gives way to others."""
        self._memory.settle(self)

    def release(self) -> None:
        """Give the memory back, once."""
        if not self._is_released:
            self._is_released = True
            self._memory.give_back(self)
            self._on_release()


class BodyMemory:
    """At most *most* bytes, for all bodies together."""

    def __init__(self, most: int) -> None:
        self._left = most
        self._arriving: dict[Buffer, None] = {}

    def buffer(self, on_release: Callable[[], None] = _do_nothing) -> Buffer:
        """Return the buffer of a body that begins to arrive; *on_release* is called when its memory is given back."""
        buffer = Buffer(self, on_release)
        self._arriving[buffer] = None
        return buffer

    def settle(self, buffer: Buffer) -> None:
        """Note that the body in *buffer* has arrived: it no longer gives way."""
        self._arriving.pop(buffer, None)

    def give_back(self, buffer: Buffer) -> None:
        """Take back the memory of *buffer*."""
        self.settle(buffer)
        self._left += len(buffer.body)

    def take(self, size: int, taker: Buffer) -> None:
        """Take *size* bytes for *taker*, from the bodies that have been arriving for longest if need be."""
        while self._left < size:
            longest = next(buffer for buffer in self._arriving if buffer.body or buffer is taker)
            if longest is taker:
                raise Refused(TOO_MANY_SMALL)
            self.settle(longest)
            self._left += longest.give_way()
        self._left -= size
