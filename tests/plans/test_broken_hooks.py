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

pytestmark = pytest.mark.no_cover

Make = Callable[[], Hook | Controller]

"""Mistakes that are visible without a fault."""

BY_A_FAULT: list[tuple[Make, str, str, str]] = [
    (broken.waits_for_what_is_related, "create", "late", "a desired child is deleted"),
    (broken.remembers_in_the_status, "create", "crash", "ends with"),
    (broken.remembers_in_the_process, "create", "answer", "ends without"),
]
"""Mistakes that are visible only with a fault: the workload, the fault, and the violation."""


def caught(make: Make, workload: Workload, alone: Reference, fault: str = "") -> Iterator[str]:
    """Yield the violations that the plans, or those with this *fault*, find in the hook of *make*."""
    for plan in (plan for plan in plans(alone.trace) if plan.fault.startswith(fault)):
        yield from violations(run_plan(plan, MODES[0], make(), workload, alone.trace), alone.outcome)


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
