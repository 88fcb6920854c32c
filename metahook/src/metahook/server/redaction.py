"""Redaction: removes the content of Secrets and ``managedFields`` from recorded requests and responses."""

from collections.abc import Callable
from typing import Any

Json = dict[str, Any]

_SECRET = "Secret"  # noqa: S105 - a kind
_CONTENT = {"data", "stringData"}
_RECORD = "last-applied-configuration"
"""The end of the annotations that hold a whole object: kubectl's and Metacontroller's."""


def redacted(request: Json) -> Json:
    """Return the hook *request* without the content of Secrets and without ``managedFields``."""
    return {field: _READ[field](value) if field in _READ else value for field, value in request.items()}


def redacted_response(response: Json) -> Json:
    """Return the hook *response* without the content of Secrets."""
    children = response.get("children")
    return {**response, "children": [_object(child) for child in children]} if isinstance(children, list) else response


def _groups(groups: Any) -> Any:  # noqa: ANN401 - JSON, of any shape
    if not isinstance(groups, dict):
        return groups
    return {kind: _group(kind, group) for kind, group in groups.items()}


def _group(kind: str, group: Any) -> Any:  # noqa: ANN401 - JSON, of any shape
    if not isinstance(group, dict):
        return group
    return {name: _object(item, kind.partition(".")[0]) for name, item in group.items()}


def _object(item: Any, kind: str = "") -> Any:  # noqa: ANN401 - JSON, of any shape
    if not isinstance(item, dict):
        return item
    secret = _SECRET in (kind, item.get("kind"))
    left = {field: value for field, value in item.items() if not (secret and field in _CONTENT)}
    return {**left, "metadata": _metadata(left["metadata"], secret=secret)} if "metadata" in left else left


def _metadata(metadata: Any, *, secret: bool) -> Any:  # noqa: ANN401 - JSON, of any shape
    if not isinstance(metadata, dict):
        return metadata
    left = {field: value for field, value in metadata.items() if field != "managedFields"}
    annotations = left.get("annotations")
    if not secret or not isinstance(annotations, dict):
        return left
    return {**left, "annotations": {key: text for key, text in annotations.items() if not key.endswith(_RECORD)}}


_READ: dict[str, Callable[[Any], Any]] = {
    "controller": _object,
    "parent": _object,
    "children": _groups,
    "related": _groups,
}
