"""Metacontroller's side: composes the requests that it would send, for previews and tests.

Source: Metacontroller 4.17, pkg/controller/composite and pkg/controller/common/customize, hook version v2.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from metahook.protocol.kind import group_key
from metahook.protocol.objects import Object
from metahook.protocol.wire import RelatedRule

Json = dict[str, Any]
Grouped = dict[str, dict[str, Json]]
CREATED = "2026-01-01T00:00:00Z"
"""The creation time of an object in an example, if it names no other."""

RelatedKind = tuple[str, str, str]
"""API version, resource (plural) and kind: a rule names the resource, and its objects are grouped by kind."""


def sync_request(parent: Json, children: Grouped, related: Grouped) -> bytes:
    """Return the body of a sync request."""
    body = {"controller": {}, "parent": parent, "children": children, "related": related, "finalizing": False}
    return msgspec.json.encode(body)


def example_request(
    parent: Json,
    structs: Iterable[type[Object]],
    children: Iterable[Json],
    related: Mapping[type[Object], Iterable[Json]],
) -> bytes:
    """Return the body of a sync request about objects as a user writes them, without what the API server adds."""
    selected = {struct.KIND.group_key: list(map(_stored, items)) for struct, items in related.items()}
    return sync_request(
        _stored(parent),
        _grouped(map(_stored, children), structs),
        {group: {_key(item): item for item in items} for group, items in selected.items()},
    )


def _stored(item: Json) -> Json:
    """Return *item* with the metadata that every stored object has."""
    metadata = item["metadata"]
    defaults = {"namespace": "default", "uid": metadata["name"], "generation": 1, "creationTimestamp": CREATED}
    return {**item, "metadata": {**defaults, **metadata}}


def customize_request(parent: Json) -> bytes:
    """Return the body of a customize request."""
    return msgspec.json.encode({"controller": {}, "parent": parent})


def children_of(parent: Json, objects: Iterable[Json], *structs: type[Object]) -> Grouped:
    """Return those of *objects* that *parent* controls, by kind; each of *structs* has a group, and no other kind has.

    Metacontroller also looks at the labels of the parent's selector; objects in files may lack them.
    """
    uid, namespace = parent["metadata"]["uid"], parent["metadata"]["namespace"]
    own = [item for item in objects if controller_of(item) == uid and item["metadata"].get("namespace") == namespace]
    return _grouped(own, structs)


def controller_of(item: Json) -> str | None:
    """Return the uid of the owner that controls *item*, or None. Source: apimachinery, GetControllerOf."""
    owners = item["metadata"].get("ownerReferences") or []
    return next((owner["uid"] for owner in owners if owner.get("controller")), None)


def related_to(rules: Iterable[RelatedRule], objects: Iterable[Json], *kinds: RelatedKind) -> Grouped:
    """Return those of *objects* that *rules* select, by kind; every rule for one of *kinds* has a group."""
    groups = {
        (api_version, resource): group_key(kind=kind, api_version=api_version) for api_version, resource, kind in kinds
    }
    objects = list(objects)
    related: Grouped = {}
    for rule in rules:
        group = groups.get((rule["apiVersion"], rule["resource"]))
        if group is not None:
            selected = [item for item in objects if _group(item) == group and selects(rule, item)]
            related.setdefault(group, {}).update({_key(item): item for item in selected})
    return related


def selects(rule: RelatedRule, item: Json) -> bool:
    """Tell whether *rule* selects *item*: by name, or by labels; a rule with neither selects all."""
    metadata = item["metadata"]
    if rule.get("namespace") not in (None, "", metadata.get("namespace")):
        return False
    names = rule.get("names")
    return metadata["name"] in names if names else matches(rule.get("labelSelector") or {}, metadata.get("labels"))


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


def _grouped(objects: Iterable[Json], structs: Iterable[type[Object]]) -> Grouped:
    """Return *objects* by kind: each of *structs* has a group, and no other kind has."""
    groups: Grouped = {struct.KIND.group_key: {} for struct in structs}
    for item in objects:
        if _group(item) in groups:
            groups[_group(item)][_key(item)] = item
    return groups


def _group(item: Json) -> str:
    return group_key(kind=item["kind"], api_version=item["apiVersion"])


def _key(item: Json) -> str:
    return f"{item['metadata']['namespace']}/{item['metadata']['name']}"
