"""The names in the metadata of objects in files that the API server requires."""

from collections.abc import Iterator
from typing import Any

from app.api.values.scalar import DNS_LABEL, KEY, LABEL_VALUE, MAX_KEY, matches
from metahook.commands import metadata as toolkit

Json = dict[str, Any]

_MAX_LENGTH = 63


def name_problems(metadata: Json) -> Iterator[str]:
    """Yield a sentence for each name in *metadata* that Kubernetes refuses; the types must be right."""
    present = toolkit.present_fields(metadata)
    namespace = present.get("namespace", "default")
    if len(namespace) > _MAX_LENGTH or not matches(DNS_LABEL, namespace):
        yield f"metadata.namespace: must be at most {_MAX_LENGTH} lower-case letters, digits and dashes, such as team-a"
    for field in ("labels", "annotations", "finalizers"):
        if not all(map(_is_key, present.get(field, ()))):
            yield f"metadata.{field}: each name must be written as example.com/name, or name"
    if not all(
        len(value) <= _MAX_LENGTH and matches(LABEL_VALUE, value) for value in present.get("labels", {}).values()
    ):
        yield f"metadata.labels: a value must be at most {_MAX_LENGTH} letters, digits, dashes, dots and underscores"


def _is_key(text: str) -> bool:
    prefix, slash, name = text.rpartition("/")
    return len(prefix) <= MAX_KEY and matches(KEY, prefix.lower() + slash + name)
