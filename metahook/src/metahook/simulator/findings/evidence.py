"""What findings are read from: a history, whose responses are decoded once, and the results that they claim.

A response that claims Ready is compared with the children that its request shows.
"""

import json
from collections.abc import Iterator
from functools import cached_property

import msgspec
from msgspec import UNSET

from metahook.protocol.objects import MERGE_KEYS, changes
from metahook.protocol.request_builder import Api, controller_of
from metahook.simulator.apiserver.stored_object import stored_object
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.history import Call, Entry, History, Write
from metahook.simulator.hook import Reply
from metahook.simulator.metacontroller.children import merge
from metahook.simulator.metacontroller.response import Crash, InvalidResponse, Response, read_sync
from metahook.simulator.metacontroller.settings import LABEL, STRICT, HookSettings
from metahook.simulator.objects import Json, Key, labels, to_json, with_metadata


class AnsweredSync(msgspec.Struct, frozen=True):
    """A sync or finalize with a usable response: the parent, the children that it observed, and those desired.

    ``generation`` changes with what the user asks for; for a decorated object this is all but its status. ``ready`` is
    the status of the condition Ready in the response, or True for the state or phase Ready, or if ``ready`` is true.
    ``groups`` are those of the kinds of children that the controller lists.
    """

    at: float
    key: Key
    uid: str
    generation: int | str
    children: dict[Key, Json]
    observed: dict[Key, Json]
    ready: str | None
    call: Call
    response: Response
    groups: frozenset[str] = frozenset()
    finalizing: bool = False

    @property
    def resources(self) -> str:
        """The field of the controller that lists the kinds of children."""
        return "attachments" if "object" in json.loads(self.call.request) else "childResources"

    def listed(self) -> Iterator[tuple[Key, Json]]:
        namespace = self.call.parent["metadata"].get("namespace", "")
        return ((_key(child, namespace), child) for child in self.response.children)

    @property
    def keys(self) -> set[Key]:
        return set(self.children)

    def owns(self, item: Json | None) -> bool:
        """Tell whether the parent of this sync controls *item*, or *item* has its label."""
        if item is None:
            return False
        return self.uid in (controller_of(item), labels(item).get(LABEL))


def answered_sync(call: Call) -> AnsweredSync | None:
    """Return *call*, of the hook sync or finalize, if it has a usable response, or None."""
    if call.status != _OK:
        return None
    request = msgspec.json.decode(call.request)
    is_decorator = "object" in request
    response = _read(call, request, "decorator" if is_decorator else "composite")
    if response is None:
        return None
    parent, groups = (request[name] for name in (_DECORATOR if is_decorator else _COMPOSITE))
    metadata = parent["metadata"]
    namespace = metadata.get("namespace", "")
    return AnsweredSync(
        call.at,
        call.key,
        metadata["uid"],
        _without_status(parent) if is_decorator else metadata["generation"],
        {_key(child, namespace): child for child in response.children},
        {_key(item, ""): item for group in groups.values() for item in group.values()},
        _ready(response.status or {}),
        call,
        response,
        frozenset(groups),
        call.hook == "finalize",
    )


_OK = 200
_COMPOSITE = ("parent", "children")
_DECORATOR = ("object", "attachments")


def _without_status(parent: Json) -> str:
    """Return what a user sets in *parent*, as text."""
    metadata = with_metadata(parent, resourceVersion=None, managedFields=None, finalizers=None)
    return to_json({name: value for name, value in metadata.items() if name != "status"})


def first_missing_field(new: object, old: object, path: str) -> str | None:
    """Return the path of the first field of *old*, or item of a list with merge keys, that *new* lacks, or None."""
    return next((change.path for change in changes(old, new, path, keys=MERGE_KEYS) if change.new is UNSET), None)


WORKLOADS = ("Deployment", "StatefulSet")
"""The kinds whose status says whether their Pods follow their spec."""


def unmet_claim(sync: AnsweredSync, kinds: tuple[str, ...] = ()) -> str | None:
    """Return why *sync* should not claim Ready: a child that differs, or is not rolled out; None if there is none.

    Only children of *kinds* count, if there are some.
    """
    for key, child in sync.children.items():
        if kinds and key.kind not in kinds:
            continue
        observed = sync.observed.get(key)
        if observed is None:
            return f"{key} does not exist"
        full = _full(child, observed)
        if full is None or to_json(merge(observed.get("spec"), {}, full.get("spec", {}))) != to_json(
            observed.get("spec", {})
        ):
            return f"{key} differs from the response"
        if key.kind in WORKLOADS and not _is_rolled_out(observed, _least_replicas(key, sync)):
            return f"{key} is not rolled out"
    return None


