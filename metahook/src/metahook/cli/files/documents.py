"""Documents: YAML or JSON files, read as kubectl reads them, or refused where kubectl would lose something.

A JSON file may hold several objects one after another, and then YAML after ``---``. Source: Kubernetes,
apimachinery/pkg/util/yaml/decoder.go, cli-runtime/pkg/resource/visitor.go and sigs.k8s.io/json.
"""

import codecs
import json
import math
import os
import re
import select
import stat
import sys
from collections.abc import Iterable
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import click
import msgspec

from metahook.cli.errors import MAX_DEPTH, TOO_DEEP, DocumentError, InputError, install_command
from metahook.protocol.bodies import MAX_BODY, MIB

if TYPE_CHECKING:
    import yaml

FILE = click.Path(readable=False)
"""Type of the options that name a file; shells complete the name. documents() reports a file that is not readable."""

MAX_FILE = MAX_BODY
"""Bytes of a file: those of the largest request that a hook reads."""

PATIENCE = 2.0
"""Seconds to wait for a program that writes to a named pipe."""

_INT64 = range(-(2**63), 2**63)
_INT64_DIGITS = 20
_JSON = re.compile(r'\{\s*"')


class Document(msgspec.Struct, frozen=True, dict=True):
    """A document with its *value*, whose *text* begins in a *line* of its file."""

    value: object
    text: str
    line: int = 1

    def line_of(self, path: Iterable[str | int]) -> int:
        """Return the line of the field at *path*, or of what exists of it; 0 without PyYAML."""
        if self._node is None:
            return 0
        from metahook.cli.files.yaml_documents import line_of  # noqa: PLC0415 - the image has no YAML

        return self.line + line_of(self._node, path)

    @cached_property
    def _node(self) -> "yaml.Node | None":
        """The node of the text, if it is YAML; nearly all JSON is YAML, too."""
        try:
            from metahook.cli.files.yaml_documents import compose  # noqa: PLC0415 - the image has no YAML

            return compose(self.text)
        except (DocumentError, ModuleNotFoundError):
            return None


def documents(path: str) -> list[Document]:
    """Return the documents in the file *path* (``-`` is standard input) that are not null; raise InputError."""
    return documents_in(read_text(path), path)


def documents_in(text: str, path: str) -> list[Document]:
    try:
        return [document for document in _read(text) if document.value is not None]
    except DocumentError as error:
        place = f"{path}:{error.line}" if error.line else path
        message = f"{place}: not YAML or JSON: {error.problem}"
        raise InputError(message) from error
    except ModuleNotFoundError as error:
        message = f"{path}: YAML needs {error.name}; give JSON, or install it with: {install_command()}"
        raise InputError(message) from error


def _read(text: str) -> list[Document]:
    """Return the documents in *text*: objects in JSON, as long as there are any, and then YAML; raise DocumentError."""
    found, end, problem = _leading_json(text)
    if not text[end:].strip():
        return found
    line = text.count("\n", 0, end) + 1
    if len(found) > 1:  # kubectl has decided that this is JSON
        raise problem or DocumentError("text after several objects in JSON; begin each object with ---", line)
    try:
        from metahook.cli.files.yaml_documents import read_yaml  # noqa: PLC0415 - the image has no YAML

        return [*found, *read_yaml(text[end:], line)]
    except ModuleNotFoundError:
        if problem:
            raise problem from None
        raise
    except DocumentError:
        # Which of the two it was to be, the first key tells. Only YAML has the line of a key that is repeated.
        if problem and problem.line and _JSON.match(text, end):
            raise problem from None
        raise


def read_text(path: str) -> str:
    """Return the text of the file *path* (``-`` is standard input); raise InputError.

    A byte that is not UTF-8 becomes half of a surrogate pair, so that its line can be named.
    """
    try:
        content = _standard_input() if path == "-" else _content(path)
    except OSError as error:
        reason = (error.strerror or "cannot be read").lower()
        message = f"{path or repr(path)}: {reason}; name a file, or - for standard input"
        raise InputError(message) from error
    except ValueError as error:  # a name with a null character
        message = f"{path}: not the name of a file; name a file, or - for standard input"
        raise InputError(message) from error
    if len(content) > MAX_FILE:
        message = f"{path}: more than {MAX_FILE // MIB} MiB; give several files"
        raise InputError(message)
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):  # as PowerShell writes it
        try:
            return content.decode("utf-16")
        except UnicodeDecodeError as error:
            message = f"{path}: not text in UTF-16, though it begins so; save the file again, in UTF-8"
            raise InputError(message) from error
    return content.removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogateescape")


