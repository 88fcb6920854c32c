"""YAML as kubectl reads and writes it: the values of JSON, each key once, aliases and nesting within limits.

PyYAML's safe loader reads YAML 1.1, and so does kubectl, apart from a few scalars. A loader of YAML 1.2 would read
``yes`` and ``017`` in another way.
"""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

import yaml

from metahook.cli.errors import MAX_DEPTH, TOO_DEEP, DocumentError

MAX_ALIASED = 100_000
"""Values of a file that aliases may repeat."""

_TAG = "tag:yaml.org,2002:"
_MERGE = f"{_TAG}merge"
_STRING = f"{_TAG}str"
_JSON_TAGS = {f"{_TAG}{name}" for name in ("null", "bool", "int", "float", "str", "seq", "map")}
_STRINGS = {f"{_TAG}{name}" for name in ("timestamp", "int", "float", "value")}
"""Types of plain scalars that kubectl reads as strings. For numbers it has patterns of its own, below."""

_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*|0[0-7]+|0x[0-9a-fA-F]+)$")
_FLOAT = re.compile(r"[-+]?([0-9]+[.][0-9]*|[.][0-9]+|[0-9]+(?=[eE]))([eE][-+]?[0-9]+)?$")


@dataclass
class _Size:
    """How much a node holds with its aliases written out: values, and levels of values in values."""

    values: int = 1
    levels: int = 1

    def add(self, inner: "_Size") -> None:
        self.values += inner.values
        self.levels = max(self.levels, inner.levels + 1)


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader with the scalars of kubectl, and with limits that hold before a value is built."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._open = [_Size()]
        """The document, and the nodes in it that are not complete."""
        self._complete: dict[yaml.Node, _Size] = {}
        self._aliased = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = cast("yaml.Event", self.peek_event())  # type: ignore[no-untyped-call] # so in the stubs
        if isinstance(event, yaml.AliasEvent):
            node = cast("yaml.Node", super().compose_node(parent, index))
            size = self._repeated(node, event)
        else:
            size = _Size()
            self._check_depth(size, event)
            self._open.append(size)
            node = cast("yaml.Node", super().compose_node(parent, index))
            self._open.pop()
            self._complete[node] = size
        self._open[-1].add(size)
        return node

    def _repeated(self, node: yaml.Node, alias: yaml.Event) -> _Size:
        """Return the size of the *node* that *alias* repeats, if it is within the limits."""
        if node not in self._complete:
            message = "an alias repeats a value that contains the alias; remove it"
            raise _error(message, alias)
        size = self._complete[node]
        self._aliased += size.values
        if self._aliased > MAX_ALIASED:
            message = f"aliases repeat more than {MAX_ALIASED} values; write the values out"
            raise _error(message, alias)
        self._check_depth(size, alias)
        return size

    def _check_depth(self, size: _Size, event: yaml.Event) -> None:
        if len(self._open) - 1 + size.levels > MAX_DEPTH:
            raise _error(TOO_DEEP, event)

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:  # noqa: ANN401 - the stubs have another type
        node = super().compose_mapping_node(anchor)
        names = set()
        for place, (key, value) in enumerate(node.value):
            if key.tag == _MERGE:
                continue
            name = self._name(key)
            if name in names:
                message = f"key {name!r} is repeated; remove one"
                raise _error(message, key)
            names.add(name)
            node.value[place] = (yaml.ScalarNode(_STRING, name, key.start_mark, key.end_mark), value)
        return node

    def _name(self, key: yaml.Node) -> str:
        """Return the key as JSON has it: in a dict of Python, the keys 1 and true are the same one."""
        name = key.value if key.tag == _STRING else self.construct_object(key, deep=True)
        if isinstance(name, bool):
            return str(name).lower()
        if isinstance(name, (str, int, float)):
            return str(name)
        message = "a key is not a string; quote it"
        raise _error(message, key)

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:  # noqa: ANN401, FBT001, FBT002 - as in PyYAML
        try:
            return super().construct_object(node, deep=deep)
        except (ValueError, LookupError) as error:
            message = "a value that is not of its type; quote it, or remove its tag"
            raise _error(message, node) from error

    def construct_finite(self, node: yaml.ScalarNode) -> float:
        """Return the number that *node* is, if JSON has it."""
        number: float = self.construct_yaml_float(node)
        if not math.isfinite(number):
            message = "a number that JSON does not have; quote it, or write a smaller one"
            raise _error(message, node)
        return number

    def construct_text(self, node: yaml.ScalarNode) -> str:
        """Return the string that *node* is, if UTF-8 has it."""
        text = str(self.construct_scalar(node))
        if any("\ud800" <= letter <= "\udfff" for letter in text):
            message = "half of a character; write the whole one"
            raise _error(message, node)
        return text

    def refuse(self, node: yaml.Node) -> Any:  # noqa: ANN401 - a constructor as PyYAML has it
        """Refuse *node*, whose tag names something that JSON does not have."""
        message = "a tag such as !!set or !!binary, which Kubernetes does not read; remove it"
        raise _error(message, node)


