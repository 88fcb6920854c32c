"""The causes of refusals: the first request that is refused for a cause gets a line, the next ones are counted.

All that are refused for one cause get the same id. Metacontroller copies the body of a refusal into an Event.
Kubernetes counts Events with the same text as one, and stores each new text.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

WINDOW = 60.0
"""Seconds from a line to the next one of the same cause."""

FORGET = 3600.0
"""Seconds for which a cause keeps its id after the last refusal. Metacontroller tries again within 17 minutes."""

MOST = 50
"""Causes of one status that are told apart. Others count as one: a client must not fill memory, or the log."""

OTHER = "other causes"


@dataclass(frozen=True)
class RefusalCause:
    """Why requests are refused, or connections closed. All of it is constant text, or a place in the code."""

    status: int
    """0 for a connection that is closed without a response."""
    hook: str = ""
    """The path of the hook; "" for any other."""
    error: str = ""
    """The message of the response."""
    limit: str = ""
    """The limit that struck, by the name of its setting."""
    where: str = ""
    """Where in the code it failed."""


@dataclass
class Occurrences:
    """How often a cause occurred."""

    cause: RefusalCause
    id: str
    count: int = 0
    """Since the last line."""
    written: float = float("-inf")
    last: float = 0


class RefusalCauses:
    """The causes that occurred lately. *timer* returns seconds, *new_id* a short text that is new each time."""

    def __init__(self, timer: Callable[[], float], new_id: Callable[[], str]) -> None:
        self._timer = timer
        self._new_id = new_id
        self._known: dict[RefusalCause, Occurrences] = {}
        self._next = timer() + WINDOW

    def add(self, cause: RefusalCause) -> tuple[Occurrences, bool]:
        """Count *cause*; return its occurrences, and whether to write a line about them now."""
        now = self._timer()
        found = self._known.get(cause) or self._new(cause, now)
        found.count += 1
        found.last = now
        return found, now - found.written >= WINDOW

    def written(self, found: Occurrences) -> None:
        """Count from zero again: a line has reported *found*."""
        found.count = 0
        found.written = self._timer()

    def due(self) -> Iterable[Occurrences]:
        """Return the occurrences that no line has reported for long, at most once in a while; forget old causes."""
        now = self._timer()
        if now < self._next:  # this is called for each request
            return ()
        self._next = now + WINDOW
        return self._overdue(now)

    def _overdue(self, now: float) -> Iterator[Occurrences]:
        for cause, found in list(self._known.items()):
            if found.count and now - found.written >= WINDOW:
                yield found
            elif now - found.last >= FORGET:
                del self._known[cause]

    def unreported(self) -> list[Occurrences]:
        """Return all occurrences that no line has reported."""
        return [found for found in self._known.values() if found.count]

    def _new(self, cause: RefusalCause, now: float) -> Occurrences:
        """Return the first occurrence of *cause*, or of all other causes if there is no room for it."""
        same = [found for found in self._known.values() if found.cause.status == cause.status]
        if len(same) >= MOST:
            idle = [found for found in same if now - found.last >= WINDOW and not found.count]
            if idle:
                del self._known[min(idle, key=lambda found: found.last).cause]
            else:
                cause = RefusalCause(cause.status, error=OTHER)
        return self._known.get(cause) or self._known.setdefault(cause, Occurrences(cause, self._new_id()))
