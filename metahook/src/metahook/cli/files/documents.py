"""Documents: YAML or JSON files, read as kubectl reads them."""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from metahook.cli.errors import MAX_DEPTH, TOO_DEEP, DocumentError, InputError, install_command

if TYPE_CHECKING:
    import yaml

FILE = click.Path(readable=False)
"""Type of the options that name a file; shells complete the name. documents() reports a file that is not readable."""


def documents(path: str) -> list[object]:
    """Return the documents in the file *path* (``-`` is standard input), of any type; raise InputError."""
    return [document for document, _ in parsed(read_text(path), path)]


def parsed(text: str, path: str) -> "list[tuple[object, yaml.Node | None]]":
    """Return the documents in the *text* of the file *path*; those in YAML with their nodes, for the lines.

    Raise InputError.
    """
    try:
        # A reader of YAML takes the two halves of an escaped character in JSON for two characters.
        if text.lstrip().startswith("{"):
            return [(parse_json(text), None)]
        from metahook.cli.files.yaml_documents import load_with_nodes  # noqa: PLC0415 - the image has no YAML

        return [(document, node) for document, node in load_with_nodes(text) if document is not None]
    except DocumentError as error:
        place = f"{path}:{error.line}" if error.line else path
        message = f"{place}: not YAML or JSON: {error.problem}"
        raise InputError(message) from error
    except ModuleNotFoundError as error:
        message = f"{path}: YAML needs {error.name}; give JSON, or install it with: {install_command()}"
        raise InputError(message) from error


def read_text(path: str) -> str:
    """Return the text of the file *path* (``-`` is standard input); raise InputError."""
    try:
        if path != "-":
            return Path(path).read_text(encoding="utf-8")
        if not sys.stdin.isatty():
            return sys.stdin.read()
    except OSError as error:
        message = f"{path}: {(error.strerror or 'cannot be read').lower()}; name a file, or - for standard input"
        raise InputError(message) from error
    except UnicodeDecodeError as error:
        message = f"{path}: not YAML or JSON: not UTF-8 text"
        raise InputError(message) from error
    message = "- is standard input, and nothing is piped into it; name a file"
    raise InputError(message)


def as_yaml(value: object, width: float = 120) -> str:
    """Return *value* as YAML; as JSON, which is YAML too, where no YAML is installed."""
    try:
        from metahook.cli.files.yaml_documents import dump_yaml  # noqa: PLC0415 - the image has no YAML
    except ModuleNotFoundError:
        return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    return dump_yaml(value, width=width)


def parse_json(text: str) -> object:
    """Return the JSON *text*; raise DocumentError."""
    try:
        document = msgspec.json.decode(text)
    except RecursionError as error:
        raise DocumentError(TOO_DEEP) from error
    except (msgspec.DecodeError, UnicodeEncodeError) as error:
        raise _json_problem(text) from error
    if _is_too_deep(document):
        raise DocumentError(TOO_DEEP)
    return document


def _json_problem(text: str) -> DocumentError:
    """Return what is wrong with *text* and where: the decoder of Python knows the line."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return DocumentError(f"{error.msg[0].lower()}{error.msg[1:]}", error.lineno)
    return DocumentError("NaN, Infinity or half of a character, which JSON does not have")  # Python accepts these


def _is_too_deep(value: object) -> bool:
    """Tell whether *value* holds values in values more than MAX_DEPTH levels deep."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [inner for outer in level for inner in _values(outer)]
        if not level:
            return False
    return True


def _values(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
