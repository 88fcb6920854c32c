"""The fields of other projects' kinds, so that a typing mistake is found without their CRDs."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

_METADATA = ("name", "namespace", "labels.*", "annotations.*")
_OF_ALL = {"apiVersion", "kind", *(f"metadata.{name}" for name in _METADATA)}
FIELDS: dict[str, set[str]] = {
    kind: {*paths.split(), *_OF_ALL}
    for kind, paths in yaml.safe_load(Path(__file__).with_name("fields.yaml").read_text()).items()
}
"""The paths by kind; one that ends in ``.*`` has any field below it."""


def unknown_fields(item: dict[str, Any]) -> list[str]:
    """Return the paths of *item* that its kind does not have."""
    return [*_unknown(item, "", FIELDS[item["kind"]])]


def _unknown(value: object, path: str, known: set[str]) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _unknown(item, path, known)
    elif isinstance(value, dict) and value and f"{path}.*" not in known:
        for name, inner in value.items():
            yield from _unknown(inner, f"{path}.{name}".removeprefix("."), known)
    elif not {path, f"{path}.*"} & known:
        yield path
