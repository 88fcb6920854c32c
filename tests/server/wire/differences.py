"""Answers that are meant to differ from those of 0.2.0."""

from dataclasses import dataclass

from tests.server.wire.exchange import Answer


@dataclass(frozen=True)
class Difference:
    """An answer, and why it is better than the one of 0.2.0."""

    answer: Answer
    reason: str


DIFFERENCES: dict[str, dict[str, Difference]] = {}
"""By client and name."""
