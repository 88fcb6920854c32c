"""Metacontroller's half of the exchange: composes the requests that it would send, for previews and tests.

Source: Metacontroller 4.17, pkg/controller/composite and pkg/controller/common/customize, hook version v2.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from app.hooks.answer import RelatedRule
from app.hooks.objects import Object

Json = dict[str, Any]
Grouped = dict[str, dict[str, Json]]


def sync_request(parent: Json, children: Grouped, related: Grouped) -> bytes:
    """Return the body of a sync request."""
    body = {"controller": {}, "parent": parent, "children": children, "related": related, "finalizing": False}
    return msgspec.json.encode(body)


def customize_request(parent: Json) -> bytes:
    """Return the body of a customize request."""
    return msgspec.json.encode({"controller": {}, "parent": parent})


def children_of(parent: Json, objects: Iterable[Json], *kinds: type[Object]) -> Grouped:
    """Return those of *objects* that *parent* controls, by kind; every one of *kinds* has a group."""
    uid = parent["metadata"]["uid"]
    mine = [item for item in objects if uid in _controllers(item)]
    return _grouped(mine, kinds)


def related_to(rules: Iterable[RelatedRule], objects: Iterable[Json], *kinds: type[Object]) -> Grouped:
    """Return those of *objects* that *rules* ask for by name, by kind; every rule for one of *kinds* has a group."""
    found: Grouped = {}
    for rule in rules:
        for kind in kinds:
            if (rule["apiVersion"], rule["resource"]) == (kind.API_VERSION, kind.RESOURCE):
                asked = [item for item in objects if _named_by(rule, item)]
                found.setdefault(kind.group(), {}).update(_grouped(asked, (kind,))[kind.group()])
    return found


def _named_by(rule: RelatedRule, item: Json) -> bool:
    metadata = item["metadata"]
    return metadata.get("namespace") == rule["namespace"] and metadata["name"] in rule.get("names", [])


def _controllers(item: Json) -> list[str]:
    return [owner["uid"] for owner in item["metadata"].get("ownerReferences", []) if owner.get("controller")]


def _group(item: Json) -> str:
    return f"{item['kind']}.{item['apiVersion']}"


def _grouped(objects: Iterable[Json], kinds: Iterable[type[Object]]) -> Grouped:
    groups: Grouped = {kind.group(): {} for kind in kinds}
    for item in objects:
        metadata = item["metadata"]
        groups.setdefault(_group(item), {})[f"{metadata['namespace']}/{metadata['name']}"] = item
    return groups
