"""What a hook's answers promised, and whether what it was shown bears them out."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from app.simulator.apiserver.stored import stored
from app.simulator.history import History
from app.simulator.metacontroller.dynamic_apply import merge
from app.simulator.objects import Json, Key, controller_of, text


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
        answer = _object(call.answer) if call.status == 200 else None
        if answer is not None:
            request = json.loads(call.request)
            metadata = request["parent"]["metadata"]
            namespace = metadata["namespace"]
            shown = [item for group in request["children"].values() for item in group.values()]
            listed = [child for child in answer.get("children") or [] if child]
            yield Answered(
                call.at,
                call.key,
                metadata["uid"],
                metadata["generation"],
                {_key(child, namespace): child for child in listed},
                {_key(item, namespace): item for item in shown},
                _ready(answer.get("status") or {}),
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
        full = stored({**child, "metadata": seen["metadata"]}) if "spec" in child else child
        if text(merge(seen.get("spec"), {}, full.get("spec", {}))) != text(seen.get("spec", {})):
            return f"{key} is not as the answer says"
        if key.kind == "Deployment" and not _rolled_out(seen):
            return f"{key} is not rolled out"
    return None


def _rolled_out(deployment: Json) -> bool:
    status, asked = deployment.get("status", {}), deployment["spec"].get("replicas", 1)
    counts = [status.get(name, 0) for name in ("updatedReplicas", "availableReplicas")]
    return bool(status.get("observedGeneration") == deployment["metadata"]["generation"] and min(counts) >= asked)


def _ready(status: Json) -> str | None:
    conditions: list[Json] = status.get("conditions") or []
    return next((item.get("status") for item in conditions if item.get("type") == "Ready"), None)


def _key(item: Json, namespace: str) -> Key:
    metadata = item["metadata"]
    return Key(item["kind"], metadata.get("namespace", namespace), metadata.get("name", ""))


def _object(body: bytes) -> Json | None:
    try:
        found = json.loads(body)
    except ValueError:
        return None
    return found if isinstance(found, dict) else {}
