"""The goals for this hook relative to its peers, and what got slower since the committed results."""

from typing import NamedTuple

from bench.comparison.results import FASTAPI, GO, HOOK, HTTP_SERVER, UNCHANGED, Results, Scenario

TOLERANCE = 1.25
"""How much larger a ratio may be than the committed one: noise between two runs is smaller."""

MIN_ROUNDS = 3
"""The rounds that a verdict about p99 needs: one pause of the machine decides the p99 of a single round."""


class Goal(NamedTuple):
    """A ratio to a *peer* in a *scenario*, of CPU or p99, that is at *most* so large."""

    scenario: Scenario
    figure: str
    peer: str
    most: float

    def ratio(self, results: Results) -> float | None:
        """Return the ratio that was measured, or None if it was not, or not in enough rounds."""
        figure = results.figure(self.scenario, self.peer)
        if figure is None or (self.figure == "p99" and results.rounds < MIN_ROUNDS):
            return None
        return (figure.cpu_ratio if self.figure == "CPU" else figure.p99_ratio).median


_USUAL = Scenario("6 KB", UNCHANGED, 5)
"""Unchanged, as after a resync of all or a restart of Metacontroller. A changed request has no goal."""

GOALS = (
    Goal(_USUAL, "CPU", HTTP_SERVER, 0.8),
    Goal(_USUAL, "CPU", FASTAPI, 0.5),
    Goal(_USUAL, "p99", HTTP_SERVER, 1.0),
    Goal(_USUAL, "p99", FASTAPI, 1.0),
    Goal(Scenario("200 KB", UNCHANGED, 5), "CPU", GO, 0.67),
)


class Verdict(NamedTuple):
    """A sentence about a goal, and whether it is met."""

    text: str
    is_met: bool


def verdicts(results: Results) -> list[Verdict]:
    """Return a verdict for each goal that was measured."""
    measured = [(goal, ratio) for goal in GOALS if (ratio := goal.ratio(results)) is not None]
    return [_verdict(goal, ratio) for goal, ratio in measured]


def _verdict(goal: Goal, ratio: float) -> Verdict:
    is_met = ratio <= goal.most
    what = f"{goal.scenario}: {ratio:.2f} x the {goal.figure} of {goal.peer}"
    return Verdict(f"{what}, {'within' if is_met else 'NOT within'} {goal.most:g} x", is_met)


def slower(results: Results, committed: Results) -> list[str]:
    """Return a sentence for each scenario in which this hook needs more CPU than in the *committed* results.

    Why relative to every peer: one that is itself faster today, such as a newer version of Go, makes nothing slower.
    """
    return [
        f"{measured.scenario}: {_changes(changes)}"
        for measured in results.measured
        if (changes := _cpu_changes(measured.scenario, results, committed))
        and min(now / then for then, now in changes.values()) > TOLERANCE
    ]


def _cpu_changes(scenario: Scenario, results: Results, committed: Results) -> dict[str, tuple[float, float]]:
    """Return the committed and the measured ratio for each peer of both runs."""
    names = [name for each in results.measured if each.scenario == scenario for name in each.figures if name != HOOK]
    pairs = {name: (committed.figure(scenario, name), results.figure(scenario, name)) for name in names}
    return {name: (then.cpu_ratio.median, now.cpu_ratio.median) for name, (then, now) in pairs.items() if then and now}


def _changes(changes: dict[str, tuple[float, float]]) -> str:
    return ", ".join(f"{now:.2f} x the CPU of {name} (was {then:.2f})" for name, (then, now) in changes.items())
