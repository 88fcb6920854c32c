"""Plays a scenario in a world while somebody watches, and tells how it ended."""

import math
import time
from collections.abc import Callable
from typing import Any

from app.cli.simulation.screen import Screen
from metahook.simulator.findings import findings
from metahook.simulator.metacontroller.claims import NAME
from metahook.simulator.play import Outcome, play
from metahook.simulator.scenario import Scenario
from metahook.simulator.world import NoRest, World

WATCHED = 1800.0
"""Virtual seconds for which a world that is still is watched, to see that it stays so."""


def pace(speed: float, most: float) -> Callable[[float], None]:
    """Return what waits while virtual seconds pass, *speed* of them in a second, but never longer than *most*.

    A speed of 0 waits for nothing.
    """

    def wait(passing: float) -> None:
        if speed:
            time.sleep(min(passing / speed, most))

    return wait


def show(told: Scenario, world: World, screen: Screen, *, numbered: bool) -> bool:
    """Play it and tell how it ended; return whether all was as expected, and no damage was done.

    Steps that go wrong are named by their number if they are *numbered*.
    """
    outcomes = list(play(told, world, lambda step: screen.say(f"\n{step.say}") if step.say else None))
    problem = next((_problem(outcome, numbered=numbered) for outcome in outcomes if outcome.problem), None)
    still = problem is None and not world.clock.busy and _stays_still(world)
    ended = world.clock.now  # after it was watched: what happened in that time is shown, too
    found = [{"rule": each.rule, "object": str(each.key), "message": each.message} for each in findings(world.history)]
    screen.end(
        {**_counts(world, still=still, ended=ended), "findings": found, **({"problem": problem} if problem else {})}
    )
    if problem:
        screen.say(problem, "bad")
    elif told.next and not found:
        screen.say("\n".join(["", *told.next]))
    return not problem and not found


def _stays_still(world: World) -> bool:
    """Watch a world that is still; tell whether Metacontroller leaves everything as it is."""
    before = _writes(world)
    world.clock.pace = pace(0, math.inf)
    try:
        world.run(WATCHED)
    except NoRest:
        return False
    return _writes(world) == before


def _counts(world: World, *, still: bool, ended: float) -> dict[str, Any]:
    last = max((write.at for write in world.history.writes() if write.changed), default=0.0)
    return {
        "at": last if still else ended,
        "still": still,
        "calls": sum(1 for _ in world.history.calls("sync", "customize")),
        "writes": _writes(world),
    }


def _writes(world: World) -> int:
    return sum(1 for write in world.history.writes(NAME) if write.changed)


def _problem(outcome: Outcome, *, numbered: bool) -> str:
    start = f"Step {outcome.number} went wrong" if numbered else "It did not come to that"
    return f"{start}: {outcome.problem}."
