"""The objects in files that a request has: the children of its parent, and the related ones that its rules select."""

from collections.abc import Iterable
from typing import Any

from metahook import Object, RelatedRule
from metahook.protocol.kind import group_key
from metahook.protocol.sender import Grouped, controller_of, group_of, grouped, matches, qualified_name

Json = dict[str, Any]

RelatedKind = tuple[str, str, str]
"""API version, resource (plural) and kind: a rule names the resource, and its objects are grouped by kind."""


def children_of(parent: Json, objects: Iterable[Json], *structs: type[Object]) -> Grouped:
    """Return those of *objects* that *parent* controls, by kind; each of *structs* has a group, and no other kind has.

    Metacontroller also looks at the labels of the parent's selector; objects in files may lack them.
    """
    uid, namespace = parent["metadata"]["uid"], parent["metadata"].get("namespace")
    own = [
        item
        for item in objects
        if controller_of(item) == uid and (not namespace or item["metadata"].get("namespace") == namespace)
    ]
    return grouped(own, structs)


def related_to(rules: Iterable[RelatedRule], objects: Iterable[Json], *kinds: RelatedKind) -> Grouped:
    """Return those of *objects* that *rules* select, by kind; every rule for one of *kinds* has a group."""
    groups = {
        (api_version, resource): group_key(kind=kind, api_version=api_version) for api_version, resource, kind in kinds
    }
    objects = list(objects)
    namespaces = [item for item in objects if group_of(item) == "Namespace.v1"]
    related: Grouped = {}
    for rule in rules:
        group = groups.get((rule["apiVersion"], rule["resource"]))
        if group is not None:
            selected = [item for item in objects if group_of(item) == group and selects(rule, item, namespaces)]
            related.setdefault(group, {}).update({qualified_name(item): item for item in selected})
    return related


def selects(rule: RelatedRule, item: Json, namespaces: Iterable[Json] = ()) -> bool:
    """Tell whether *rule* selects *item*: by name, or by labels; a rule with neither selects all.

    *namespaces* are the Namespaces that there are: a rule may select those with some labels.
    """
    metadata = item["metadata"]
    if rule.get("namespace") not in (None, "", metadata.get("namespace")):
        return False
    if "namespaceSelector" in rule and not any(
        each["metadata"]["name"] == metadata.get("namespace")
        and matches(rule["namespaceSelector"], each["metadata"].get("labels"))
        for each in namespaces
    ):
        return False
    names = rule.get("names")
    return metadata["name"] in names if names else matches(rule.get("labelSelector") or {}, metadata.get("labels"))
