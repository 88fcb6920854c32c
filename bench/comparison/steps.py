"""The steps of one sync, over all recorded traffic: its CPU beside ``json.loads``, its calls, their files and moves.

A call is that of a function of ours, and a move is a call in another file than the one before. A memo knows the
specs, as that of a running hook does. The calls at rest are those of the recordings of a complete rollout.
"""

import gc
import json
import sys
import time
from collections.abc import Callable
from statistics import mean
from types import FrameType
from typing import Any, NamedTuple

from app.core.controller import controller
from app.core.desired.memo import GenerationMemo
from app.core.watch import Watch
from bench.comparison.bodies import compact
from bench.comparison.servers import ROOT
from tests.recorded.traffic import Recorded, load

OURS = (f"{ROOT}/app/", f"{ROOT}/metahook/src/metahook/")

ROUNDS = 30

MOST = 7.0 if sys.version_info >= (3, 13) else 8.0
"""CPU of a sync, relative to that of ``json.loads`` of its body. Python 3.13 makes calls cheaper."""

AT_REST = "rollout-1-pods-available-rest"
"""The end of the names of the recordings of a complete rollout."""

Sync = Callable[[], object]


class Steps(NamedTuple):
    """What one sync takes."""

    calls: int
    files: int
    moves: int


class Counter:
    """Follows the calls of functions of ours, for :func:`sys.setprofile`."""

    def __init__(self) -> None:
        self.calls = self.moves = 0
        self.files: set[str] = set()
        self._at = ""

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:  # noqa: ANN401 - of each event another
        """Note a call."""
        file = frame.f_code.co_filename
        if event == "call" and file.startswith(OURS):
            self.calls += 1
            self.files.add(file)
            self.moves += self._at not in ("", file)
            self._at = file

    @property
    def steps(self) -> Steps:
        """What was counted."""
        return Steps(self.calls, len(self.files), self.moves)


def steps_of(sync: Sync) -> Steps:
    """Return the steps of *sync*."""
    counter = Counter()
    sys.setprofile(counter)
    try:
        sync()
    finally:
        sys.setprofile(None)
    return counter.steps


def syncs() -> tuple[list[Sync], list[Sync], list[bytes]]:
    """Return the recorded syncs, those of them at rest, and the bodies of all."""
    asked = controller(Watch(pods=False), GenerationMemo())
    traffic = [each for each in load() if each.path == "/sync"]
    bodies = [compact(each.content["request"]).encode() for each in traffic]

    def sync(recorded: Recorded, body: bytes) -> Sync:
        return lambda: asked.handle_sync(body, recorded.now)

    every = {each.name: sync(each, body) for each, body in zip(traffic, bodies, strict=True)}
    for each in every.values():  # the memo knows the specs
        each()
    return [*every.values()], [each for name, each in every.items() if name.endswith(AT_REST)], bodies


def multiple_of_json(every: list[Sync], bodies: list[bytes]) -> float:
    """Return the CPU time of all syncs relative to that of ``json.loads`` of their *bodies*: the least of each."""
    gc.collect()
    took, parsed = [], []
    for _ in range(ROUNDS):
        begin = time.process_time()
        for body in bodies:
            json.loads(body)
        between = time.process_time()
        for sync in every:
            sync()
        parsed.append(between - begin)
        took.append(time.process_time() - between)
    return min(took) / min(parsed)


def report(every: list[Sync], at_rest: list[Sync]) -> str:
    """Return the sentence about the steps of the syncs."""
    calls, files, moves = (mean(numbers) for numbers in zip(*map(steps_of, every), strict=True))
    rest = mean(steps_of(sync).calls for sync in at_rest)
    return f"on average {calls:.0f} calls in {files:.0f} files with {moves:.0f} moves; {rest:.0f} calls at rest"
