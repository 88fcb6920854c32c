"""The removal of leftovers: the kubectl command that a message names. For built-in kinds it is a strategic merge patch.

Such a patch names items of lists by their keys, so it does not depend on their places, and running it twice does no
harm. The API server takes none for custom resources: there it is a merge patch, which can't delete items of lists.
"""

import json
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from metahook.protocol.leftovers import Key, Path
from metahook.protocol.managed_fields import APPLIER
from metahook.protocol.manifest import Manifest

Json = dict[str, Any]

Tree = dict[str | Key, Any]
"""The fields to remove: step by step, and None where one ends."""

_ROOM = 700
"""Characters for the command. It removes as many fields as fit; the status after it names the rest."""

_NAMED = 3
"""Fields that the message names beside the command."""

_LONGEST = 160
"""Characters for these names."""

_UNIONS = (
    {"type", "rollingUpdate"},
    {"sessionAffinity", "sessionAffinityConfig"},
    {"value", "valueFrom"},
    {"configMapKeyRef", "fieldRef", "fileKeyRef", "resourceFieldRef", "secretKeyRef"},
    {"exec", "grpc", "httpGet", "tcpSocket"},
    {"configMap", "emptyDir", "persistentVolumeClaim", "projected", "secret"},
)
"""Fields that exclude or need one another: the API server refuses, or restores, one that is removed by itself."""


@dataclass(frozen=True)
class Removal:
    """The words for what is to be removed: some of the ``fields``, and the ``command``."""

    fields: str
    command: str


def removal(desired: Manifest, leftovers: list[Path], namespace: str) -> Removal:
    """Return the removal of *leftovers* from the child of the kind and name of *desired* in *namespace*."""
    named = ", ".join(map(format_path, leftovers[:_NAMED]))[:_LONGEST]
    return Removal(named + (" and others" if len(leftovers) > _NAMED else ""), _command(desired, leftovers, namespace))


def _command(desired: Manifest, leftovers: list[Path], namespace: str) -> str:
    """Return the command that removes the first of *leftovers*: as many as there is room for."""
    group = _custom_group(desired)
    target = f"{desired['kind'].lower()}{group and '.'}{group} {desired['metadata']['name']} -n {namespace}"
    command = f"kubectl edit {target}"
    if group and any(isinstance(step, tuple) for path in leftovers for step in path):
        return command
    kind_of_patch = " --type=merge" if group else ""
    for count in range(1, len(leftovers) + 1):
        patch = json.dumps(_patch(_tree(leftovers[:count]), desired), separators=(",", ":"), ensure_ascii=False)
        longer = f"kubectl patch {target}{kind_of_patch} --field-manager={APPLIER} -p {shlex.quote(patch)}"
        if len(longer) > _ROOM:
            break
        command = longer
    return command


def _custom_group(desired: Manifest) -> str:
    """Return the API group of *desired* if it is that of custom resources, else nothing.

    It has a dot: the groups of built-in kinds have none, or end in ``.k8s.io``.
    """
    group, slash, _ = desired["apiVersion"].partition("/")
    return group if slash and "." in group and not group.endswith(".k8s.io") else ""


def format_path(path: Path) -> str:
    """Return *path* as a message names it, such as ``spec.template.spec.containers[main].args``."""
    steps = (f".{step}" if isinstance(step, str) else f"[{step[0][1]}]" for step in path)
    return "".join(steps).removeprefix(".")


def _tree(leftovers: Iterable[Path]) -> Tree:
    tree: Tree = {}
    for *outer, last in leftovers:
        node = tree
        for step in outer:
            node = node.setdefault(step, {})
        node[last] = None
    return tree


def _patch(tree: Tree, desired: object) -> Json | list[Json]:
    """Return the patch that removes the fields of *tree* from what is *desired*."""
    keys = [key for key in tree if isinstance(key, tuple)]
    if keys:
        items = [item for item in desired if isinstance(item, dict)] if isinstance(desired, list) else []
        return [part for key in keys for part in _items(dict(key), tree[key], items)]
    return _fields(tree, desired if isinstance(desired, dict) else {})


def _fields(tree: Tree, desired: Json) -> Json:
    removed = {field for field, inner in tree.items() if inner is None}
    related = {field for group in _UNIONS if group & removed for field in group & desired.keys() - tree.keys()}
    fields = {str(field): inner and _patch(inner, desired.get(str(field))) for field, inner in tree.items()}
    return {**fields, **{field: desired[field] for field in sorted(related)}}


def _items(key: Json, tree: Tree | None, desired: list[Json]) -> Iterator[Json]:
    """Yield the patch of the item with this *key*.

    Where one is deleted, those that the patch takes for the same (a port of another protocol) are set again.
    """
    if tree is not None:
        item = next((item for item in desired if key.items() <= item.items()), None)
        yield {**key, **_fields(tree, item or {})}
        return
    yield {**key, "$patch": "delete"}
    merge_key, value = next(iter(key.items()))
    yield from (item for item in desired if item.get(merge_key) == value)
