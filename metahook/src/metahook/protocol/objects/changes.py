"""Changes: where one JSON value differs from another, as paths such as ``spec.template.spec.containers[0].image``."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from msgspec import UNSET

from metahook.protocol.objects.plain_json import Json

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


class Change(NamedTuple):
    """A value that differs. ``old`` or ``new`` is UNSET if there is no value at the path."""

    path: str
    old: object
    new: object


def changed_paths(old: object, new: object, path: str, *, keys: Sequence[str] = ()) -> list[str]:
    """Return the paths of :func:`changes`."""
    return [change.path for change in changes(old, new, path, keys=keys)]


def changes(old: object, new: object, path: str, *, keys: Sequence[str] = ()) -> Iterator[Change]:
    """Yield the deepest changes from *old* to *new*; *path* is where both are.

    The first of *keys* that each object in a list has, with another value in each, identifies the objects, as in
    ``containers[main]``. Without one, items are compared by index, and a list of another length is one change.
    """
    if isinstance(old, dict) and isinstance(new, dict):
        for name in dict.fromkeys([*old, *new]):
            yield from changes(old.get(name, UNSET), new.get(name, UNSET), _below(path, name), keys=keys)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _list_changes(old, new, path, keys)
    elif not _same(old, new):
        yield Change(path, old, new)


def _list_changes(old: list[Any], new: list[Any], path: str, keys: Sequence[str]) -> Iterator[Change]:
    key = next((key for key in keys if _identifies(key, old) and _identifies(key, new)), None)
    if key is not None:
        yield from _changes_by_key(old, new, path, keys, key)
    elif len(old) != len(new):
        yield Change(path, old, new)
    else:
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from changes(before, after, f"{path}[{index}]", keys=keys)


def _changes_by_key(old: list[Json], new: list[Json], path: str, keys: Sequence[str], key: str) -> Iterator[Change]:
    before, after = ({item[key]: item for item in items} for items in (old, new))
    if before.keys() == after.keys() and list(before) != list(after):
        yield Change(path, list(before), list(after))  # another order
    for name in dict.fromkeys([*before, *after]):
        yield from changes(before.get(name, UNSET), after.get(name, UNSET), f"{path}[{name}]", keys=keys)


def _identifies(key: str, items: list[Any]) -> bool:
    names = [item.get(key) if isinstance(item, dict) else None for item in items]
    return all(isinstance(name, str | int) for name in names) and len(set(names)) == len(names)


def _same(old: object, new: object) -> bool:
    """Tell whether two values are the same in JSON, where true is not 1, and to Metacontroller 1.0 is not 1."""
    return old == new and all(isinstance(old, kind) == isinstance(new, kind) for kind in (bool, float))


def _below(path: str, name: str) -> str:
    if not _WORD.fullmatch(name):
        return f"{path}[{name}]"
    return f"{path}.{name}" if path else name
