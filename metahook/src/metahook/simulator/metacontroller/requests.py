"""The bodies of requests to the hooks, in the two versions of their keys.

Source: Metacontroller 4.17, pkg/controller/common/api/v1 and v2, pkg/controller/{composite,decorator}/api.
"""

from collections.abc import Iterable

import msgspec

from metahook.simulator.metacontroller.settings import Settings
from metahook.simulator.objects import Json

Found = dict[str, list[Json]]
"""Objects by the key of their kind."""

Grouped = dict[str, dict[str, Json]]


def sync_body(settings: Settings, hook: str, parent: Json, children: Found, related: Found) -> bytes:
    """Return the body of a request to the *hook* sync or finalize."""
    version = settings.hook(hook).version
    names = ("object", "attachments") if settings.api == "decorator" else ("parent", "children")
    return msgspec.json.encode(
        {
            "controller": settings.manifest,
            names[0]: parent,
            names[1]: keyed(children, parent, version),
            "related": keyed(related, parent, version),
            "finalizing": hook == "finalize",
        }
    )


def customize_body(settings: Settings, parent: Json) -> bytes:
    """Return the body of a customize request."""
    return msgspec.json.encode({"controller": settings.manifest, "parent": parent})


def keyed(found: Found, parent: Json, version: str) -> Grouped:
    """Return the objects *found* by key; v1 leaves those of other namespaces out, unless *parent* has none."""
    namespace = parent["metadata"].get("namespace")
    if version != "v1" or not namespace:
        return {group: {qualified_name(item): item for item in items} for group, items in found.items()}
    return {group: _of_namespace(items, namespace) for group, items in found.items()}


def _of_namespace(items: Iterable[Json], namespace: str) -> dict[str, Json]:
    return {item["metadata"]["name"]: item for item in items if item["metadata"].get("namespace") == namespace}


def relative_name(item: Json, parent: Json) -> str:
    """Return the name of *item*, with its namespace if *parent* has none: its key in v1."""
    return str(item["metadata"].get("name", "")) if parent["metadata"].get("namespace") else qualified_name(item)


def qualified_name(item: Json) -> str:
    """Return the name of *item*, with its namespace if it has one: its key in v2."""
    namespace, name = item["metadata"].get("namespace"), item["metadata"].get("name", "")
    return f"{namespace}/{name}" if namespace else str(name)
