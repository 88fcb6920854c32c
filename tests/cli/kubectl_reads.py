"""What kubectl reads in files, and in which fields of a MyResource the API server accepts it.

``tests.e2e.kubectl_reads`` records it in ``tests/data/kubectl-reads.json``.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypedDict

from tests.requests.builders import Json

FILE = Path(__file__).parents[1] / "data/kubectl-reads.json"


class Scalar(TypedDict):
    """A scalar as it stands in *yaml*."""

    yaml: str
    sent: list[Any] | None
    """The one value that kubectl sends; None if it refuses."""
    key: Any
    """The map that kubectl sends if the scalar is its key; None if it refuses."""
    accepted: list[str]
    """The PLACES in which the API server accepts the value."""


class ReadFile(TypedDict):
    """A file with objects of the kind Thing."""

    what: str
    content: str
    """Its bytes, as Latin-1."""
    sent: list[Any]
    """The specs that kubectl sends, in order."""
    refused: bool
    """Whether kubectl refuses the rest."""


class Reads(TypedDict):
    """All that is recorded."""

    scalars: list[Scalar]
    files: list[ReadFile]


PLACES: dict[str, Callable[[Any], Json]] = {
    "a string": lambda value: {"env": [{"name": "A", "value": value}]},
    "an integer": lambda value: {"replicas": value},
    "a boolean": lambda value: {"suspend": value},
    "a quantity": lambda value: {"cpu": value},
    "an int-or-string": lambda value: {"strategy": {"rollingUpdate": {"maxSurge": value}}},
}
"""A field of a MyResource for each type, with a value in it."""


def recorded() -> Reads:
    """Return what is recorded."""
    return parsed(FILE.read_text(encoding="utf-8"))


def parsed(text: str) -> Reads:
    """Return the recording *text*."""
    found: Reads = json.loads(text, parse_int=_number)
    return found


def _number(text: str) -> int | float:
    """Return what the API server makes of an integer: it has 64 bits, and others are floating-point numbers."""
    return int(text) if -(2**63) <= int(text) < 2**63 else float(text)
