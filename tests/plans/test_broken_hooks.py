"""A negative control: the plans find a hook whose mistake shows only with a fault."""

import pytest

from metahook.simulator.metacontroller.settings import MODES
from tests.plans.broken import waits_for_what_is_related
from tests.plans.oracles import invariant_violations, violations
from tests.plans.plans import plans, reference, run_plan
from tests.plans.workloads import WORKLOADS

pytestmark = pytest.mark.no_cover


def test_a_mistake_that_shows_only_with_a_fault_is_found_by_a_plan() -> None:
    workload = WORKLOADS["create"]
    trace, expected = reference(MODES[0], waits_for_what_is_related(), workload)
    late = (plan for plan in plans(trace) if plan.fault == "late")
    ends = (run_plan(plan, MODES[0], waits_for_what_is_related(), workload, trace) for plan in late)

    assert list(invariant_violations(expected)) == []
    assert any(line.startswith("a desired child is deleted") for end in ends for line in violations(end, expected))
