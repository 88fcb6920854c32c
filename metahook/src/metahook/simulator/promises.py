"""What a hook's answers promised, and whether what it was shown bears them out."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from metahook.simulator.apiserver.rules import Refused
from metahook.simulator.apiserver.stored import stored
from metahook.simulator.history import History
from metahook.simulator.hook import Reply
from metahook.simulator.metacontroller.answer import Answer, BadAnswer, Crash, read_sync
from metahook.simulator.metacontroller.dynamic_apply import merge
from metahook.simulator.objects import Json, Key, controller_of, text


@dataclass(frozen=True)
class Answered:
    """A sync that was answered with 200: who asked, what it was shown, and what it promised."""

    at: float
    key: Key
    uid: str
    generation: int
    children: dict[Key, Json]
    shown: dict[Key, Json]
    ready: str | None

    @property
    def keys(self) -> set[Key]:
        """Which children the answer lists."""
        return set(self.children)

    def owns(self, item: Json | None) -> bool:
        """Tell whether the parent of this sync controls *item*, or its label says so."""
        if item is None:
            return False
        return self.uid in (controller_of(item), item["metadata"].get("labels", {}).get("controller-uid"))


def answers(history: History) -> Iterator[Answered]:
    """Yield the syncs of *history* that were answered."""
    for call in history.calls():
        answer = _read(call.answer) if call.status == 200 else None
        if answer is not None:
            request = json.loads(call.request)
            metadata = request["parent"]["metadata"]
            namespace = metadata["namespace"]
            shown = [item for group in request["children"].values() for item in group.values()]
            yield Answered(
                call.at,
                call.key,
                metadata["uid"],
                metadata["generation"],
                {_key(child, namespace): child for child in answer.children},
                {_key(item, namespace): item for item in shown},
                _ready(answer.status),
            )


def lacks(new: object, old: object, path: str) -> str | None:
    """Return the path of the first field that *old* has and *new* lacks, or None. Items of lists are not compared."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return None
    for name, value in old.items():
        if name not in new:
            return f"{path}.{name}"
        found = lacks(new[name], value, f"{path}.{name}")
        if found:
            return found
    return None


def unfinished(answer: Answered) -> str | None:
    """Return why what *answer* was shown is not what it asks for, or not rolled out; None if it is."""
    for key, child in answer.children.items():
        seen = answer.shown.get(key)
        if seen is None:
            return f"{key} is not there"
        full = _full(child, seen)
        if full is None or text(merge(seen.get("spec"), {}, full.get("spec", {}))) != text(seen.get("spec", {})):
            return f"{key} is not as the answer says"
        if key.kind == "Deployment" and not _rolled_out(seen):
            return f"{key} is not rolled out"
    return None


def _full(child: Json, seen: Json) -> Json | None:
    """Return *child* as it is stored in place of *seen*, or None if it is refused."""
    try:
        return stored({**child, "metadata": seen["metadata"]}) if "spec" in child else child
    except Refused:
        return None


def _rolled_out(deployment: Json) -> bool:
    status, asked = deployment.get("status", {}), deployment["spec"].get("replicas", 1)
    counts = [status.get(name, 0) for name in ("updatedReplicas", "availableReplicas")]
    return bool(status.get("observedGeneration") == deployment["metadata"]["generation"] and min(counts) >= asked)


def _ready(status: Json) -> str | None:
    conditions = status.get("conditions")
    found = [item for item in conditions if isinstance(item, dict)] if isinstance(conditions, list) else []
    return next((item.get("status") for item in found if item.get("type") == "Ready"), None)


def _key(item: Json, namespace: str) -> Key:
    metadata = item["metadata"]
    return Key(item["kind"], metadata.get("namespace") or namespace, metadata.get("name") or "")


def _read(body: bytes) -> Answer | None:
    """Return the answer in *body*; None if Metacontroller can't use it."""
    try:
        return read_sync(Reply(200, body))
    except (BadAnswer, Crash):
        return None
