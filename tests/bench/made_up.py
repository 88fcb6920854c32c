"""Made-up results of the comparison: figures that no machine decides."""

from bench.comparison.goals import MIN_ROUNDS
from bench.comparison.results import (
    FASTAPI,
    GO,
    HOOK,
    HTTP_SERVER,
    Measured,
    Process,
    Results,
    Sample,
    Scenario,
    figures,
)

USUAL = Scenario("6 KB", "unchanged", 5)
LARGE = Scenario("200 KB", "unchanged", 5)
CPU = {HOOK: 100.0, HTTP_SERVER: 140.0, FASTAPI: 250.0, GO: 40.0}
"""Microseconds."""


def sample(cpu: float) -> Sample:
    return Sample(cpu, cpu / 100, cpu / 50)


def results(scenario: Scenario = USUAL, rounds: int = MIN_ROUNDS, **cpu: float) -> Results:
    """Return the results of one scenario, with other *cpu* of some servers: ``hook``, ``http_server``, ..."""
    names = {"hook": HOOK, "http_server": HTTP_SERVER, "fastapi": FASTAPI, "go": GO}
    costs = {**CPU, **{names[name]: value for name, value in cpu.items()}}
    measured = Measured(scenario, figures([{name: sample(cost) for name, cost in costs.items()}]))
    return Results({"python": "3.11"}, rounds, [measured], {name: Process(60.0, 500.0) for name in costs})
