"""Nesting: how deep a value may be, so that whatever walks it comes to an end."""

from collections.abc import Iterable

DEEPEST = 100
"""Levels. No object that an API server stores has as many, and Python walks ten times as many at most."""


def is_too_deep(values: Iterable[object]) -> bool:
    """Tell whether one of *values* holds values in values more than DEEPEST levels deep."""
    level = list(values)
    for _ in range(DEEPEST):
        level = [inner for value in level for inner in _inside(value)]
        if not level:
            return False
    return True


def _inside(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
