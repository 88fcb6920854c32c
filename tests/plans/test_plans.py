"""Fault plans: with any fault at any position, a workload ends as it does without it."""

import functools
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime

import pytest

from metahook import Controller
from metahook.protocol.controller import EncodedResponse
from metahook.simulator.metacontroller.settings import MODES, Mode
from tests.plans.broken import waits_for_what_is_related
from tests.plans.plans import FAULTS, Plan, plans, reference, run_plan
from tests.plans.workload_run import Outcome
from tests.plans.workloads import PLAIN, WORKLOADS
from tests.simulated.worlds import PARENT
from toolkit.slow import short_or_whole

PLAYED = [(name, mode) for number, name in enumerate(WORKLOADS) for mode in short_or_whole([MODES[number % 2]], MODES)]
"""Each workload in each mode; in short, in one of them by turns."""

pytestmark = pytest.mark.no_cover  # thousands of runs, whose lines are all covered elsewhere


MORE = 2
"""Additional writes of a child that a fault may cost: one that is wrong, and one that corrects it."""

MORE_STATUS = 2 * MORE
"""Additional writes of a status: two for each of a child, when it is observed and when it is rolled out."""

MORE_SYNCS = 10
"""Additional syncs after the fault."""


def violations(found: Outcome, expected: Outcome) -> Iterator[str]:
    """Yield the violations of the outcome *found* of a run with one fault; without the fault it is *expected*."""
    yield from invariant_violations(found)
    yield from (f"ends without {line}" for line in expected.end if line not in found.end)
    yield from (f"ends with {line}" for line in found.end if line not in expected.end)
    for key, count in found.writes.items():
        more = count - expected.writes[key]
        if more > (MORE_STATUS if key.kind == PARENT.kind else MORE):
            yield f"{more} more writes of {key}"
    if found.syncs > expected.syncs + MORE_SYNCS:
        yield f"{found.syncs - expected.syncs} more syncs"


def invariant_violations(found: Outcome) -> Iterator[str]:
    """Yield the violations that no run may have, with or without a fault."""
    yield from (f"a desired child is deleted: {write}" for write in found.wrong_deletes)
    yield from (f"untrue: {line}" for line in found.untrue)
    yield from (f"not quiet: {write}" for write in found.late_writes)


class Cached(Controller, frozen=True):
    """A controller with cached responses, because thousands of runs start alike; the hook is pure."""

    @functools.lru_cache(4096)  # noqa: B019 - a few objects, which exist as long as the tests
    def handle_sync(self, body: bytes, now: datetime) -> EncodedResponse:  # type: ignore[override] # the simulator asks in bytes
        """Return the response to a sync request."""
        return super().handle_sync(body, now)


@functools.cache
def cached(hook: Controller) -> Controller:
    """Return *hook* with cached responses."""
    return Cached(hook.sync, hook.children, hook.customize, optional_kinds=hook.optional_kinds)


def _chosen(every: Iterable[Plan], only: str | None, step: int) -> list[Plan]:
    """Return the plans to run: *only* this one, or one in *step* of each fault, at least one."""
    groups: dict[str, list[Plan]] = defaultdict(list)
    for plan in every:
        if only in (None, str(plan)):
            groups[plan.fault].append(plan)
    return [plan for group in groups.values() for plan in group[min(len(group), step) // 2 :: step]]


FEW = 120
"""In short, of each fault one plan in so many is chosen, and of these every other one is run."""


def _every_other(chosen: list[Plan], name: str) -> list[Plan]:
    """Return every other one of the *chosen* plans, at least one, for the workload of this *name*.

    Two workloads run the first, the third and so on, one of them in each mode; the next two run the others.
    """
    pair = [*WORKLOADS].index(name) // 2
    first = pair % 2
    return chosen[first::2] or chosen


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_changes_the_run(fault: str) -> None:
    arguments = (cached(PLAIN), WORKLOADS["create"])
    trace, expected = reference("dynamic-apply", *arguments)
    chosen = [plan for plan in plans(trace) if plan.fault == fault]

    assert any(run_plan(plan, "dynamic-apply", *arguments, trace).syncs != expected.syncs for plan in chosen)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "mode"), PLAYED, ids=str)
def test_a_workload_ends_as_without_the_fault(name: str, mode: Mode, request: pytest.FixtureRequest) -> None:
    workload = WORKLOADS[name]
    trace, expected = reference(mode, cached(workload.hook), workload)
    assert list(invariant_violations(expected)) == []
    step = short_or_whole(8 if name == "create" else FEW, 1)
    chosen = _chosen(plans(trace), request.config.getoption("--plan"), step)
    if step == FEW:
        chosen = _every_other(chosen, name)
    request.node.user_properties.append(("plans", len(chosen)))

    found = {
        plan: list(violations(run_plan(plan, mode, cached(workload.hook), workload, trace), expected))
        for plan in chosen
    }

    wrong = {plan: lines for plan, lines in found.items() if lines}
    assert not wrong, "\n".join(
        f'pytest "{request.node.nodeid}" --plan {plan}\n  {"; ".join(lines)}' for plan, lines in wrong.items()
    )


def test_a_mistake_that_shows_only_with_a_fault_is_found_by_a_plan() -> None:
    """The negative control of the test above."""
    workload = WORKLOADS["create"]
    trace, expected = reference(MODES[0], waits_for_what_is_related(), workload)
    late = (plan for plan in plans(trace) if plan.fault == "late")
    ends = (run_plan(plan, MODES[0], waits_for_what_is_related(), workload, trace) for plan in late)

    assert list(invariant_violations(expected)) == []
    assert any(line.startswith("a desired child is deleted") for end in ends for line in violations(end, expected))
