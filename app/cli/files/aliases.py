"""Aliases: with them a YAML file can say a value many times, or one that holds itself, in a few bytes."""

import yaml

MOST = 100_000
"""As many values may be said again by aliases, in a file."""


class Endless(yaml.MarkedYAMLError):
    """Raised for aliases that say more than anybody can read."""


def check(documents: list[yaml.Node]) -> None:
    """Raise Endless if aliases in *documents* make a value hold itself, or say more than MOST values again."""
    sizes: dict[int, int | None] = {}
    said = sum(_size(document, sizes) for document in documents)
    if said - len(sizes) > MOST:
        raise Endless(problem=f"aliases repeat more than {MOST} values; write out what is meant")


def _size(node: yaml.Node, sizes: dict[int, int | None]) -> int:
    """Return how many values *node* is once its aliases are written out; *sizes* are known, or None while counted."""
    if id(node) not in sizes:
        sizes[id(node)] = None
        sizes[id(node)] = 1 + sum(_size(inner, sizes) for inner in _inside(node))
    size = sizes[id(node)]
    if size is None:
        raise Endless(problem="an alias repeats what it is in itself; remove it", problem_mark=node.start_mark)
    return size


def _inside(node: yaml.Node) -> list[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        return [part for pair in node.value for part in pair]
    return node.value if isinstance(node, yaml.SequenceNode) else []
