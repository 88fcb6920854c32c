"""Pods as a real kubelet describes them: the files of tests/data/pods, and what the hook answers at each moment.

A file has the spec of a MyResource, and what was seen in turn of its Pods and of its Deployment's status, each so many
seconds after the beginning.
"""

import json
from collections.abc import Iterator
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.requests.builders import NOW, Json, condition, finished, my_resource, sync

FOLDER = Path(__file__).parents[1] / "data/pods"
NAMES = sorted(file.stem for file in FOLDER.glob("*.json"))


class Said(NamedTuple):
    """What a status says from a moment on, so many seconds after the beginning."""

    at: float
    state: str
    reason: str
    message: str


class Replay:
    """A recording, as the hook sees it step by step; ``statuses`` are those that are written."""

    def __init__(self, name: str, *, ready: bool = True, pods: bool = True) -> None:
        self._recording = recording(name)
        self._shows_pods = pods
        self._parent = my_resource(spec=self._recording["spec"], status={"readyGeneration": 1} if ready else None)
        (self._deployment,) = finished(self._parent)
        self._pods: dict[str, Json] = {}
        self._again: float | None = None
        self.statuses: list[tuple[float, Json]] = []
        for at, step in self._moments():
            self._take(step)
            self._sync(at)

    def _moments(self) -> Iterator[tuple[float, Json]]:
        """Yield the steps, and in between them what the hook asked to be called again for."""
        for step in self._recording["steps"]:
            while self._again is not None and self._again < step["at"]:
                yield self._again, {}
            yield step["at"], step

    def _take(self, step: Json) -> None:
        template = self._deployment["spec"]["template"]
        if "deployment" in step:
            self._deployment = {**self._deployment, "status": step["deployment"]}
        if "deleted" in step:
            self._pods.pop(step["deleted"], None)
        if "pod" in step:
            metadata = {**step["pod"]["metadata"], "namespace": "default"}
            labels = {**template["metadata"]["labels"], **metadata["labels"]}
            self._pods[metadata["name"]] = {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {**metadata, "labels": labels},
                "spec": template["spec"],
                "status": step["pod"]["status"],
            }

    def _sync(self, at: float) -> None:
        related = {"Pod.v1": dict(self._pods)} if self._shows_pods else {}
        answer = sync(self._parent, self._deployment, related=related, now=NOW + timedelta(seconds=at))
        wait = answer.get("resyncAfterSeconds")
        self._again = None if wait is None else at + wait
        if answer["status"] != self._parent.get("status"):
            self._parent = {**self._parent, "status": answer["status"]}
            self.statuses.append((at, answer["status"]))

    @property
    def said(self) -> list[Said]:
        """What the condition Ready said in turn."""
        every = [
            Said(at, status["state"], condition({"status": status})["reason"], condition({"status": status})["message"])
            for at, status in self.statuses
        ]
        return [each for number, each in enumerate(every) if not number or each[1:] != every[number - 1][1:]]

    @property
    def reasons(self) -> list[str]:
        """The reasons that it had in turn."""
        return [each.reason for each in self.said]


@cache
def recording(name: str) -> Json:
    """Return what was recorded."""
    found: Json = json.loads((FOLDER / f"{name}.json").read_text())
    return found
