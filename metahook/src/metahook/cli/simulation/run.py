"""Runs a scenario at a pace, shows it on a screen, and reports how it ended."""

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from metahook.simulator.findings import findings
from metahook.simulator.metacontroller.children import NAME
from metahook.simulator.objects import key_of
from metahook.simulator.scenarios import Scenario, Step, StepResult, run_scenario
from metahook.simulator.world import NeverQuiet, World

if TYPE_CHECKING:
    from metahook.cli.simulation.screen import Screen

OBSERVATION = 1800.0
"""Virtual seconds for which a quiet world is observed, to verify that it stays quiet."""


LONGEST_WAIT = 1.0
"""Real seconds; the longest pause between two lines without a speed."""

TERMINAL_SPEED = 5.0
"""Virtual seconds per second."""


def pace(speed: float, most: float) -> Callable[[float], None]:
    """Return a function that sleeps while virtual seconds pass: *speed* of them per second, but at most *most* seconds.

    A speed of 0 never sleeps.
    """

    def wait(passing: float) -> None:
        if speed:
            time.sleep(min(passing / speed, most))

    return wait


def pace_of(speed: float | None, *, on_terminal: bool) -> Callable[[float], None]:
    """Return the pace of *speed*; without one, a quick pace on a terminal, and none elsewhere."""
    if speed is not None:
        return pace(speed, math.inf)
    return pace(TERMINAL_SPEED if on_terminal else 0, LONGEST_WAIT)


def run(scenario: Scenario, world: World, screen: "Screen", *, numbered: bool) -> bool:
    """Run *scenario*, and report how it ended; return whether all is as expected and there are no findings.

    Parents are expected to be Ready in the end, unless a step asks for a failure, or expects another status. A step
    that fails is named by its number if the steps are *numbered*.
    """
    results = list(run_scenario(scenario, world, lambda step: screen.say(f"\n{step.say}") if step.say else None))
    problem = next((_problem(result, numbered=numbered) for result in results if result.problem), None)
    unready = "" if any(map(_asks_for_failure, scenario.steps)) else _unready(world, scenario)
    quiet = problem is None and not world.clock.is_busy and _stays_quiet(world)
    problem = problem or unready
    ended = world.clock.now
    found = [{"rule": item.rule, "object": str(item.key), "message": item.message} for item in findings(world.history)]
    screen.end(
        {**_counts(world, quiet=quiet, ended=ended), "findings": found, **({"problem": problem} if problem else {})}
    )
    if problem:
        screen.say(problem, "bad")
    elif scenario.next and not found:
        screen.say("\n".join(["", *scenario.next]))
    return not problem and not found


def _unready(world: World, scenario: Scenario) -> str:
    """Return which parents do not end Ready; empty if all do.

    One whose Ready is Unknown is not meant to be: it is suspended. One for which a wait ends may still be on its way.
    """
    type_, status = ("Stalled", "True") if scenario.steps and scenario.steps[-1].wait else ("Ready", "False")
    found = []
    for parent in (item for each in world.settings.parents for item in world.api.all(each.kind.kind)):
        conditions = {item["type"]: item for item in (parent.get("status") or {}).get("conditions") or ()}
        if conditions.get(type_, {}).get("status") == status:
            found.append(f"{key_of(parent)} ({conditions.get('Ready', {}).get('reason')})")
    return f"Not Ready: {', '.join(found)}." if found else ""


def _asks_for_failure(step: Step) -> bool:
    expected = (step.expect.state, step.expect.reason, step.expect.message) if step.expect else ()
    return step.fail not in (None, "none") or step.refuse not in (None, "none") or any(expected)


def _stays_quiet(world: World) -> bool:
    """Observe a quiet world; tell whether Metacontroller writes nothing."""
    before = _writes(world)
    world.clock.pace = pace(0, math.inf)
    try:
        world.run(OBSERVATION)
    except NeverQuiet:
        return False
    return _writes(world) == before


def _counts(world: World, *, quiet: bool, ended: float) -> dict[str, Any]:
    last = max((write.at for write in world.history.writes() if write.changed), default=0.0)
    return {
        "at": last if quiet else ended,
        "quiet": quiet,
        "calls": sum(1 for _ in world.history.calls("sync", "customize")),
        "writes": _writes(world),
    }


def _writes(world: World) -> int:
    return sum(1 for write in world.history.writes(NAME) if write.changed)


def _problem(result: StepResult, *, numbered: bool) -> str:
    what = "Expectation not met" if result.step.expect else "Failed"
    return f"{f'Step {result.number}: ' if numbered else ''}{what}: {result.problem}."
