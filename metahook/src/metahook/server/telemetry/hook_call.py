"""A call of a hook, once it is answered: what the log and the metrics say about it."""

from typing import NamedTuple

from metahook.protocol.request import Parent
from metahook.protocol.response import Summary
from metahook.server.telemetry.log_event import LogEvent, Value

OK = 200

SLOW = 1.0
"""Seconds."""


class HookCall(NamedTuple):
    """A call of a hook. Of the content of the request it has the identity of the parent, and the hook's own fields."""

    hook: str
    """The path, such as ``/sync``."""
    status: int
    request_bytes: int
    """Of the body; 0 if it was not received."""
    response_bytes: int
    seconds: float
    """From the call of the route to its response: with the time to receive the body."""
    limit: str = ""
    """The limit that refused it, by the name of its setting; "" for none."""
    id: str = ""
    """What the body of a refusal names, and the log has; "" for a 200."""
    summary: Summary | None = None
    """None if no response was decided."""
    parent: Parent | None = None
    """The parent for which the hook failed, if it is known."""

    @property
    def about(self) -> Parent | None:
        """The parent that the call is about; None if it is not known."""
        return self.summary.parent if self.summary else self.parent

    @property
    def is_transition(self) -> bool:
        """Whether the reason of the parent's condition Ready changes."""
        decided = self.summary
        return decided is not None and decided.rules is None and decided.reason != decided.reason_before

    @property
    def is_notable(self) -> bool:
        """Whether its line is written rather than those of others, if there are too many."""
        return self.status != OK or self.is_transition or self.seconds > SLOW

    def line(self, parent: Parent, omitted: int) -> LogEvent:
        """Return its line of the log, about *parent*; *omitted* is the number of calls before it without one."""
        return LogEvent(
            "hook called",
            hook=self.hook,
            **({"kind": parent.kind} if parent.kind else {}),
            namespace=parent.namespace,
            name=parent.name,
            uid=parent.uid,
            generation=parent.generation,
            **_decided(self.summary),
            bytes_in=self.request_bytes,
            bytes_out=self.response_bytes,
            ms=round(self.seconds * 1000, 2),
            status=self.status,
            **(self.summary.log if self.summary else {}),
            **({"limit": self.limit} if self.limit else {}),
            **({"id": self.id} if self.id else {}),
            **({"omitted": omitted} if omitted else {}),
        )


def _decided(summary: Summary | None) -> dict[str, Value]:
    """Return what a sync, or a customize, decided."""
    if summary is None:
        return {}
    if summary.rules is not None:
        return {"rules": summary.rules}
    return {
        "reason_before": summary.reason_before,
        "reason": summary.reason,
        "children": summary.children,
        "kept": summary.kept,
    }