def _full(child: Json, observed: Json) -> Json | None:
    """Return *child* as it is stored in place of *observed*, or None if it is refused."""
    kept = {name: observed["spec"][name] for name in _SCALED if name in observed.get("spec", {})}
    try:
        spec = {"spec": {**kept, **child["spec"]}} if "spec" in child else {}
        return stored_object({**child, "metadata": observed["metadata"], **spec}) if spec else child
    except ApiError:
        return None


_SCALED = ("replicas",)
"""Fields that an autoscaler sets, and that a response may leave out."""


def _least_replicas(deployment: Key, sync: AnsweredSync) -> int | None:
    """Return the least number of Pods of an autoscaler in the response that scales *deployment*, if it has one."""
    specs = [child["spec"] for key, child in sync.children.items() if key.kind == "HorizontalPodAutoscaler"]
    targets = {spec["scaleTargetRef"]["name"]: spec.get("minReplicas", 1) for spec in specs}
    return targets.get(deployment.name)


def _is_rolled_out(workload: Json, least: int | None) -> bool:
    """Tell whether all Pods are updated and available; with an autoscaler, the *least* Pods that it keeps.

    Of a StatefulSet they are ready: its update strategy may leave Pods as they are.
    """
    status, desired = workload.get("status", {}), workload["spec"].get("replicas", 1)
    updated, available = (status.get(name, 0) for name in ("updatedReplicas", "availableReplicas"))
    if least is not None and desired:  # an autoscaler changes no 0
        return bool(updated == status.get("replicas", 0) and available >= least)
    is_observed = status.get("observedGeneration") == workload["metadata"]["generation"]
    done = min(updated, available) if workload["kind"] == "Deployment" else status.get("readyReplicas", 0)
    return bool(is_observed and done >= desired)


def _ready(status: Json) -> str | None:
    conditions = status.get("conditions")
    found = [item for item in conditions if isinstance(item, dict)] if isinstance(conditions, list) else []
    is_ready = "Ready" in (status.get("state"), status.get("phase")) or status.get("ready") is True
    return next((item.get("status") for item in found if item.get("type") == "Ready"), "True" if is_ready else None)


def _key(item: Json, namespace: str) -> Key:
    metadata = item["metadata"]
    return Key(item["kind"], metadata.get("namespace") or namespace, metadata.get("name") or "")


def _read(call: Call, request: Json, api: Api) -> Response | None:
    """Return the response of *call*; None if Metacontroller can't use it."""
    hooks = ((request.get("controller") or {}).get("spec") or {}).get("hooks") or {}
    settings = HookSettings.read(hooks[call.hook]) if hooks.get(call.hook) else STRICT
    try:
        return read_sync(Reply(_OK, call.response), settings, api)
    except (InvalidResponse, Crash):
        return None


Occurrence = tuple[Key, float, str]
"""The object, the time, and what happened to it."""


class Evidence(msgspec.Struct, dict=True):
    """A *history*, and the syncs in it that have a usable response."""

    history: History

    @cached_property
    def _answered(self) -> dict[int, AnsweredSync]:
        calls = ((place, entry) for place, entry in enumerate(self.history.entries) if isinstance(entry, Call))
        found = ((place, answered_sync(call)) for place, call in calls if call.hook in ("sync", "finalize"))
        return {place: sync for place, sync in found if sync is not None}

    @property
    def syncs(self) -> list[AnsweredSync]:
        """The syncs with a usable response, in order."""
        return list(self._answered.values())

    def entries(self) -> Iterator[tuple[Entry, AnsweredSync | None]]:
        """Yield all entries, and the sync that a call with a usable response is."""
        answered = self._answered
        for place, entry in enumerate(self.history.entries):
            yield entry, answered.get(place)

    @cached_property
    def parents(self) -> frozenset[Key]:
        """The parents for which a hook was called, or could not be."""
        return frozenset(entry.key for entry in self.history.entries if not isinstance(entry, Write))
