"""Recorded hook requests: how they are read, and how their children become ours.

A file is one request that a real Metacontroller sent to another hook: ``path``, ``headers``, ``body``.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.core.controller import MYRESOURCE
from app.hooks.sender import Grouped
from app.simulator.apiserver.stored import stored
from app.simulator.metacontroller.dynamic_apply import LAST_APPLIED, merge, with_last_applied
from tests.build import NOW, sync
from tests.given.observed import Situation

Json = dict[str, Any]

FOLDER = Path(__file__).parent / "data" / "traffic"


@dataclass(frozen=True)
class Recorded:
    """One recorded request."""

    name: str
    """Mode and number, such as ``dynamic-apply/0012``."""
    file: Path
    path: str
    body: Json

    @property
    def parent(self) -> Json:
        """The parent, as it was sent."""
        found: Json = self.body["parent"]
        return found

    @property
    def uid(self) -> str:
        """The parent's uid."""
        found: str = self.parent["metadata"]["uid"]
        return found

    def json(self) -> bytes:
        """Return the body."""
        return json.dumps(self.body).encode()

    def situation(self) -> Situation:
        """Return what the request shows."""
        shown = (item for group in self.body["children"].values() for item in group.values())
        children = tuple(item for item in shown if item["kind"] in ("Deployment", "Service"))
        return Situation(self.parent, children, self.body["related"])


def load(folder: Path) -> list[Recorded]:
    """Return the requests in *folder*, which has a folder for each mode, in the order in which they came."""
    files = sorted(file for file in folder.glob("*/*.json") if not file.name.endswith(".answer.json"))
    return [_loaded(file) for file in files]


def _loaded(file: Path) -> Recorded:
    found = json.loads(file.read_text())
    return Recorded(f"{file.parent.name}/{file.name[:4]}", file, found["path"], found["body"])


@dataclass(frozen=True)
class Replayed:
    """A recorded sync whose children were made by our hook, and our answer to it."""

    name: str
    situation: Situation
    answer: Json


def replay(records: list[Recorded]) -> Iterator[Replayed]:
    """Answer each recorded sync as if this hook had been asked from the beginning.

    The recorded Deployment becomes the one that we ask for in the generation that it was written for; its status, its
    generation, the defaults of the server and what others changed stay. Our status is carried on.
    """
    specs: dict[str, dict[int, Json]] = {}
    statuses: dict[str, Json] = {}
    for record in records:
        seen = specs.setdefault(record.uid, {})
        seen[record.parent["metadata"]["generation"]] = record.parent["spec"]
        if record.path != "/sync":
            continue
        recorded = record.situation()
        children = tuple(as_ours(child, record.parent, seen, recorded.related) for child in recorded.children)
        parent = {**record.parent, "status": statuses.get(record.uid, {})}
        situation = Situation(parent, children, recorded.related)
        answer = json.loads(MYRESOURCE.answer_sync(situation.body(), NOW))
        generation = record.parent["metadata"]["generation"]
        statuses[record.uid] = {**answer["status"], "observedGeneration": generation}
        yield Replayed(record.name, situation, answer)


def as_ours(child: Json, parent: Json, specs: dict[int, Json], related: Grouped | None = None) -> Json:
    """Return the recorded *child* of *parent* as this hook would have made it; *specs* are by generation."""
    generation = _written_for(child, specs) if child["kind"] == "Deployment" else max(specs)
    then = {**parent, "spec": specs[generation], "metadata": {**parent["metadata"], "generation": generation}}
    (ours,) = [item for item in sync(then, related=related)["children"] if item["kind"] == child["kind"]]
    made = stored(merge(child, {}, ours))
    if LAST_APPLIED in child["metadata"].get("annotations", {}):
        made = with_last_applied(made, ours)
    if child["kind"] == "Deployment" and child["spec"]["replicas"] not in _replicas(specs):
        made = {**made, "spec": {**made["spec"], "replicas": child["spec"]["replicas"]}}  # scaled by hand
    return made


def _replicas(specs: dict[int, Json]) -> list[int]:
    return [spec.get("replicas", 1) for spec in specs.values()]


def _written_for(deployment: Json, specs: dict[int, Json]) -> int:
    """Return the newest generation whose spec *deployment* carries, whatever its replicas if nothing else fits."""
    (main,) = deployment["spec"]["template"]["spec"]["containers"]
    fields = ("image", "env", "envFrom")
    fits = {
        generation: spec
        for generation, spec in specs.items()
        if [main.get(field) for field in fields] == [spec.get(field) for field in fields]
    }
    exact = [number for number, spec in fits.items() if spec.get("replicas", 1) == deployment["spec"]["replicas"]]
    return max(exact or fits)
