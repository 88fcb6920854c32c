"""YAML as kubectl reads it: what JSON can say, no dates, no base-60 numbers, no key twice, aliases within bounds."""

import math
import re
from collections import Counter
from collections.abc import Hashable
from typing import Any, cast

import yaml

from app.cli.errors import NotYaml
from app.cli.files.aliases import check
from app.cli.files.nesting import DEEPEST, is_too_deep

_TAG = "tag:yaml.org,2002:"
_MERGE = f"{_TAG}merge"
_NOT_KUBECTLS = {f"{_TAG}{name}" for name in ("timestamp", "int", "float", "value")}
_JSONS = {f"{_TAG}{name}" for name in ("null", "bool", "int", "str", "seq", "map")}


class _Loader(yaml.SafeLoader):
    """YAML's safe loader, without the readings of plain words that kubectl does not know, and with text for keys."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:  # noqa: FBT001, FBT002 - PyYAML's signature
        if isinstance(node, yaml.MappingNode):
            keys = [self._key(key) for key, _ in node.value if key.tag != _MERGE]
            counted = [*Counter(keys).items(), *Counter(map(_text, keys)).items()]
            twice = next((key for key, times in counted if times > 1), None)
            if twice is not None:
                message = f"key {twice!r} is there twice"
                raise _wrong(message, node)
        found = super().construct_mapping(node, deep=deep)
        return {_text(key): value for key, value in found.items()}

    def _key(self, node: yaml.Node) -> Hashable:
        key: Hashable = self.construct_object(node, deep=True)
        if _text(key) is None:
            message = "a key is no text; quote it"
            raise _wrong(message, node)
        return key

    def finite(self, node: yaml.ScalarNode) -> float:
        """Return the number that *node* is, if JSON has it."""
        number: float = self.construct_yaml_float(node)
        if not math.isfinite(number):
            message = "a number that JSON does not have; quote it, or write a smaller one"
            raise _wrong(message, node)
        return number

    def text(self, node: yaml.ScalarNode) -> str:
        """Return the text that *node* is, if UTF-8 can hold it."""
        text = str(self.construct_scalar(node))
        if any("\ud800" <= letter <= "\udfff" for letter in text):
            message = "half of a character; write the whole one"
            raise _wrong(message, node)
        return text

    def unknown(self, node: yaml.Node) -> None:
        """Refuse *node*, which has a tag of something that JSON does not have."""
        message = "a tag such as !!set or !!binary, which Kubernetes does not read; remove it"
        raise _wrong(message, node)


def _wrong(problem: str, node: yaml.Node) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)


def _text(key: object) -> str | None:
    """Return the key as JSON has it, or None if it has none."""
    if isinstance(key, bool):
        return str(key).lower()
    return str(key) if isinstance(key, (str, int, float)) else None


_Loader.yaml_constructors = {tag: made for tag, made in yaml.SafeLoader.yaml_constructors.items() if tag in _JSONS}
_Loader.add_constructor(f"{_TAG}float", _Loader.finite)
_Loader.add_constructor(f"{_TAG}str", _Loader.text)
_Loader.add_constructor(None, _Loader.unknown)
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag not in _NOT_KUBECTLS]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*|0[0-7]+|0x[0-9a-fA-F]+)$")
_FLOAT = re.compile(r"[-+]?([0-9]+[.][0-9]*|[.][0-9]+|[0-9]+(?=[eE]))([eE][-+]?[0-9]+)?$")
_Loader.add_implicit_resolver(f"{_TAG}int", _INTEGER, list("-+0123456789"))
_Loader.add_implicit_resolver(f"{_TAG}float", _FLOAT, list("-+.0123456789"))


def parsed(text: str) -> list[object]:
    """Return the documents in *text*; raise NotYaml."""
    try:
        found = _documents(_Loader(text))
    except (yaml.YAMLError, RecursionError, ValueError, LookupError) as error:
        raise NotYaml(_where(error)) from error
    if is_too_deep(found):
        message = f"nested more than {DEEPEST} levels deep"
        raise NotYaml(message)
    return found


def _documents(loader: _Loader) -> list[object]:
    """Return what *loader* reads; nothing is built before it is known to end."""
    nodes: list[yaml.Node] = []
    while loader.check_node():
        nodes.append(cast("yaml.Node", loader.get_node()))
    check(nodes)
    return [loader.construct_document(node) for node in nodes]


def _where(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    deep = f"nested more than {DEEPEST} levels deep" if isinstance(error, RecursionError) else "unreadable"
    problem = getattr(error, "problem", None) or deep
    return f"line {mark.line + 1}: {problem}" if mark else problem
