"""YAML as kubectl reads and writes it: the values of JSON, each key once, aliases and nesting within limits.

PyYAML finds the nodes, as go-yaml v2 does in kubectl: both follow libyaml. From top to bottom: documents, the nodes of
one, what a scalar means, what is wrong in words, and writing. Sources: go-yaml v2, decode.go and resolve.go, and
sigs.k8s.io/yaml, yaml.go.
"""

import base64
import binascii
import math
import re
import struct
import sys
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, NoReturn, cast

import yaml
from msgspec import Struct
from yaml.composer import Composer
from yaml.parser import Parser
from yaml.reader import Reader, ReaderError
from yaml.scanner import Scanner

from metahook.cli.errors import MAX_DEPTH, TOO_DEEP, DocumentError
from metahook.cli.files.documents import Document, as_sent, check_text

MAX_ALIASED = 100_000
"""Values of a document that aliases may repeat."""

MAX_VALUES = 200_000
"""Values of a file, with its keys. PyYAML reads some 20,000 in a second, and needs a KiB for each."""


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
            raise _described(error, chunk, first) from error
    return found


def compose(text: str) -> yaml.Node | None:
    """Return the node of the one document *text*; raise DocumentError."""
    try:
        return _composed(_Composer(text))
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise _described(error, text, 1) from error


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


class _Size(Struct):
    """How much a node holds with its aliases written out: values, and levels of values in values."""

    values: int = 1
    levels: int = 1

    def add(self, inner: "_Size") -> None:
        self.values += inner.values
        self.levels = max(self.levels, inner.levels + 1)


class _Composer(Reader, Scanner, Parser, Composer):
    """Composes the nodes of one document, with limits that hold before a value is built, and keys as JSON has them."""

    NON_PRINTABLE = re.compile(  # type: ignore[misc] # final in the stubs alone
        "[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udc7f\udd00-\udfff\ufffe\uffff]"
    )
    """What go-yaml refuses anywhere. What is left of other encodings is an error in values alone.

    The opposite set, with ``^``, takes ten times as long to compile.
    """

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
        tag = event.tag or (_PLAIN if event.implicit[0] else _STRING)
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
                _refuse(f"key {name!r} is repeated; remove one", key)
            names.add(name)
            node.value[place] = (yaml.ScalarNode(_STRING, name, key.start_mark, key.end_mark), value)
        return node

    def _repeated(self, node: yaml.Node, alias: yaml.Event) -> _Size:
        if node not in self._complete:
            _refuse("an alias repeats a value that contains the alias; remove it", alias)
        size = self._complete[node]
        self._aliased += size.values
        if self._aliased > MAX_ALIASED:
            _refuse(f"aliases repeat more than {MAX_ALIASED} values; write the values out", alias)
        self._check_size(size, alias)
        return size

    def _check_size(self, size: _Size, event: yaml.Event) -> None:
        if len(self._open) - 1 + size.levels > MAX_DEPTH:
            _refuse(TOO_DEEP, event)
        self.spare -= 1
        if self.spare < 0:
            _refuse(f"more than {MAX_VALUES} values in YAML; give JSON, or several files", event)


def _composed(composer: _Composer) -> yaml.Node | None:
    node = composer.get_node() if composer.check_node() else None
    composer.check_node()  # raises an error for text after the document, which kubectl does not read
    return node


def _is_merge(key: yaml.Node) -> bool:
    return key.value == "<<" and key.tag in (_PLAIN, f"{_TAG}merge")


def _name(key: yaml.Node) -> str:
    """Return the *key* as JSON has it: in a dict of Python, the keys 1 and true are the same one."""
    name = _value(key, is_key=True) if isinstance(key, yaml.ScalarNode) else None
    if isinstance(name, bool):
        return str(name).lower()
    if isinstance(name, float):
        return _name_of_float(name)
    if name is None or (isinstance(name, int) and name >= 2**63):
        _refuse("a key is not a string; quote it", key)
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
        value = _scalar(node)
    except DocumentError as error:
        _refuse(error.problem, node)
    if is_key or isinstance(value, (str, bool)) or value is None:
        return value
    if not math.isfinite(value):
        _refuse("a number that JSON does not have; quote it", node)
    return as_sent(value)


