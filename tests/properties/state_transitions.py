"""Which state of a MyResource can follow which, as docs/reference/status.md says."""

from tests.requests.builders import Json

STATES = ("Building", "Ready", "Sleeping", "Degraded", "Failed", "Suspended", "Terminating")
NEW = ("Building", "Failed", "Suspended", "Terminating")
"""The first state of a MyResource; Terminating if it is deleted before its first status is written."""
EVERY = [(before, after) for before in STATES[:-1] for after in STATES if before != after]
"""The changes of one that has a state; Degraded only after it was Ready."""


def is_possible(before: Json, after: Json) -> bool:
    """Return whether the status *after* can follow *before*, which is empty at first."""
    if not before.get("state"):
        return after["state"] in NEW
    if before["state"] == "Terminating":
        return bool(after["state"] == "Terminating")
    return after["state"] != "Degraded" or _was_ready(after)


def _was_ready(status: Json) -> bool:
    """Return whether Ready was True in the generation that *status* is about."""
    return all(each["observedGeneration"] == status.get("readyGeneration") for each in status["conditions"])
