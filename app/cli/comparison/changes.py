"""Changes: where one object differs from another, as paths such as ``spec.template.spec.containers[0].image``."""

import re
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_ABSENT = object()


def changed_paths(old: object, new: object, path: str) -> list[str]:
    """Return the paths at which *new* differs from *old*; *path* is where both are."""
    return list(_paths(old, new, path))


def _paths(old: object, new: object, path: str) -> Iterator[str]:
    """Yield the deepest paths; for a list whose length differs, that of the list."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in dict.fromkeys([*old, *new]):
            yield from _paths(old.get(name, _ABSENT), new.get(name, _ABSENT), _below(path, name))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from _paths(before, after, f"{path}[{index}]")
    elif not _same(old, new):
        yield path


def _same(old: object, new: object) -> bool:
    """Tell whether two values are the same in JSON, where true is not 1."""
    return isinstance(old, bool) == isinstance(new, bool) and old == new


def _below(path: str, name: str) -> str:
    if not _WORD.fullmatch(name):
        return f"{path}[{name}]"
    return f"{path}.{name}" if path else name
