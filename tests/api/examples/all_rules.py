"""All examples."""

from collections.abc import Iterator
from typing import Literal

from tests.api.examples import (
    container,
    expose,
    init_container,
    keys,
    lifecycle,
    name_resolution,
    probe,
    resources,
    schedule,
    scheduling,
    spec,
    volume,
)
from tests.api.examples.case import Example
from tests.requests.builders import Json

EXAMPLES: list[Example] = [
    example
    for module in (
        spec,
        container,
        init_container,
        probe,
        lifecycle,
        name_resolution,
        resources,
        volume,
        keys,
        scheduling,
        expose,
        schedule,
    )
    for example in module.EXAMPLES
]


def numbered(side: Literal["good", "bad"]) -> Iterator[tuple[str, Example, Json]]:
    """Yield every MyResource of *side* with a name of its own for pytest, and its example."""
    pairs = [(example, fields) for example in EXAMPLES for fields in getattr(example, side)]
    for number, (example, fields) in enumerate(pairs):
        yield f"{number} {example.path}: {example.says}, such as {str(fields)[:60]}", example, fields
