"""The removal of fields: the kubectl command that a message names. For built-in kinds it is a strategic merge patch.

Such a patch names items of lists by their keys, so it does not depend on their places, and running it twice does no
harm. The API server takes none for custom resources: there it is a merge patch, which can't delete items of lists.
"""

import json
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from metahook.protocol.drift.leftovers import Key, Path, format_path
from metahook.protocol.objects.manifest import Manifest, identity_of
from metahook.protocol.objects.plain_json import Json
from metahook.protocol.observed.children import Children
from metahook.protocol.observed.managed_fields import APPLIER

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
    {"exec", "grpc", "httpGet", "sleep", "tcpSocket"},
    {"configMap", "emptyDir", "persistentVolumeClaim", "projected", "secret"},
)
"""Fields that exclude or need one another: the API server refuses, or restores, one that is removed by itself."""


@dataclass(frozen=True)
class Removal:
    """The words for what is to be removed: some of the ``fields``, and the ``command``."""

    fields: str
    command: str


def removal(desired: Manifest, paths: list[Path], children: Children, room: int = _ROOM) -> Removal:
    """Return the removal of *paths* from the one of *children* that has the kind and name of *desired*.

    The command has at most *room* characters.
    """
    named = ", ".join(map(format_path, paths[:_NAMED]))[:_LONGEST]
    return Removal(named + (" and others" if len(paths) > _NAMED else ""), _command(desired, paths, children, room))


def _command(desired: Manifest, paths: list[Path], children: Children, room: int) -> str:
    """Return the command that removes the first of *paths*: as many as there is room for."""
    group = _custom_group(desired)
    _, namespace, name = identity_of(desired, children.namespace)
    place = f" -n {namespace}" if namespace else ""
    target = f"{desired['kind'].lower()}{group and '.'}{group} {name}{place}"
    command = f"kubectl edit {target}"
    if group and any(isinstance(step, tuple) for path in paths for step in path):
        return command
    kind_of_patch = " --type=merge" if group else ""
    ports = _missing_ports(desired, children) if any(map(_is_port, paths)) else []
    for count in range(1, len(paths) + 1):
        patch = _patch(_tree(paths[:count]), desired)
        if ports and not any(map(_is_port, paths[count:])):
            patch["spec"]["ports"] += [port for port in ports if port not in patch["spec"]["ports"]]
        text = json.dumps(patch, separators=(",", ":"), ensure_ascii=False)
        longer = f"kubectl patch {target}{kind_of_patch} --field-manager={APPLIER} -p {shlex.quote(text)}"
        if len(longer) > room:
            break
        command = longer
    return command


def _is_port(path: Path) -> bool:
    """Tell whether *path* is a port of a Service, as a whole."""
    match path:
        case ("spec", "ports", tuple()):
            return True
    return False


def _missing_ports(desired: Manifest, children: Children) -> list[Json]:
    """Return the ports of a desired Service that the observed one lacks, or has under other names.

    They are set together with the removal of the last others: the API server refuses a Service without ports. Nor does
    it add a port while another one has its name, so that Metacontroller could not set them before.
    """
    child = children.find(desired)
    spec = (child and child.content.get("spec")) or {}
    observed = {_named_port(port) for port in spec.get("ports") or [] if isinstance(port, dict)}
    wanted = desired.get("spec", {}).get("ports") or []
    return [port for port in wanted if _named_port(port) not in observed]


def _named_port(port: Json) -> tuple[Any, ...]:
    return port.get("port"), port.get("protocol", "TCP"), port.get("name")


def _custom_group(desired: Manifest) -> str:
    """Return the API group of *desired* if it is that of custom resources, else nothing.

    It has a dot: the groups of built-in kinds have none, or end in ``.k8s.io``.
    """
    group, slash, _ = desired["apiVersion"].partition("/")
    return group if slash and "." in group and not group.endswith(".k8s.io") else ""


def _tree(leftovers: Iterable[Path]) -> Tree:
    tree: Tree = {}
    for *outer, last in leftovers:
        node = tree
        for step in outer:
            node = node.setdefault(step, {})
        node[last] = None
    return tree


def _patch(tree: Tree, desired: object) -> Any:  # noqa: ANN401 - an object, or a list of them
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
