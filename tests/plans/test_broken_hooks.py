"""Negative controls: a plan finds a hook with a real mistake; some mistakes show only with a fault."""

from collections.abc import Callable, Iterator

import pytest

from metahook import Controller
from metahook.simulator.hook import Hook
from metahook.simulator.metacontroller.settings import MODES
from tests.plans import broken
from tests.plans.oracles import invariant_violations, violations
from tests.plans.plans import Reference, plans, reference, run_plan
from tests.plans.workloads import WORKLOADS, Workload
from toolkit.slow import short_or_whole

pytestmark = pytest.mark.no_cover

Make = Callable[[], Hook | Controller]

ALONE: list[tuple[Make, str]] = [
    (broken.env_of_a_set, "env added"),
    (broken.time_in_a_child, "create"),
    (broken.new_transition_times, "create"),
    (broken.nothing_for_an_invalid_spec, "invalid and valid again"),
    (broken.counts_its_calls, "create"),
    (broken.versions_of_what_is_related, "create, with Pods"),
    (broken.generated_name, "image"),
    (broken.only_once, "image"),
]
"""Mistakes that are visible without a fault."""

NAMES_DRAWN = (
    broken.names_that_are_drawn,
    "configuration changed, lost and back",
    "stale",
    "a desired child is deleted",
)
BY_A_FAULT: list[tuple[Make, str, str, str]] = [
    *short_or_whole([], [NAMES_DRAWN]),
    (broken.waits_for_what_is_related, "create", "late", "a desired child is deleted"),
    (broken.waits_for_what_is_related, "create", "stale", "a desired child is deleted"),
    (broken.remembers_in_the_status, "create", "crash", "ends with"),
    (broken.remembers_in_the_process, "create", "answer", "ends without"),
    (broken.believes_every_parent, "ports added and removed", "stale", "a desired child is deleted"),
]
"""Mistakes that are visible only with a fault: the workload, the fault, and the violation."""


def caught(make: Make, workload: Workload, alone: Reference, fault: str = "") -> Iterator[str]:
    """Yield the violations that the plans, or those with this *fault*, find in the hook of *make*."""
    for plan in (plan for plan in plans(alone.trace) if plan.fault.startswith(fault)):
        yield from violations(run_plan(plan, MODES[0], make(), workload, alone.trace), alone.outcome)


@pytest.mark.slow
@pytest.mark.parametrize(("make", "name"), ALONE[:: short_or_whole(2, 1)])
def test_a_mistake_that_is_visible_without_a_fault_is_found_by_a_plan(make: Make, name: str) -> None:
    alone = reference(MODES[0], make(), WORKLOADS[name])

    assert list(invariant_violations(alone.outcome))
    assert next(caught(make, WORKLOADS[name], alone), None)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "name", "fault", "start"), BY_A_FAULT, ids=[f"{make.__name__}-{fault}" for make, _, fault, _ in BY_A_FAULT]
)
def test_a_mistake_that_is_visible_only_with_a_fault_is_found_by_a_plan(
    make: Make, name: str, fault: str, start: str
) -> None:
    alone = reference(MODES[0], make(), WORKLOADS[name])

    assert list(invariant_violations(alone.outcome)) == []
    assert any(violation.startswith(start) for violation in caught(make, WORKLOADS[name], alone, fault))
