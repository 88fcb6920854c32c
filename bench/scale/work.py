"""What an operator has done until now."""

from dataclasses import astuple, dataclass


@dataclass(frozen=True)
class Work:
    """What an operator has done since it started, and whether it does anything: the length of its queues, or 1.

    Syncs and calls of customize are those of Metacontroller; *requests* is a measure of requests to the API server.
    """

    syncs: int = 0
    customizes: int = 0
    depth: int = 0
    requests: int = 0

    def __add__(self, other: "Work") -> "Work":
        return Work(*(mine + theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True)))
