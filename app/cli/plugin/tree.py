"""A MyResource with its children, their ReplicaSets and Pods: who controls whom, by the owner references."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from app.cli.plugin.state import rank, state
from app.cli.wrapping import table
from metahook.commands import controller_of

Json = dict[str, Any]

_REVISION = "deployment.kubernetes.io/revision"


@dataclass(frozen=True)
class Node:
    """An object, and the objects that it controls."""

    item: Json
    controlled: tuple["Node", ...]

    def items(self) -> Iterator[Json]:
        """Yield the object and all below it."""
        yield self.item
        for node in self.controlled:
            yield from node.items()


def tree(root: Json, objects: Sequence[Json]) -> Node:
    """Return *root* with those of *objects* that it controls, and what these control."""
    controlled = [item for item in objects if controller_of(item) == root["metadata"]["uid"]]
    return Node(root, tuple(tree(item, objects) for item in sorted(controlled, key=_order)))


def text(root: Node, objects: Sequence[Json]) -> str:
    """Return the tree, and below it those of *objects* that are not in it: they have only the label of its Pods."""
    members = {item["metadata"]["uid"] for item in root.items()}
    foreign = sorted((item for item in objects if item["metadata"]["uid"] not in members), key=_order)
    drawn = table([("OBJECT", "STATE"), *_rows(root)])
    if not foreign:
        return drawn
    title = f"Not its children, but with the label myresource={root.item['metadata']['name']}:"
    return "\n".join(
        [drawn, "", title, "", table([("OBJECT", "STATE"), *((_name(item), state(item)) for item in foreign)])]
    )


def _rows(node: Node, first: str = "", rest: str = "") -> Iterator[tuple[str, str]]:
    """Yield the object and its state, for *node* and all below it; *first* and *rest* are drawn before their lines."""
    yield f"{first}{_name(node.item)}", state(node.item)
    shown = [below for below in node.controlled if not _is_old(below, node)]
    for below in shown:
        is_last = below is shown[-1]
        yield from _rows(below, f"{rest}{'`-- ' if is_last else '|-- '}", f"{rest}{'    ' if is_last else '|   '}")


def _is_old(node: Node, owner: Node) -> bool:
    """Return whether *node* is a ReplicaSet that a rollback would use: it has no Pods, and is not the newest one."""
    is_empty = not node.controlled and not node.item["spec"].get("replicas")
    return node.item["kind"] == "ReplicaSet" and is_empty and node is not owner.controlled[0]


def _order(item: Json) -> tuple[int, int, str]:
    """Return the sort key: the kind, of ReplicaSets the newest first, the name."""
    revision = item["metadata"].get("annotations", {}).get(_REVISION, "0") if item["kind"] == "ReplicaSet" else "0"
    return rank(item["kind"]), -int(revision), item["metadata"]["name"]


def _name(item: Json) -> str:
    return f"{item['kind']}/{item['metadata']['name']}"
