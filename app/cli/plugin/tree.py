"""A MyResource with its children, their ReplicaSets and Pods: who controls whom, by the owner references."""

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from app import Json
from app.cli.wrapping import table
from metahook.commands import controller_of

_REVISION = "deployment.kubernetes.io/revision"


class Node(Struct, frozen=True):
    """An object, and the objects that it controls."""

    item: Json
    controlled: tuple["Node", ...]

    def items(self) -> Iterator[Json]:
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


def state(item: Json) -> str:
    if item["metadata"].get("deletionTimestamp"):
        return "Terminating"
    describe = _BY_KIND.get(item["kind"], _other)
    return describe(item, item.get("status", {}))


def rank(kind: str) -> int:
    """Return the place of *kind* among others in a tree: that of ``_BY_KIND``; one that is not there is the last."""
    return [*_BY_KIND, kind].index(kind)


def ready_condition(item: Json) -> Json | None:
    return next((found for found in _conditions(item) if found["type"] == "Ready"), None)


def is_true(item: Json, condition: str) -> bool:
    return any((found["type"], found["status"]) == (condition, "True") for found in _conditions(item))


def is_stale(item: Json) -> bool:
    """Return whether the status of a MyResource is about a previous spec."""
    return bool(item["status"].get("observedGeneration") != item["metadata"]["generation"])


def is_settled(item: Json) -> bool | None:
    """Return whether a MyResource is Ready (True), or Stalled or suspended (False), with its current spec.

    Return None if it is none of these.
    """
    if ready_condition(item) is None or is_stale(item):
        return None
    if is_true(item, "Ready"):
        return True
    return False if is_true(item, "Stalled") or item["status"].get("state") == "Suspended" else None


def _conditions(item: Json) -> list[Json]:
    found: list[Json] = item.get("status", {}).get("conditions", [])
    return found


def _my_resource(item: Json, status: Json) -> str:
    ready = ready_condition(item)
    if ready is None:
        return "no status yet"
    stale = ", of the previous spec" if is_stale(item) else ""
    return f"{status.get('state', '')} ({ready['reason']}){stale}"


def _deployment(item: Json, status: Json) -> str:
    desired, updated = item["spec"].get("replicas", 1), status.get("updatedReplicas", 0)
    parts = [f"{status.get('availableReplicas', 0)} of {desired} available"]
    parts += [f"{updated} updated"] if updated != desired else []
    parts += ["paused"] if item["spec"].get("paused") else []
    return ", ".join(parts)


def _replica_set(item: Json, status: Json) -> str:
    return f"{status.get('readyReplicas', 0)} of {item['spec'].get('replicas', 1)} ready"


def _service(item: Json, _: Json) -> str:
    ports = (f"{port['port']}/{port.get('protocol', 'TCP')}" for port in item["spec"].get("ports", []))
    return " ".join([item["spec"].get("type", "ClusterIP"), ",".join(ports)]).rstrip()


def _autoscaler(item: Json, status: Json) -> str:
    spec = item["spec"]
    return f"{status.get('desiredReplicas', 0)} desired, from {spec.get('minReplicas', 1)} to {spec['maxReplicas']}"


def _budget(_: Json, status: Json) -> str:
    return f"{status.get('disruptionsAllowed', 0)} of {status.get('expectedPods', 0)} may be evicted"


def _ingress(item: Json, status: Json) -> str:
    hosts = ", ".join(rule["host"] for rule in item["spec"].get("rules", []) if "host" in rule)
    return hosts if status.get("loadBalancer", {}).get("ingress") else f"{hosts}, not yet admitted"


def _http_route(item: Json, _: Json) -> str:
    return ", ".join(item["spec"].get("hostnames", []))


def _pod(_: Json, status: Json) -> str:
    containers = status.get("containerStatuses", [])
    every = [*status.get("initContainerStatuses", []), *containers]
    causes = [cause for container in every if (cause := _cause(container))]
    restarts = sum(container.get("restartCount", 0) for container in every)
    parts = [causes[0] if causes else status.get("reason") or status.get("phase", "Pending")]
    parts += [f"{sum(container['ready'] for container in containers)} of {len(containers)} ready"] if containers else []
    parts += [f"{restarts} restart{'s' if restarts > 1 else ''}"] if restarts else []
    return ", ".join(parts)


def _cause(container: Json) -> str:
    """Return why a container does not run; empty if it runs, or has done its work."""
    now = container.get("state", {})
    if "waiting" in now:
        return str(now["waiting"].get("reason", "Waiting"))
    ended = now.get("terminated", {})
    return str(ended.get("reason", "Error")) if ended.get("exitCode") else ""


def _other(_: Json, status: Json) -> str:
    """Return what most kinds have: a phase, or a condition Ready or Available."""
    ready = (f"{each['type']} is {each['status']}" for each in status.get("conditions", []) if each["type"] in _TELLING)
    return str(status.get("phase") or next(ready, ""))


_TELLING = ("Ready", "Available")

_BY_KIND: dict[str, Callable[[Json, Json], str]] = {
    "MyResource": _my_resource,
    "Deployment": _deployment,
    "Service": _service,
    "HorizontalPodAutoscaler": _autoscaler,
    "PodDisruptionBudget": _budget,
    "Ingress": _ingress,
    "HTTPRoute": _http_route,
    "ReplicaSet": _replica_set,
    "Pod": _pod,
}
"""What is said of kinds with words of their own, in the order in which a tree shows them."""