def _content(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # which does not wait for a writer of a named pipe
    with open(descriptor, "rb") as file:  # noqa: PTH123 - of a descriptor
        first = _first_byte(descriptor, path) if stat.S_ISFIFO(os.fstat(descriptor).st_mode) else b""
        os.set_blocking(descriptor, True)
        return first + file.read(MAX_FILE + 1)


def _first_byte(pipe: int, path: str) -> bytes:
    """Return the first byte of the *pipe* at *path*, if there is one; raise InputError if no program writes to it."""
    select.select([pipe], [], [], PATIENCE)
    try:
        first = os.read(pipe, 1)
    except BlockingIOError:
        return b""  # a program has it open, and writes later
    if not first:
        message = f"{path}: a named pipe that no program writes to; name a file, or - for standard input"
        raise InputError(message)
    return first


def _standard_input() -> bytes:
    if sys.stdin is None or sys.stdin.isatty():
        message = "- is standard input, and nothing is piped into it; name a file"
        raise InputError(message)
    return sys.stdin.read(MAX_FILE + 1).encode("utf-8", "surrogateescape")


def as_yaml(value: object, width: float = 120) -> str:
    """Return *value* as YAML; as JSON, which is YAML too, where no YAML is installed."""
    try:
        from metahook.cli.files.yaml_documents import dump_yaml  # noqa: PLC0415 - the image has no YAML
    except ModuleNotFoundError:
        return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    return dump_yaml(value, width=width)


def as_sent(number: float) -> int | float:
    """Return the finite *number* as kubectl sends it, which writes 3.0 as 3, and keeps 64 bits of an integer."""
    if not float(number).is_integer():
        return number
    whole = number if isinstance(number, int) else int(Decimal(repr(number)))  # 1.2345678901234567e18 ends in zeros
    return whole if whole in _INT64 else float(number)


def check_text(text: str) -> str:
    """Return *text*, if UTF-8 has it; raise DocumentError."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        if "\udc80" <= text[error.start] <= "\udcff":
            message = f"byte {ord(text[error.start]) - 0xDC00:#04x} is not UTF-8; save the file in this encoding"
        else:
            message = "half of a character, such as \\ud83d alone; write the whole one"
        raise DocumentError(message) from error
    return text


class _NoJson(DocumentError):
    """Raised for what may be YAML if it is no JSON, as JSONDecodeError is."""


def _leading_json(text: str) -> tuple[list[Document], int, DocumentError | None]:
    """Return the objects in JSON that *text* begins with, where they end, and what is wrong with the next one."""
    found: list[Document] = []
    end, line = 0, 1
    while (start := _after_space(text, end)) < len(text) and text[start] == "{":
        line += text.count("\n", end, start)
        try:
            value, stop = _DECODER.raw_decode(text, start)
            _check(value)
        except json.JSONDecodeError as error:
            problem = (
                f"in JSON, {error.msg[0].lower()}{error.msg[1:]}; correct it, or copy the file again if it is cut off"
            )
            return found, start, DocumentError(problem, error.lineno)
        except _NoJson as error:
            return found, start, error
        except RecursionError as error:
            raise DocumentError(TOO_DEEP, line) from error
        except DocumentError as error:
            raise DocumentError(error.problem, line) from error
        found.append(Document(value, text[start:stop], line))
        line += text.count("\n", start, stop)
        end = stop
    return found, end, None


def _after_space(text: str, start: int) -> int:
    match = _SPACE.match(text, start)
    return match.end() if match else start


def _check(value: object) -> None:
    """Raise DocumentError if *value* is nested too deeply, or holds half of a character."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [inner for outer in level for inner in _values(outer)]
        if not level:
            break
    else:
        raise DocumentError(TOO_DEEP)
    try:
        msgspec.json.encode(value)
    except UnicodeEncodeError as error:
        check_text(error.object)


def _values(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        message = f"key {next(name for name in names if names.count(name) > 1)!r} is repeated; remove one"
        raise _NoJson(message)
    return found


def _number(text: str) -> int | float:
    number = float(text)
    if not math.isfinite(number):
        message = "a number that is too large; quote it, or write a smaller one"
        raise DocumentError(message)
    return as_sent(int(text) if len(text) <= _INT64_DIGITS and text.lstrip("-").isdigit() else number)


def _refuse(_: str) -> NoReturn:
    message = "NaN or Infinity, which JSON does not have; quote it"
    raise _NoJson(message)


_SPACE = re.compile(r"\s*")
_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_int=_number, parse_float=_number, parse_constant=_refuse)
