"""What an operator has done until now."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Work:
    """What an operator has done since it started, and what is in its queues, as far as it tells."""

    syncs: int = 0
    customizes: int = 0
    depth: int = 0

    def __add__(self, other: "Work") -> "Work":
        return Work(self.syncs + other.syncs, self.customizes + other.customizes, self.depth + other.depth)
