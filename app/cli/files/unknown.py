"""Finds fields that the API does not have: the API server drops them in silence, kubectl complains."""

import difflib
from collections.abc import Iterator

from app.api.structural import Schema


def unknown_fields(value: object, schema: Schema, path: str) -> Iterator[str]:
    """Yield a sentence for each field of *value* that *schema* does not have."""
    if isinstance(value, dict) and "properties" in schema:
        for name, inner in value.items():
            if name in schema["properties"]:
                yield from unknown_fields(inner, schema["properties"][name], f"{path}.{name}")
            else:
                close = difflib.get_close_matches(str(name), schema["properties"], n=1)
                yield f"{path}.{name}: no such field" + (f"; did you mean {close[0]}?" if close else "; remove it")
    elif isinstance(value, list) and "items" in schema:
        for place, inner in enumerate(value):
            yield from unknown_fields(inner, schema["items"], f"{path}[{place}]")