_Loader.yaml_constructors = {
    tag: construct for tag, construct in yaml.SafeLoader.yaml_constructors.items() if tag in _JSON_TAGS
}
_Loader.add_constructor(f"{_TAG}float", _Loader.construct_finite)
_Loader.add_constructor(_STRING, _Loader.construct_text)
_Loader.add_constructor(None, _Loader.refuse)
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag not in _STRINGS]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(f"{_TAG}int", _INTEGER, list("-+0123456789"))
_Loader.add_implicit_resolver(f"{_TAG}float", _FLOAT, list("-+.0123456789"))


def load_yaml(text: str) -> list[object]:
    """Return the documents in *text*; raise DocumentError."""
    return [value for value, _ in load_with_nodes(text)]


def load_with_nodes(text: str) -> list[tuple[object, yaml.Node]]:
    """Return the documents in *text*, each with its node, which knows its lines; raise DocumentError."""
    try:
        loader = _Loader(text)
        documents: list[tuple[object, yaml.Node]] = []
        while loader.check_node():
            node = cast("yaml.Node", loader.get_node())
            documents.append((loader.construct_document(node), node))
    except yaml.reader.ReaderError as error:
        message = "a control character; remove it"
        raise DocumentError(message, text.count("\n", 0, error.position) + 1) from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise DocumentError(str(error.problem), line) from error
    return documents


def line_of(node: yaml.Node, path: Iterable[str | int]) -> int:
    """Return the line of the value at *path* in *node*, which begins with its key; that of what exists of *path*."""
    line = node.start_mark.line
    for step in path:
        if isinstance(node, yaml.MappingNode):
            found = next(((key, value) for key, value in node.value if key.value == step), None)
            if found is None:
                break
            line, node = found[0].start_mark.line, found[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            node = node.value[step]
            line = node.start_mark.line
        else:
            break
    return int(line) + 1


def _error(problem: str, place: yaml.Node | yaml.Event) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=cast("yaml.Mark", place.start_mark))


class _Dumper(yaml.SafeDumper):
    """PyYAML's safe dumper without aliases, which quotes strings that kubectl would read as numbers or booleans."""

    def ignore_aliases(self, data: object) -> bool:
        return True


_NUMBER = r"[-+]?(0[bBoOxX][0-9a-fA-F_]+|[0-9][0-9_]*|([0-9][0-9_]*[.]?[0-9_]*|[.][0-9_]+)([eE][-+]?[0-9]+)?)$"
# Source: go-yaml v2, resolve.go: it reads these as numbers and booleans, and PyYAML reads them as strings.
_Dumper.add_implicit_resolver(f"{_TAG}float", re.compile(_NUMBER), list("-+.0123456789"))
_Dumper.add_implicit_resolver(f"{_TAG}bool", re.compile("[yYnN]$"), list("yYnN"))


def dump_yaml(value: object, width: float = 120) -> str:
    """Return *value* as a YAML document, with lines of about *width* columns."""
    text: str = yaml.dump(value, Dumper=_Dumper, sort_keys=False, width=width, allow_unicode=True)
    return text
