"""Strategies for what Metacontroller may show: children as they were made, changed since, or gone; earlier statuses."""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from hypothesis import strategies as st

from app.core.desired.children import OPTIONAL_CHILDREN
from metahook.protocol.request_builder import Grouped, sync_request
from metahook.simulator.apiserver.server_side_apply import managed_fields
from metahook.simulator.metacontroller.children import with_last_applied
from tests.requests.builders import EARLIER_TEXT, KINDS, NOW_TEXT, grouped, owned, rolled_out, sync
from tests.requests.watched_objects import ALL, WATCH, related
from tests.strategies.my_resources import parents
from tests.strategies.primitives import ABSENT, Json, Strategy, mixtures, variants

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


@dataclass(frozen=True)
class Situation:
    """All that a sync request holds."""

    parent: Json
    children: tuple[Json, ...] = ()
    related: Grouped | None = None

    def body(self) -> bytes:
        """Return the request."""
        return sync_request(self.parent, grouped(*self.children), self.related or {})

    def child(self, kind: str, name: str) -> Json | None:
        """Return the child of *kind* called *name*, or None."""
        found = (item for item in self.children if (item["kind"], item["metadata"]["name"]) == (kind, name))
        return next(found, None)


def as_made(child: Json, parent: Json, record: str) -> Json:
    """Return *child* as it is in the cluster once Metacontroller made it; *record* says what tells of that."""
    marked = owned(child, parent, managedFields=[])
    if record == "last-applied":
        return with_last_applied(marked, child)
    if record == "managed-fields":
        return {
            **marked,
            "metadata": {
                **marked["metadata"],
                "managedFields": managed_fields({**child, "metadata": marked["metadata"]}),
            },
        }
    return marked


_COUNTS = [ABSENT, 0, 1, 2, 3]
_CONDITIONS = [
    ABSENT,
    [],
    *([condition] for condition in variants(type=["Available", "ReplicaFailure"], status=["True", "False"])),
    [{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}],
    [{"type": "Progressing", "status": "False"}, {"type": "Available", "status": "True"}],
]
_COUNTED = variants(
    observedGeneration=_COUNTS[:4],
    replicas=_COUNTS,
    updatedReplicas=_COUNTS,
    availableReplicas=_COUNTS,
    conditions=_CONDITIONS,
)
_NEARLY = [*variants(observedGeneration=[0, 1]), *variants(replicas=[0, 9]), *variants(updatedReplicas=[ABSENT, 0, 1])]
_rollouts: Strategy[Json | None] = st.one_of(
    st.just({}), st.just({}), st.none(), st.sampled_from(_NEARLY), st.sampled_from(_COUNTED)
)
"""None: no status yet. Otherwise what differs from a finished rollout."""


def _rolling(deployment: Json, different: Json | None) -> Json:
    if different is None or "spec" not in deployment:
        return deployment
    done = rolled_out(deployment)
    return {**done, "status": {**done["status"], **different}}


_EARLIER_SPECS: list[Change] = [
    *[lambda spec: spec] * 7,
    lambda spec: {**spec, "image": "older:1"},
    lambda spec: {**spec, "replicas": 5},
    lambda spec: {**spec, "args": ["--since-removed"]},
    lambda spec: {**spec, "env": [{"name": "SINCE_REMOVED", "value": "1"}]},
    lambda spec: {**spec, "ports": [{"containerPort": 7}]},
]
_times = [EARLIER_TEXT, NOW_TEXT, "2026-01-31T11:59:50Z", "2026-01-31T13:00:00+01:00", "once"]
_REMEMBERED = variants(
    type=["Ready", "Available", "Progressing", "Stalled"],
    status=["True", "False", "Unknown"],
    reason=["Before"],
    message=["before"],
    observedGeneration=[1, 2, 3],
    lastTransitionTime=_times,
)
_remembered = st.builds(
    lambda state, conditions: {"state": state, "conditions": conditions},
    st.sampled_from(["Building", "Ready", "Degraded", "Failed"]),
    st.lists(st.sampled_from(_REMEMBERED), max_size=3),
)
_garbage = st.sampled_from(
    [
        {"conditions": "none"},
        {"state": 5, "conditions": [None, 1, {"type": "Ready"}]},
        {"conditions": {"Ready": "True"}, "replicas": "many"},
        {"conditions": [{"type": "Ready", "status": True, "lastTransitionTime": 7}], "else": {"a": [1]}},
    ]
)
statuses: Strategy[Json | None] = st.one_of(st.none(), _remembered, _remembered, _garbage)
"""Statuses from before: none, one of ours, or garbage."""


