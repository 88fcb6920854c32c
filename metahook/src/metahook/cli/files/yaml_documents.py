"""YAML as kubectl reads and writes it: the values of JSON, each key once, aliases and nesting within limits.

PyYAML finds the nodes, as go-yaml v2 does in kubectl: both follow libyaml. Sources: go-yaml v2, decode.go, and
sigs.k8s.io/yaml, yaml.go.
"""

import math
import re
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, cast

import yaml
from yaml.composer import Composer
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner

from metahook.cli.errors import MAX_DEPTH, TOO_DEEP, DocumentError
from metahook.cli.files.documents import Document, as_sent
from metahook.cli.files.yaml_errors import described, refuse
from metahook.cli.files.yaml_scalars import PLAIN, STRING, TAG, resolve, scalar

MAX_ALIASED = 100_000
"""Values of a document that aliases may repeat."""

MAX_VALUES = 200_000
"""Values of a file, with its keys. PyYAML reads some 20,000 in a second, and needs a KiB for each."""


@dataclass
class _Size:
    """How much a node holds with its aliases written out: values, and levels of values in values."""

    values: int = 1
    levels: int = 1

    def add(self, inner: "_Size") -> None:
        self.values += inner.values
        self.levels = max(self.levels, inner.levels + 1)


class _Composer(Reader, Scanner, Parser, Composer):
    """Composes the nodes of one document, with limits that hold before a value is built, and keys as JSON has them."""

    NON_PRINTABLE = re.compile(  # type: ignore[misc] # final in the stubs alone
        "[^\t\n\r -~\x85\xa0-\ud7ff\udc80-\udcff\ue000-\ufffd\U00010000-\U0010ffff]"
    )
    """What go-yaml refuses anywhere. What is left of other encodings is an error in values alone."""

    def __init__(self, text: str, spare: int = MAX_VALUES) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)
        Composer.__init__(self)
        self.spare = spare
        """How many values the document may still have."""
        self._open = [_Size()]
        """The document, and the nodes in it that are not complete."""
        self._complete: dict[yaml.Node, _Size] = {}
        self._aliased = 0

    def descend_resolver(self, *_: object) -> None:
        """Do nothing: a scalar means the same anywhere."""

    def ascend_resolver(self) -> None:
        """Do nothing."""

    def resolve(self, *_: object) -> str:
        """Return the tag of a list or a map, which kubectl ignores."""
        return ""

    def scan_to_next_token(self) -> None:
        super().scan_to_next_token()
        while self.peek() == "\t" and (self.flow_level or not self.allow_simple_key):  # a space, as in go-yaml
            self.forward()
            super().scan_to_next_token()

    def scan_plain_spaces(self, indent: int, start_mark: yaml.Mark) -> list[str] | None:
        length = 0
        while self.peek(length) in (" ", "\t"):
            length += 1
        blanks = self.prefix(length)
        self.forward(length)
        if blanks and self.peek() not in "\r\n\x85\u2028\u2029":
            return [blanks]
        return super().scan_plain_spaces(indent, start_mark)

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self.next_event()
        if isinstance(event, yaml.AliasEvent):
            node = cast("yaml.Node", super().compose_node(parent, index))
            size = self._repeated(node, event)
        else:
            self.anchors.pop(event.anchor, None)  # kubectl allows to use one again
            size = _Size()
            self._check_size(size, event)
            self._open.append(size)
            node = cast("yaml.Node", super().compose_node(parent, index))
            self._open.pop()
            self._complete[node] = size
        self._open[-1].add(size)
        return node

    def next_event(self) -> Any:  # noqa: ANN401 - so in the stubs
        """Return the next event, which stays the next one."""
        return self.peek_event()  # type: ignore[no-untyped-call] # so in the stubs

    def compose_scalar_node(self, anchor: Any) -> yaml.ScalarNode:  # noqa: ANN401 - the stubs have another type
        event = self.next_event()
        self.get_event()  # type: ignore[no-untyped-call] # so in the stubs
        tag = event.tag or (PLAIN if event.implicit[0] else STRING)
        node = yaml.ScalarNode(tag, event.value, event.start_mark, event.end_mark)
        if anchor is not None:
            self.anchors[anchor] = node
        return node

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:  # noqa: ANN401 - the stubs have another type
        node = super().compose_mapping_node(anchor)
        names = set()
        for place, (key, value) in enumerate(node.value):
            if _is_merge(key):
                continue
            name = _name(key)
            if name in names:
                refuse(f"key {name!r} is repeated; remove one", key)
            names.add(name)
            node.value[place] = (yaml.ScalarNode(STRING, name, key.start_mark, key.end_mark), value)
        return node

    def _repeated(self, node: yaml.Node, alias: yaml.Event) -> _Size:
        """Return the size of the *node* that *alias* repeats, if it is within the limits."""
        if node not in self._complete:
            refuse("an alias repeats a value that contains the alias; remove it", alias)
        size = self._complete[node]
        self._aliased += size.values
        if self._aliased > MAX_ALIASED:
            refuse(f"aliases repeat more than {MAX_ALIASED} values; write the values out", alias)
        self._check_size(size, alias)
        return size

    def _check_size(self, size: _Size, event: yaml.Event) -> None:
        if len(self._open) - 1 + size.levels > MAX_DEPTH:
            refuse(TOO_DEEP, event)
        self.spare -= 1
        if self.spare < 0:
            refuse(f"more than {MAX_VALUES} values in YAML; give JSON, or several files", event)


