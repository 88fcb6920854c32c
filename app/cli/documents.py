"""Reads Kubernetes objects from YAML or JSON, as kubectl would: no dates, no base-60 numbers, no key twice."""

import re
import sys
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import msgspec
import yaml

from app.cli.errors import InputError

Json = dict[str, Any]

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


def load(path: str) -> list[Json]:
    """Return the objects in the file *path* (``-`` is standard input), those of a List one by one; raise InputError."""
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
        documents = [document for document in _parsed(text) if document is not None]
    except OSError as error:
        message = f"{path}: {(error.strerror or 'cannot be read').lower()}; name a file, or - for standard input"
        raise InputError(message) from error
    except (yaml.YAMLError, UnicodeDecodeError, msgspec.DecodeError, RecursionError) as error:
        message = f"{path}: not YAML or JSON: {_where(error)}"
        raise InputError(message) from error
    return [item for document in documents for item in _objects(document, path)]


def _parsed(text: str) -> list[object]:
    """Return the documents in *text*; YAML would take the halves of an escaped character in JSON for two."""
    if text.lstrip().startswith("{"):
        return [msgspec.json.decode(text)]
    return list(yaml.load_all(text, _Loader))


def _objects(document: object, path: str) -> list[Json]:
    if not isinstance(document, dict) or not all(isinstance(document.get(key), str) for key in ("apiVersion", "kind")):
        message = f"{path}: holds something that is not a Kubernetes object; each document needs apiVersion and kind"
        raise InputError(message)
    if document["kind"].endswith("List") and isinstance(document.get("items"), list):
        return [item for inner in document["items"] for item in _objects(inner, path)]
    if not isinstance(document.get("metadata"), dict) or not isinstance(document["metadata"].get("name"), str):
        message = f"{path}: a {document['kind']} has no metadata.name; give it one"
        raise InputError(message)
    return [document]


def _where(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or "unreadable"
    return f"line {mark.line + 1}: {problem}" if mark else problem