def _merged(node: yaml.Node) -> dict[str, Any]:
    """Return what the value *node* of ``<<`` adds to a map: a map, or a list of maps, of which the first wins."""
    maps = node.value if isinstance(node, yaml.SequenceNode) else [node]
    found: dict[str, Any] = {}
    for each in reversed(maps):
        if not isinstance(each, yaml.MappingNode):
            _refuse("<< needs a map or a list of maps, such as *name; quote it if it is text", each)
        found.update(_value(each))
    return found


_TAG = "tag:yaml.org,2002:"
_STRING, _BOOL, _INT, _FLOAT = (f"{_TAG}{name}" for name in ("str", "bool", "int", "float"))
_NULL, _TIMESTAMP, _BINARY = (f"{_TAG}{name}" for name in ("null", "timestamp", "binary"))
_PLAIN = "plain"
"""The tag here of a scalar without quotes and without a tag in the file."""

SCALARS: list[tuple[str, re.Pattern[str], Any]] = [
    (_NULL, re.compile(r"|~|null|Null|NULL"), None),
    (_BOOL, re.compile(r"y|Y|yes|Yes|YES|true|True|TRUE|on|On|ON"), True),
    (_BOOL, re.compile(r"n|N|no|No|NO|false|False|FALSE|off|Off|OFF"), False),
    (_FLOAT, re.compile(r"\.(nan|NaN|NAN)"), math.nan),
    (_FLOAT, re.compile(r"\+?\.(inf|Inf|INF)"), math.inf),
    (_FLOAT, re.compile(r"-\.(inf|Inf|INF)"), -math.inf),
    (_INT, re.compile(r"[-+]?0[xX][0-9a-fA-F]+"), 16),
    (_INT, re.compile(r"[-+]?0[bB][01]+"), 2),
    (_INT, re.compile(r"[-+]?0[oO]?[0-7]+"), 8),
    (_INT, re.compile(r"[-+]?(0|[1-9][0-9]{0,19})"), 10),
    (_FLOAT, re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"), float),
]
"""The scalars without quotes that are no strings, after underscores have gone from numbers: the tag, all texts, and the
value; of integers, its base. What a base has no room for is the next row that fits, or a string."""

_MISPLACED = re.compile(r"_(?![0-9])|(?<![0-9])_")
_TIME = re.compile(r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:[Tt ]([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.Z+-].*)?)?")


def _resolve(text: str) -> tuple[str, Any]:
    """Return the tag and the value of the scalar *text*, which has no quotes, and no tag in the file."""
    is_number = text[:1].isdigit() or text[:1] in ("+", "-") or (text[:1] == "." and not _MISPLACED.search(text))
    plain = text.replace("_", "") if is_number else text
    for tag, pattern, value in SCALARS:
        if not pattern.fullmatch(plain):
            continue
        if value is float:
            number = float(plain)
            return (tag, number) if math.isfinite(number) else (_STRING, text)
        if tag != _INT:
            return (tag, value) if plain == text else (_STRING, text)
        whole = int(re.sub("0[xXbBoO]", "", plain, count=1), value)
        if -(2**63) <= whole < (2**63 if plain[0] in "+-" else 2**64):
            return tag, whole
    return _STRING, text


def _scalar(node: yaml.Node) -> Any:  # noqa: ANN401 - a value of JSON, or NaN
    """Return the value of *node*; raise DocumentError if it is not of the type that its tag names."""
    tag, text = node.tag, check_text(node.value)
    found, value = _resolve(text)
    if tag in (_PLAIN, found):
        return value
    if tag == _FLOAT and found == _INT and value < 2**63:
        return float(value)
    if tag == _BINARY:
        return _decoded(text)
    if tag not in (_BOOL, _INT, _FLOAT, _NULL, _TIMESTAMP) or (tag == _TIMESTAMP and _is_time(text)):
        return text  # kubectl ignores other tags
    message = "a value that is not of its type; quote it, or remove its tag"
    raise DocumentError(message)


def _decoded(text: str) -> str:
    try:
        return base64.b64decode(text.replace("\n", ""), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError) as error:
        message = "a !!binary that is not text in Base64; remove the tag, and write it in the field for binary data"
        raise DocumentError(message) from error


def _is_time(text: str) -> bool:
    match = _TIME.fullmatch(text)
    try:
        return bool(match and datetime(*(int(part or 0) for part in match.groups())))  # type: ignore[arg-type] # six numbers # noqa: DTZ001 - is it one?
    except ValueError:
        return False


_INDENTATION = "wrong indentation: nothing above begins in column {column}; align the line with those it belongs to"
_MIXED = "an item of a list and a key at the same indentation; indent the one that belongs to the other"
_TOO_DEEP = "wrong indentation: a key below a value that is complete; align it with the key above, or remove that value"
_TAB = "a tab where only spaces may be; replace it"
_NO_COLON = "a key without a colon and a space after it; write it as KEY: VALUE"
_COLON = "a colon and a space in a value; quote the value"
_CONTROL = "a control character; remove it, or save the file as text in UTF-8"
_AFTER = "text after a value that is complete; quote the whole value"
_DIRECTIVE = "a line that begins with % is a directive, which kubectl does not read; remove it"
_PROBLEMS: list[tuple[str, str]] = [
    (r"character '\\t' that cannot|block scalar.*'\\t'", _TAB),
    (r"character (?P<text>.+) that cannot", "a value can't begin with {text}; quote it"),
    (r"simple key: could not", _NO_COLON),
    (r"sequence entries are not", "an item of a list in the line of its key; put it into the next line"),
    (r"mapping keys are not", "a value can't begin with a question mark and a space; quote it"),
    (r"scanning an alias", "a value that begins with * is an alias; quote it if it is text"),
    (r"scanning an anchor", "a value that begins with & is an anchor; quote it if it is text"),
    (r" a tag: |tag handle", "a value that begins with ! is a tag; quote it if it is text"),
    (r"block scalar", "after | or > only a digit, + or - may follow; put the text into the lines below, indented"),
    (r"unknown escape", "a backslash in double quotes that begins no escape; write it twice, or use single quotes"),
    (r"hexadecimal", "an escape in double quotes without its hexadecimal digits; write the backslash twice"),
    (r"quoted scalar: found unexpected", "a quote that is not closed before the document ends; close it"),
    (
        r"flow (?P<kind>\w+): expected ','",
        "a {kind} in brackets that is not closed, or lacks a comma; look up to line {end}",
    ),
    (r"node content", "a value is missing; write it, or quote it if it begins with a bracket or a comma"),
    (r"'<document start>'", "text after a value that is a whole document; indent it, or put --- above it"),
    (r"undefined alias", "an alias without an anchor of that name above it; quote it if it is text"),
]
"""What PyYAML says, with its context before a colon, and what is said instead."""
_BEGINS = re.compile(r"simple key|quoted scalar: found|flow \w+: expected ','")
"""The problems that PyYAML notices later than a person does: they look at the line where the context begins."""
_OF_DIRECTIVES = re.compile(r"directive|document \(version|tag handle|<document start>")
_ESCAPE = re.compile(r"\\U([0-9a-fA-F]{8})")
_KINDS = {"mapping": "map", "sequence": "list", "collection": "list"}


class _YamlProblem(yaml.MarkedYAMLError):
    """A problem in our words."""


_TEMPLATE = re.compile(r"\{\{.*\}\}")


def _refuse(problem: str, place: yaml.Node | yaml.Event) -> NoReturn:
    """Raise the error that *problem* is wrong at *place*."""
    raise _YamlProblem(problem=problem, problem_mark=cast("yaml.Mark", place.start_mark))


def _described(error: Exception, text: str, first: int) -> DocumentError:
    """Return *error*, about *text* which begins in the line *first*, as a sentence with the line to look at."""
    if isinstance(error, ReaderError):
        return DocumentError(_CONTROL, text.count("\n", 0, error.position) + first)
    if not isinstance(error, yaml.MarkedYAMLError) or not error.problem_mark:
        escapes = (found.start() for found in _ESCAPE.finditer(text) if int(found[1], 16) > sys.maxunicode)
        problem = "an escape in double quotes that is no character; write the backslash twice"
        return DocumentError(problem, text.count("\n", 0, next(escapes, 0)) + first)
    found = str(error.problem), error.problem_mark.index
    problem, place = found if isinstance(error, _YamlProblem) else _sentence(error, text, first)
    line = text[text.rfind("\n", 0, place) + 1 :].partition("\n")[0]
    if _TEMPLATE.search(line):
        problem = "a template of Helm; write what it becomes into a file, with helm template"
    return DocumentError(problem, text.count("\n", 0, place) + first)


def _sentence(error: yaml.MarkedYAMLError, text: str, first: int) -> tuple[str, int]:
    """Return the *error* of PyYAML in our words, about the document *text*, with the place to look at."""
    said, mark = f"{error.context}: {error.problem}", cast("yaml.Mark", error.problem_mark)
    start = error.context_mark or mark
    if found := _layout_problem(said, text, mark, start):
        return found
    if _OF_DIRECTIVES.search(said) and (directive := re.search("^%", text, re.MULTILINE)):
        return _DIRECTIVE, directive.start()
    place = min(mark.index, len(text.rstrip()))
    for pattern, sentence in _PROBLEMS:
        if match := re.search(pattern, said):
            words = {name: _KINDS.get(word, word) for name, word in match.groupdict().items()}
            problem = sentence.format(**words, end=text.count("\n", 0, place) + first)
            return problem, start.index if _BEGINS.search(said) else place
    return "a part that is neither YAML nor JSON; correct it", place


def _layout_problem(said: str, text: str, mark: yaml.Mark, start: yaml.Mark) -> tuple[str, int] | None:
    """Return what is wrong with the indentation at *mark*, if *said* is about it, and where."""
    place = min(mark.index, len(text.rstrip()))
    above, row = text[: mark.index - mark.column].rstrip(), text[mark.index - mark.column :].partition("\n")[0]
    before = row[: mark.column]
    if "\t" in _indentation(row) and "flow" not in said:  # in brackets, tabs are spaces
        return _TAB, mark.index
    if "mapping values" in said:  # PyYAML has taken the row, and perhaps the one above it, for one value
        last = above.rfind("\n") + 1
        has_no_colon = ": " not in before and _indentation(above[last:]) == _indentation(row)
        return (_NO_COLON, last) if has_no_colon else (_COLON if ": " in before else _TOO_DEEP, place)
    if "<block end>" in said:
        sentence = _AFTER if before.strip() else _MIXED if mark.column == start.column else _INDENTATION
        return sentence.format(column=mark.column + 1), place
    return None


def _indentation(row: str) -> str:
    return row[: len(row) - len(row.lstrip())]


class _Dumper(yaml.SafeDumper):
    """PyYAML's safe dumper without aliases, which quotes each string that kubectl would read as another type."""

    def ignore_aliases(self, data: object) -> bool:
        return True

    def resolve(self, kind: type[yaml.Node], value: Any, implicit: Any) -> str:  # noqa: ANN401 - as in PyYAML
        tag = str(super().resolve(kind, value, implicit))  # type: ignore[no-untyped-call] # so in the stubs
        is_plain = kind is yaml.ScalarNode and implicit[0]
        return _resolve(value)[0] if is_plain and tag == _STRING else tag


def dump_yaml(value: object, width: float = 120) -> str:
    """Return *value* as a YAML document, with lines of about *width* columns."""
    text: str = yaml.dump(value, Dumper=_Dumper, sort_keys=False, width=width, allow_unicode=True)
    return text
