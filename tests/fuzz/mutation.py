"""Mutates requests so that most stay JSON: random bytes seldom get past the parser."""

import json
import random
from collections.abc import Callable
from typing import Any

from toolkit.mutations import REPLACEMENTS, at, places, replaced, without

Mutation = Callable[[Any, random.Random], Any]


def mutated(body: bytes, seed: int) -> bytes | None:
    """Return *body* with one to four mutations, always the same for a *seed*; None if it is not JSON."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    try:
        node = json.loads(body)
    except (ValueError, RecursionError):
        return None
    for _ in range(chance.randint(1, 4)):
        node = chance.choice(MUTATIONS)(node, chance)
    return json.dumps(node).encode()


def _replace(node: Any, chance: random.Random) -> Any:
    """Replace a value by a hostile one."""
    return replaced(node, _path(node, chance), chance.choice(list(REPLACEMENTS.values())))


def _move(node: Any, chance: random.Random) -> Any:
    """Replace a value by one from elsewhere in the same request."""
    moved = at(node, _path(node, chance))
    return replaced(node, _path(node, chance), lambda _: moved)


def _drop(node: Any, chance: random.Random) -> Any:
    """Drop a member or an item."""
    path = _path(node, chance)
    return without(node, path) if path else node


def _rename(node: Any, chance: random.Random) -> Any:
    """Give a member the key of another."""
    paths = [path for path in places(node) if path and isinstance(path[-1], str)]
    if len(paths) < 2:
        return node
    path, other = chance.choice(paths), chance.choice(paths)
    value = at(node, path)
    return replaced(without(node, path), path[:-1], lambda parent: {**parent, other[-1]: value})


def _path(node: Any, chance: random.Random) -> tuple[str | int, ...]:
    return chance.choice(list(places(node)))


MUTATIONS: tuple[Mutation, ...] = (_replace, _replace, _move, _drop, _rename)
