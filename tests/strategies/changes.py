"""What may have happened to a child since it was made: changes by hand, by other controllers, by the API server."""

import copy
from collections.abc import Callable
from itertools import permutations
from typing import Any

from hypothesis import strategies as st

from tests.requests.builders import NOW_TEXT
from tests.strategies.primitives import Json, Strategy

Change = Callable[[Json], Json]


def changed(item: Json, value: Any, *path: str | int) -> Json:
    """Return *item* with *value* at *path*; None takes away what is there."""
    made = copy.deepcopy(item)
    node: Any = made
    for step in path[:-1]:
        node = node.setdefault(step, {}) if isinstance(node, dict) else node[step]
    if value is None:
        node.pop(path[-1], None)
    else:
        node[path[-1]] = value
    return made


def _change(value: Any, *path: str | int) -> Change:
    return lambda item: changed(item, value, *path)


def _with_sidecar(deployment: Json) -> Json:
    containers = deployment["spec"]["template"]["spec"]["containers"]
    return changed(deployment, [{"name": "proxy", "image": "proxy:1"}, *containers], *_POD, "containers")


_POD = ("spec", "template", "spec")
_BOTH: dict[str, Change] = {
    "deleting": _change(NOW_TEXT, "metadata", "deletionTimestamp"),
    "a label of ours gone": _change(None, "metadata", "labels", "app.kubernetes.io/name"),
    "a label of ours changed": _change("mine", "metadata", "labels", "myresource"),
    "all labels gone": _change(None, "metadata", "labels"),
    "another client's label": _change("payments", "metadata", "labels", "team"),
    "another client's annotation": _change("x", "metadata", "annotations", "example.com/note"),
    "not yet owned": _change(None, "metadata", "ownerReferences"),
    "without a spec": _change(None, "spec"),
}
DEPLOYMENT_CHANGES: dict[str, Change] = {
    **_BOTH,
    "scaled by hand": _change(7, "spec", "replicas"),
    "another image": _change("somebody/else:1", *_POD, "containers", 0, "image"),
    "privileges allowed": _change({"allowPrivilegeEscalation": True}, *_POD, "containers", 0, "securityContext"),
    "a sidecar": _with_sidecar,
    "restarted by kubectl": _change(NOW_TEXT, "spec", "template", "metadata", "annotations", "kubectl.kubernetes.io/r"),
    "the mark gone": _change(None, "metadata", "annotations", "mygroup.example.com/applied"),
    "another's mark": _change("1-00000000", "metadata", "annotations", "mygroup.example.com/applied"),
    "no containers": _change([], *_POD, "containers"),
}
SERVICE_CHANGES: dict[str, Change] = {
    **_BOTH,
    "another selector": _change({"app": "other"}, "spec", "selector"),
    "another type": _change("ExternalName", "spec", "type"),
}


def disturbances(changes: dict[str, Change]) -> Strategy[tuple[Change, ...]]:
    """Mostly nothing, sometimes one or two of *changes*."""
    made = list(changes.values())
    pairs = list(permutations(made, 2))[:: len(made) // 2]
    quiet: list[tuple[Change, ...]] = [()] * (2 * len(made))
    return st.sampled_from([*quiet, *((change,) for change in made), *pairs])
