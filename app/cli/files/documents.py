"""Reads Kubernetes objects from YAML or JSON files, as kubectl would."""

import sys
from pathlib import Path
from typing import Any

import click
import msgspec

from app.cli.errors import InputError, NotYaml
from app.cli.files.metadata import misshapen, without_nulls
from app.cli.files.nesting import DEEPEST, is_too_deep

Json = dict[str, Any]

FILE = click.Path(readable=False)
"""The type of options that name a file, so that shells complete its name. Whether it can be read is found out here."""


def load(path: str) -> list[Json]:
    """Return the objects in the file *path* (``-`` is standard input), those of a List one by one; raise InputError."""
    return objects(documents(path), path)


def objects(found: list[object], path: str) -> list[Json]:
    """Return the objects in the documents that were *found* in *path*; raise InputError."""
    return [item for document in found for item in _objects(document, path)]


def documents(path: str) -> list[object]:
    """Return the documents in the file *path* (``-`` is standard input), whatever they are; raise InputError."""
    if path == "-" and sys.stdin.isatty():
        message = "- is standard input, and nothing is piped into it; name a file"
        raise InputError(message)
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
        return [document for document in _parsed(text) if document is not None]
    except OSError as error:
        message = f"{path}: {(error.strerror or 'cannot be read').lower()}; name a file, or - for standard input"
        raise InputError(message) from error
    except (ValueError, RecursionError) as error:
        message = f"{path}: not YAML or JSON: {_where(error)}"
        raise InputError(message) from error
    except ModuleNotFoundError as error:
        message = f"{path}: YAML needs {error.name}; give JSON, or: pip install 'myresource-operator[cli]'"
        raise InputError(message) from error


def _parsed(text: str) -> list[object]:
    """Return the documents in *text*; YAML would take the halves of an escaped character in JSON for two."""
    if text.lstrip().startswith("{"):
        return _shallow(msgspec.json.decode(text))
    from app.cli.files.kubectl_yaml import parsed  # noqa: PLC0415 - the image has no YAML, and JSON needs none

    return parsed(text)


def _shallow(document: object) -> list[object]:
    if is_too_deep([document]):
        raise RecursionError
    return [document]


def _objects(document: object, path: str) -> list[Json]:
    if not isinstance(document, dict) or not all(isinstance(document.get(key), str) for key in ("apiVersion", "kind")):
        message = f"{path}: holds something that is not a Kubernetes object; each document needs apiVersion and kind"
        raise InputError(message)
    if document["kind"].endswith("List") and isinstance(document.get("items"), list):
        return [item for inner in document["items"] for item in _objects(inner, path)]
    if not isinstance(document.get("metadata"), dict) or not isinstance(document["metadata"].get("name"), str):
        message = f"{path}: a {document['kind']} has no metadata.name; give it one"
        raise InputError(message)
    for problem in misshapen(document["metadata"]):
        message = f"{path}: {document['kind']} {document['metadata']['name']}: {problem}"
        raise InputError(message)
    return [{**document, "metadata": without_nulls(document["metadata"])}]


def _where(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return f"nested more than {DEEPEST} levels deep"
    return str(error) if isinstance(error, NotYaml) else "unreadable"
