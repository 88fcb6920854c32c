"""YAML as kubectl reads it: no dates, no base-60 numbers, no key twice."""

import re
from collections.abc import Hashable
from typing import Any

import yaml

from app.cli.errors import NotYaml

_NOT_KUBECTLS = {"tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:int", "tag:yaml.org,2002:float"}


class _Loader(yaml.SafeLoader):
    """YAML's safe loader, without the readings of plain words that kubectl does not know."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:  # noqa: FBT001, FBT002 - PyYAML's signature
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        twice = next((key for place, key in enumerate(keys) if key in keys[:place]), None)
        if twice is not None:
            raise yaml.MarkedYAMLError(problem=f"key {twice!r} is there twice", problem_mark=node.start_mark)
        return super().construct_mapping(node, deep=deep)


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag not in _NOT_KUBECTLS]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*|0[0-7]+|0x[0-9a-fA-F]+)$")
_FLOAT = re.compile(r"[-+]?([0-9]+[.][0-9]*|[.][0-9]+|[0-9]+(?=[eE]))([eE][-+]?[0-9]+)?$")
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", _INTEGER, list("-+0123456789"))
_Loader.add_implicit_resolver("tag:yaml.org,2002:float", _FLOAT, list("-+.0123456789"))


def parsed(text: str) -> list[object]:
    """Return the documents in *text*; raise NotYaml."""
    try:
        return list(yaml.load_all(text, _Loader))
    except (yaml.YAMLError, RecursionError) as error:
        raise NotYaml(_where(error)) from error


def _where(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or "unreadable"
    return f"line {mark.line + 1}: {problem}" if mark else problem
