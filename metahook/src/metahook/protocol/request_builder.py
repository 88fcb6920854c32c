"""Metacontroller's side: composes the requests that it would send, for previews and tests.

Source: Metacontroller 4.17, pkg/controller/composite, pkg/controller/common/customize,
pkg/controller/decorator, and pkg/controller/common/api.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Literal

import msgspec

from metahook.protocol.objects import Json, Object, group_key

Grouped = dict[str, dict[str, Json]]
CREATED = "2026-01-01T00:00:00Z"
"""The creation time of an object in an example, if it names no other."""

Version = Literal["v1", "v2"]
"""The version of a hook, which decides the keys of objects in its requests."""

Api = Literal["composite", "decorator"]
"""CompositeController or DecoratorController, which decides the names of the fields of its requests."""

_PARENT = {"composite": "parent", "decorator": "object"}
_CHILDREN = {"composite": "children", "decorator": "attachments"}


def sync_request(  # noqa: PLR0913 - the fields of a request, and its format
    parent: Json,
    children: Grouped,
    related: Grouped,
    *,
    controller: Json | None = None,
    finalizing: bool = False,
    version: Version = "v2",
    api: Api = "composite",
) -> bytes:
    """Return the body of a request to a sync hook of *version*; to a finalize hook if it is *finalizing*.

    *children* and *related* have the keys of version v2. *controller* is the manifest of the CompositeController or
    DecoratorController.
    """
    return msgspec.json.encode(
        {
            "controller": controller or {},
            _PARENT[api]: parent,
            _CHILDREN[api]: _keyed(children, parent, version),
            "related": _keyed(related, parent, version),
            "finalizing": finalizing,
        },
        order="sorted",  # as Go writes maps: a hook that copies a part as text copies the same text each time
    )


def customize_request(parent: Json, *, controller: Json | None = None) -> bytes:
    """Return the body of a customize request, which is the same for each version and API."""
    return msgspec.json.encode({"controller": controller or {}, "parent": parent}, order="sorted")


def _keyed(groups: Grouped, parent: Json, version: Version) -> Grouped:
    """Return *groups* with the keys of *version*.

    Version v1 sends a parent in a namespace only what is in the same one, by its name.
    """
    if version == "v2":
        return groups
    namespace = parent["metadata"].get("namespace")
    return {
        group: {
            item["metadata"]["name"] if namespace else qualified_name(item): item
            for item in items.values()
            if not namespace or item["metadata"].get("namespace") == namespace
        }
        for group, items in groups.items()
    }


def example_request(  # noqa: PLR0913 - the objects of a request, and what kind of request it is
    parent: Json,
    structs: Iterable[type[Object]],
    children: Iterable[Json],
    related: Mapping[type[Object], Iterable[Json]],
    *,
    is_namespaced: bool = True,
    finalizing: bool = False,
    api: Api = "composite",
) -> bytes:
    """Return the body of a sync request about objects as a user writes them, without what the API server adds.

    Raise ValueError for an object that must name its namespace, because the parent *is_namespaced* not.
    """
    structs = tuple(structs)
    stored = _stored(parent, "default" if is_namespaced else None)
    namespace = stored["metadata"].get("namespace")
    scopes = {struct.KIND.group_key: struct.KIND.namespaced for struct in structs}
    return sync_request(
        stored,
        grouped((_in_namespace(item, namespace, scopes.get(group_of(item), True)) for item in children), structs),
        {
            struct.KIND.group_key: {
                qualified_name(item): item
                for item in (_in_namespace(item, namespace, struct.KIND.namespaced) for item in items)
            }
            for struct, items in related.items()
        },
        finalizing=finalizing,
        api=api,
    )


def _in_namespace(item: Json, namespace: str | None, is_namespaced: bool) -> Json:  # noqa: FBT001 - of a kind
    """Return *item* as it is stored, by default in *namespace*; raise ValueError if there is none."""
    if is_namespaced and not namespace and "namespace" not in item["metadata"]:
        message = f"{item['kind']} {item['metadata']['name']}: set metadata.namespace, because the parent is in none"
        raise ValueError(message)
    return _stored(item, namespace if is_namespaced else None)


def _stored(item: Json, namespace: str | None) -> Json:
    """Return *item* with the metadata that every stored object has; by default it is in *namespace*."""
    metadata = item["metadata"]
    defaults = {"uid": metadata["name"], "generation": 1, "creationTimestamp": CREATED}
    return {**item, "metadata": {**({"namespace": namespace} if namespace else {}), **defaults, **metadata}}


def controller_of(item: Json) -> str | None:
    """Return the uid of the owner that controls *item*, or None. Source: apimachinery, GetControllerOf."""
    owners = item["metadata"].get("ownerReferences") or []
    return next((owner["uid"] for owner in owners if owner.get("controller")), None)


def matches(selector: Json, labels: dict[str, str] | None) -> bool:
    """Tell whether *selector* matches *labels*. Source: Kubernetes, LabelSelectorAsSelector."""
    observed = labels or {}
    required: dict[str, str] = selector.get("matchLabels") or {}
    expressions: list[Json] = selector.get("matchExpressions") or []
    return required.items() <= observed.items() and all(
        _OPERATORS[term["operator"]](observed.get(term["key"]), term.get("values") or []) for term in expressions
    )


_OPERATORS: dict[str, Callable[[str | None, list[str]], bool]] = {
    "In": lambda value, values: value in values,
    "NotIn": lambda value, values: value not in values,
    "Exists": lambda value, _: value is not None,
    "DoesNotExist": lambda value, _: value is None,
}


def grouped(objects: Iterable[Json], structs: Iterable[type[Object]]) -> Grouped:
    """Return *objects* by kind: each of *structs* has a group, and no other kind has."""
    groups: Grouped = {struct.KIND.group_key: {} for struct in structs}
    for item in objects:
        if group_of(item) in groups:
            groups[group_of(item)][qualified_name(item)] = item
    return groups


def group_of(item: Json) -> str:
    """Return the key of the group of *item*, such as ``Deployment.apps/v1``."""
    return group_key(kind=item["kind"], api_version=item["apiVersion"])


def qualified_name(item: Json) -> str:
    """Return the name of *item*, with its namespace if it has one: its key in requests of version v2."""
    metadata = item["metadata"]
    name = str(metadata.get("name", ""))
    return f"{metadata['namespace']}/{name}" if metadata.get("namespace") else name