_TAKEN = ("foreign", "of another controller")
_OPTIONAL = tuple(child.kind.KIND.kind for child in OPTIONAL_CHILDREN)
_MIXED = mixtures(
    earlier=_EARLIER_SPECS,
    behind=[0] * 5 + [1],
    record=["last-applied", "managed-fields", "none"],
    missing=[()] * 17 + [("Deployment",), ("Service",), ("Deployment", "Service")],
    generation=[1, 2, 3],
    stray=[False, False, False, True],
    holder=["not asked", "nobody", "nobody", "ours", *_TAKEN],
    watched=["there"] * 3 + ["changed", "missing", "not asked"],
    deleting=[False] * 9 + [True],
)
_decisions = st.fixed_dictionaries(
    {
        "rollout": _rollouts,
        "deployment": disturbances(DEPLOYMENT_CHANGES),
        "service": disturbances(SERVICE_CHANGES),
        "status": statuses,
        "mixed": st.sampled_from(_MIXED),
    }
)


def situations(parent: Strategy[Json] | None = None) -> Strategy[Situation]:
    """What a sync may be asked: any parent, with any children and related objects."""
    return st.builds(_situation, parents() if parent is None else parent, _decisions)


def _situation(parent: Json, decided: Json) -> Situation:
    """Return the situation of *parent* of which all is *decided*."""
    decided = {**decided, **decided["mixed"]}
    generation = max(1, parent["metadata"]["generation"] - decided["behind"])
    earlier = decided["earlier"](parent["spec"])
    before = {**parent, "spec": earlier, "metadata": {**parent["metadata"], "generation": generation}}
    missing = {*decided["missing"], *(_OPTIONAL if decided["holder"] in _TAKEN else ())}
    answer = sync(before, related=related(*ALL), watch=WATCH)
    made = [as_made(child, before, decided["record"]) for child in answer["children"]]
    children = [_as_seen(child, decided) for child in made if child["kind"] not in missing]
    shown = {**parent, "status": decided["status"]} if decided["status"] else parent
    if decided["deleting"]:
        shown = changed(shown, NOW_TEXT, "metadata", "deletionTimestamp")
    others = [owned(_foreign("Deployment", "stray", parent), parent)] if decided["stray"] else []
    seen = {**_WATCHED[decided["watched"]], **_related(decided["holder"], children, shown)}
    return Situation(shown, (*children, *others), seen)


_CHANGED = [{**item, "data": {**item["data"], "a": "bmV3"}} for item in ALL if "data" in item]
_WATCHED: dict[str, Grouped] = {
    "there": related(*ALL),
    "changed": related(*_CHANGED),
    "missing": related(),
    "not asked": {},
}
"""What is observed of the configuration and the dependencies of a parent."""


def _as_seen(child: Json, decided: Json) -> Json:
    seen = child
    if child["kind"] == "Deployment":
        seen = _rolling(changed(seen, decided["generation"], "metadata", "generation"), decided["rollout"])
    for change in decided.get(child["kind"].lower(), ()):
        seen = change(seen)
    return seen


def _foreign(kind: str, name: str, parent: Json) -> Json:
    metadata = {"name": name, "namespace": parent["metadata"]["namespace"], "uid": "somebody"}
    return {"apiVersion": KINDS[kind].KIND.api_version, "kind": kind, "metadata": metadata}


def _related(holder: str, children: list[Json], parent: Json) -> Grouped:
    """Return the related objects when *holder* has the names that our optional children would have."""
    if holder == "not asked":
        return {}
    foreign = [_foreign(kind, parent["metadata"]["name"], parent) for kind in _OPTIONAL]
    other = {**parent, "metadata": {**parent["metadata"], "uid": "other"}}
    found = {
        "nobody": [],
        "ours": [child for child in children if child["kind"] in _OPTIONAL],
        "foreign": foreign,
        "of another controller": [owned(each, other) for each in foreign],
    }
    return grouped(*found[holder], kinds=_OPTIONAL)
