"""The record of a world: every write request, every hook call, every Event. Findings and timelines read it."""

from collections.abc import Callable, Iterator

import msgspec

from metahook.simulator.objects import Json, Key

YOU = "you"
"""The actor of every change by hand."""


class Write(msgspec.Struct, frozen=True):
    """A write request. ``before`` and ``after`` are the stored object; equal resourceVersions mean no change.

    ``at`` is in seconds, as everywhere in a history. ``refused`` is the API server's error.
    """

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


class Call(msgspec.Struct, frozen=True):
    """A call of a hook, ``sync`` or ``customize``, for the parent ``key``. A status of None means no response.

    ``problem`` says why, or what the author of the hook should know, such as a traceback.
    """

    at: float
    hook: str
    key: Key
    request: bytes
    status: int | None
    response: bytes
    problem: str = ""

    @property
    def parent(self) -> Json:
        """The parent in the request, or the object of a decorator."""
        return parent_in(self.request)


def parent_in(request: bytes) -> Json:
    """Return the parent in the body of a *request*, or the object of a decorator; an empty one if it has neither."""
    decoded = msgspec.json.decode(request)
    parent: Json = decoded.get("parent") or decoded.get("object") or {}
    return parent


class Event(msgspec.Struct, frozen=True):
    """A Warning Event of the object ``key``: a SyncError, or a Crash of Metacontroller."""

    at: float
    key: Key
    reason: str
    message: str


Entry = Write | Call | Event
"""What a history lists."""


class History(msgspec.Struct):
    """All entries, in order."""

    entries: list[Entry] = msgspec.field(default_factory=list)
    listeners: list[Callable[[Entry], None]] = msgspec.field(default_factory=list)
    """Called with every entry as it is added."""

    def add(self, entry: Entry) -> None:
        self.entries.append(entry)
        for listener in self.listeners:
            listener(entry)

    def writes(self, actor: str | None = None) -> Iterator[Write]:
        """Yield the writes of *actor*, or all writes."""
        return (entry for entry in self.entries if isinstance(entry, Write) and (actor is None or entry.actor == actor))

    def calls(self, *hooks: str) -> Iterator[Call]:
        """Yield the calls of *hooks*; default is sync."""
        return (entry for entry in self.entries if isinstance(entry, Call) and entry.hook in (hooks or ("sync",)))

    def events(self, reason: str) -> Iterator[Event]:
        return (entry for entry in self.entries if isinstance(entry, Event) and entry.reason == reason)
