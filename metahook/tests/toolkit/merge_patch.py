"""Merge patches, RFC 7396."""

from typing import Any

Json = dict[str, Any]


def merge(item: Json, change: Json) -> None:
    """Apply the merge patch *change* to *item* in place."""
    for name, value in change.items():
        if value is None:
            item.pop(name, None)
        elif isinstance(value, dict):
            merge(item.setdefault(name, {}), value)
        else:
            item[name] = value