def _is_merge(key: yaml.Node) -> bool:
    return key.value == "<<" and key.tag in (PLAIN, f"{TAG}merge")


def _name(key: yaml.Node) -> str:
    """Return the *key* as JSON has it: in a dict of Python, the keys 1 and true are the same one."""
    name = _value(key, is_key=True) if isinstance(key, yaml.ScalarNode) else None
    if isinstance(name, bool):
        return str(name).lower()
    if isinstance(name, float):
        return _name_of_float(name)
    if name is None or (isinstance(name, int) and name >= 2**63):
        refuse("a key is not a string; quote it", key)
    return str(name)


def _name_of_float(number: float) -> str:
    """Return *number* as Go writes it with 32 bits: ``1e+06`` and ``1.5``."""
    try:
        (single,) = struct.unpack("f", struct.pack("f", number))
    except OverflowError:
        single = math.copysign(math.inf, number)
    if not math.isfinite(single):
        return ".nan" if math.isnan(single) else f"{single:.0f}".replace("inf", ".inf")
    has_exponent = abs(single) >= 1e6  # noqa: PLR2004 - Go's limit
    texts = (f"{single:.{digits}e}" if has_exponent else f"{single:.{max(digits, 5) + 1}g}" for digits in range(9))
    return next(text for text in texts if struct.pack("f", float(text)) == struct.pack("f", single))


def _value(node: yaml.Node, *, is_key: bool = False) -> Any:  # noqa: ANN401 - a value of JSON
    """Return the value of *node*, in which the keys are as JSON has them."""
    if isinstance(node, yaml.SequenceNode):
        return [_value(item) for item in node.value]
    if isinstance(node, yaml.MappingNode):
        found: dict[str, Any] = {}
        for key, value in node.value:  # in order: in kubectl, what is merged wins over the keys above it
            found.update(_merged(value) if _is_merge(key) else {key.value: _value(value)})
        return found
    try:
        value = scalar(node)
    except DocumentError as error:
        refuse(error.problem, node)
    if is_key or isinstance(value, (str, bool)) or value is None:
        return value
    if not math.isfinite(value):
        refuse("a number that JSON does not have; quote it", node)
    return as_sent(value)


def _merged(node: yaml.Node) -> dict[str, Any]:
    """Return what the value *node* of ``<<`` adds to a map: a map, or a list of maps, of which the first wins."""
    maps = node.value if isinstance(node, yaml.SequenceNode) else [node]
    found: dict[str, Any] = {}
    for each in reversed(maps):
        if not isinstance(each, yaml.MappingNode):
            refuse("<< needs a map or a list of maps, such as *name; quote it if it is text", each)
        found.update(_value(each))
    return found


def load_yaml(text: str) -> list[object]:
    """Return the values of the documents in *text*; raise DocumentError."""
    return [document.value for document in read_yaml(text)]


def read_yaml(text: str, line: int = 1) -> list[Document]:
    """Return the documents in *text*, which begins in the *line* of its file; raise DocumentError."""
    found = []
    spare = MAX_VALUES
    for first, chunk in _chunks(text, line):
        try:
            composer = _Composer(chunk, spare)
            node = _composed(composer)
            spare = composer.spare
            found.append(Document(_value(node) if node else None, chunk, first))
        except (yaml.YAMLError, ValueError, OverflowError) as error:
            raise described(error, chunk, first) from error
    return found


def compose(text: str) -> yaml.Node | None:
    """Return the node of the one document *text*; raise DocumentError."""
    try:
        return _composed(_Composer(text))
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise described(error, text, 1) from error


def _composed(composer: _Composer) -> yaml.Node | None:
    node = composer.get_node() if composer.check_node() else None
    composer.check_node()  # raises an error for text after the document, which kubectl does not read
    return node


def _chunks(text: str, line: int) -> Iterator[tuple[int, str]]:
    """Yield the documents in *text*, each with its first line, divided as kubectl does: by lines with ``---``."""
    rows = [row.removesuffix("\r") + "\n" for row in text.removesuffix("\n").split("\n")]
    start = 0
    for place, row in enumerate(rows):
        if row.startswith("---"):
            if row[3:].strip() and not row[3:].strip().startswith("#"):
                message = "text after --- in its line; put it in a line of its own, indented if it is part of a value"
                raise DocumentError(message, line + place)
            yield line + start, "".join(rows[start:place])
            start = place + 1
    yield line + start, "".join(rows[start:])


def line_of(node: yaml.Node, path: Iterable[str | int]) -> int:
    """Return the lines above the value at *path* in *node*, which begins with its key; or above what exists of it."""
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
    return int(line)


class _Dumper(yaml.SafeDumper):
    """PyYAML's safe dumper without aliases, which quotes each string that kubectl would read as another type."""

    def ignore_aliases(self, data: object) -> bool:
        return True

    def resolve(self, kind: type[yaml.Node], value: Any, implicit: Any) -> str:  # noqa: ANN401 - as in PyYAML
        tag = str(super().resolve(kind, value, implicit))  # type: ignore[no-untyped-call] # so in the stubs
        is_plain = kind is yaml.ScalarNode and implicit[0]
        return resolve(value)[0] if is_plain and tag == STRING else tag


def dump_yaml(value: object, width: float = 120) -> str:
    """Return *value* as a YAML document, with lines of about *width* columns."""
    text: str = yaml.dump(value, Dumper=_Dumper, sort_keys=False, width=width, allow_unicode=True)
    return text
