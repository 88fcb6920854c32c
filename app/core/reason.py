"""What a reason is: one word for a state of a MyResource, with its message, its causes and the way out."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


class Outlook(Enum):
    """What a reason means for somebody who waits. Source: kstatus."""

    READY = "Ready is True"
    RECONCILING = "Ready is False; it goes on by itself (Reconciling)"
    STALLED = "Ready is False; somebody must act (Stalled)"
    AS_THE_ROLLOUT = "Ready is False; Reconciling until the rollout's deadline, Stalled after it"
    LEAVING = "Ready is False; the object is going away"


@dataclass(frozen=True)
class Reason:
    """A reason of the condition Ready. Its message is filled with those of :mod:`app.core.words`."""

    name: str
    outlook: Outlook
    message: str
    cause: str
    remedy: str

    def filled(self, words: Mapping[str, str]) -> str:
        """Return the message with *words* in their places."""
        return self.message.format_map(words)

    def outlined(self) -> str:
        """Return the message with its places marked, as in ``<name>``."""
        return re.sub(r"{(\w+)}", r"<\1>", self.message)
