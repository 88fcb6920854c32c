"""What happened: every request that writes, every call of the hook, every Event. Findings and timelines read it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from metahook.simulator.objects import Json, Key

YOU = "you"
"""Who does what is done by hand."""


@dataclass(frozen=True)
class Write:
    """A request that writes. ``before`` and ``after`` are the object; equal versions mean that nothing changed."""

    at: float
    actor: str
    verb: str
    key: Key
    before: Json | None
    after: Json | None
    refused: str | None = None

    @property
    def changed(self) -> bool:
        """Whether a resourceVersion changed."""
        versions = [item and item["metadata"]["resourceVersion"] for item in (self.before, self.after)]
        return self.refused is None and versions[0] != versions[1]

    def __str__(self) -> str:
        return f"{self.verb} {self.key}"


@dataclass(frozen=True)
class Call:
    """A call of a hook, ``sync`` or ``customize``, about the parent *key*; no status means that nobody answered."""

    at: float
    hook: str
    key: Key
    request: bytes
    status: int | None
    answer: bytes


@dataclass(frozen=True)
class Event:
    """A Warning about the object *key*, or about Metacontroller itself."""

    at: float
    key: Key
    reason: str
    message: str


Entry = Write | Call | Event


@dataclass
class History:
    """All entries, in order."""

    entries: list[Entry] = field(default_factory=list)
    listeners: list[Callable[[Entry], None]] = field(default_factory=list)
    """Told of every entry at once."""

    def add(self, entry: Entry) -> None:
        """Note *entry*."""
        self.entries.append(entry)
        for listener in self.listeners:
            listener(entry)

    def writes(self, actor: str | None = None) -> Iterator[Write]:
        """Yield the writes, those of *actor* or all."""
        return (entry for entry in self.entries if isinstance(entry, Write) and (actor is None or entry.actor == actor))

    def calls(self, *hooks: str) -> Iterator[Call]:
        """Yield the calls of *hooks*; default is sync."""
        return (entry for entry in self.entries if isinstance(entry, Call) and entry.hook in (hooks or ("sync",)))

    def events(self, reason: str) -> Iterator[Event]:
        """Yield the Events with *reason*."""
        return (entry for entry in self.entries if isinstance(entry, Event) and entry.reason == reason)
