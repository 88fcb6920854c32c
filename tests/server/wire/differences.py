"""Answers that are meant to differ from those of 0.2.0."""

from dataclasses import dataclass

from tests.server.wire.exchange import Answer


@dataclass(frozen=True)
class Difference:
    """An answer, and why it is better than the one of 0.2.0."""

    answer: Answer
    reason: str


DIFFERENCES: dict[str, dict[str, Difference]] = {
    "a hook": {
        "no length but a body": Difference(
            "400 (content-type: application/json; connection: close) "
            '{"error": "the request is not HTTP/1.1", "id": "*"}',
            "Without a length a request has no body: what follows is another request, which is the one that is wrong.",
        ),
    },
}
"""By client and name."""
