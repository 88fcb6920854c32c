"""Growth: makes one place of a JSON document larger and larger, and tells whether the work on it grows no faster."""

import gc
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

Json = dict[str, Any]
Path = tuple[str | int, ...]

MARGIN = 4
"""Times that the work for a byte may grow while a request grows tenfold. It is 10 for what is quadratic."""

TRIES = 3


def places(value: object, path: Path = ()) -> Iterator[Path]:
    """Yield the paths of all lists, maps and texts in *value*; of items of the same fields the first stands for all."""
    if isinstance(value, dict | list | str):
        yield path
    if isinstance(value, dict):
        for field, inner in value.items():
            yield from places(inner, (*path, field))
    if isinstance(value, list):
        kinds = {str(sorted(item)) if isinstance(item, dict) else "": at for at, item in reversed([*enumerate(value)])}
        for at in kinds.values():
            yield from places(value[at], (*path, at))


def grown(document: Json, path: Path, size: int) -> bytes:
    """Return *document* as JSON, with about *size* bytes more at *path*: more items, more fields, or more text."""
    copy: Any = json.loads(json.dumps(document))
    *above, last = path
    holder = copy
    for step in above:
        holder = holder[step]
    holder[last] = _larger(holder[last], size)
    return json.dumps(copy).encode()


def _larger(value: Any, size: int) -> Any:
    if isinstance(value, str):
        return (value or "x") * (size // len(value or "x"))
    items = value if isinstance(value, list) else [{key: each} for key, each in value.items()]
    first = items[0] if items else "x" if isinstance(value, list) else {"x": "x"}
    more = [_other(first, number) for number in range(size // (len(json.dumps(first)) + 8))]
    return [*value, *more] if isinstance(value, list) else {**value, **{k: v for item in more for k, v in item.items()}}


def _other(value: Any, number: int) -> Any:
    """Return *value* with other names and texts, one for each *number*."""
    if isinstance(value, dict):
        return {field if _is_word(field) else f"{field}{number}": _other(each, number) for field, each in value.items()}
    if isinstance(value, list):
        return [_other(each, number) for each in value]
    return f"{value}{number}" if isinstance(value, str) else value


def _is_word(field: str) -> bool:
    """Tell whether *field* is one of a schema, not a name that a user chose."""
    return field.isalpha()


def is_linear(make: Callable[[int], bytes], work: Callable[[bytes], object], size: int) -> bool:
    """Tell whether *work* on what *make* makes costs about as much for a byte when it is ten times as large.

    The least of a few times counts, so it is tried again only when it seems to cost more.
    """
    small, large = make(size), make(10 * size)
    most = MARGIN * len(large) / len(small)
    spent = [(_cpu(work, small), _cpu(work, large))]
    while min(each[1] for each in spent) > most * min(each[0] for each in spent) and len(spent) < TRIES:
        spent.append((_cpu(work, small), _cpu(work, large)))
    return min(each[1] for each in spent) <= most * min(each[0] for each in spent)


def _cpu(work: Callable[[bytes], object], body: bytes) -> float:
    """Return the seconds of CPU that *work* on *body* takes, as if a tenth of a millisecond were the least."""
    gc.disable()
    try:
        start = time.process_time()
        work(body)
        return max(time.process_time() - start, 1e-4)
    finally:
        gc.enable()
