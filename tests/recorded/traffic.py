"""Recorded traffic: what a real Metacontroller asked our hook about our children, and what it answered then.

A real Metacontroller 4.17.2 was in front of a real kube-apiserver 1.36.3 with its real controllers. A file of
tests/data/traffic has what ``myresource record`` wrote under an apply strategy. ``python -m tests.e2e.traffic``
records again. tests/e2e/traffic_scenarios.py lists the lives and the moments, and tests/recorded/normalization.py says
what is left out or replaced, so that two recordings differ only where the product does.
"""

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from app.core.controller import controller
from app.core.watch import Watch
from metahook.simulator.metacontroller.settings import MODES
from metahook.simulator.objects import to_json
from tests.requests.builders import Json
from tests.strategies.observed import Situation

FOLDER = Path(__file__).parents[1] / "data" / "traffic"

WITHOUT_PODS = "--no-watch-pods"
RECORDED = controller(Watch(pods=False))
"""The hook as it is recorded: what its Pods are at a moment is chance; tests/e2e/test_pods.py has what they say."""


@dataclass(frozen=True)
class Recorded:
    """A recorded request with its answer; *name* is mode, life, number and name of the step, moment."""

    name: str
    content: Json

    def __str__(self) -> str:
        return self.name

    @property
    def path(self) -> str:
        """Which hook was asked."""
        found: str = self.content["path"]
        return found

    @property
    def parent(self) -> Json:
        """The parent, as it was sent."""
        found: Json = self.content["request"]["parent"]
        return found

    @property
    def answer(self) -> Json:
        """What was answered."""
        found: Json = self.content["response"]
        return found

    @property
    def body(self) -> bytes:
        """The request."""
        return json.dumps(self.content["request"]).encode()

    @property
    def now(self) -> datetime:
        """When it was answered."""
        return datetime.fromisoformat(self.content["time"])

    def with_content(self, content: Json) -> "Recorded":
        """Return the same with other *content*."""
        return Recorded(self.name, content)

    def text(self) -> str:
        """Return the text of it in the file."""
        return json.dumps(self.content, indent=1, sort_keys=True) + "\n"

    def answered_now(self) -> Json:
        """Return what the hook of today answers at the time of then, less ``override``: see normalization.py."""
        sync = self.path == "/sync"
        answer: Json = json.loads(
            RECORDED.handle_sync(self.body, self.now).body if sync else RECORDED.handle_customize(self.body).body
        )
        answer.get("status", {}).pop("override", None)
        return answer

    def holds(self) -> bool:
        """Tell whether the hook of today gives the answer of then, to the byte."""
        return to_json(self.answered_now()) == to_json(self.answer)

    def situation(self) -> Situation:
        """Return what a sync shows."""
        request = self.content["request"]
        children = tuple(item for group in request["children"].values() for item in group.values())
        return Situation(self.parent, children, request["related"])


def load(folder: Path = FOLDER) -> list[Recorded]:
    """Return the requests in *folder*, which has a file for each mode."""
    files = {file.stem: json.loads(file.read_text()) for file in sorted(folder.glob("*.json"))}
    return [Recorded(f"{mode}/{name}", content) for mode, named in files.items() for name, content in named.items()]


def one(name: str) -> Recorded:
    """Return the request that is called so."""
    mode, _, stem = name.partition("/")
    return Recorded(name, json.loads((FOLDER / f"{mode}.json").read_text())[stem])


def store(items: list[Recorded], folder: Path = FOLDER) -> None:
    """Replace the requests in *folder* by *items*."""
    folder.mkdir(parents=True, exist_ok=True)
    for mode in MODES:
        named = {item.name.partition("/")[2]: item.content for item in items if item.name.startswith(f"{mode}/")}
        (folder / f"{mode}.json").write_text(json.dumps(named, indent=1, sort_keys=True) + "\n")
