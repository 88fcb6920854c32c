"""Fault plans: whatever goes wrong, and wherever, a workload ends as it does without it."""

import functools
import itertools
from collections.abc import Iterator
from datetime import datetime

import pytest

from metahook import Controller
from metahook.simulator.metacontroller.settings import Mode
from tests.plans.oracles import complaints, never
from tests.plans.plans import FAULTS, Plan, plans, reference, tried
from tests.plans.workloads import PLAIN, WORKLOADS, Workload
from tests.worlds import both_modes

pytestmark = pytest.mark.no_cover  # thousands of lives, of which each line is covered elsewhere


class Remembering(Controller):
    """A controller that remembers its answers, as thousands of lives begin alike; it is pure."""

    @functools.lru_cache(4096)  # noqa: B019 - there are a few, which live as long as the tests
    def answer_sync(self, body: bytes, now: datetime) -> bytes:  # type: ignore[override] # the simulator asks in bytes
        """Return the answer to a sync request."""
        return super().answer_sync(body, now)


@functools.cache
def remembering(hook: Controller) -> Controller:
    """Return *hook*, which remembers."""
    return Remembering(hook.sync, hook.children, hook.customize)


def _chosen(every: Iterator[Plan], config: pytest.Config) -> Iterator[Plan]:
    """Yield the plans to try: the one that is named, all, or one in three, the same each time."""
    only, step = config.getoption("--plan"), 1 if config.getoption("--all-plans") else 3
    return (plan for plan in every if str(plan) == only) if only else itertools.islice(every, 0, None, step)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_changes_the_run(fault: str) -> None:
    life = (remembering(PLAIN), WORKLOADS["create"])
    seen, expected = reference("dynamic-apply", *life)
    chosen = [plan for plan in plans(seen) if plan.fault == fault]

    assert any(tried(plan, "dynamic-apply", *life, seen).syncs != expected.syncs for plan in chosen)


def test_a_plan_is_written_with_its_position_even_the_first() -> None:
    written = [str(Plan("crash", 0)), str(Plan("answer", 0, "429")), str(Plan("stale", 3, "Service", 2))]

    assert written == ["crash-0", "answer-0-429", "stale-3-Service-2"]


@both_modes
@pytest.mark.parametrize("workload", WORKLOADS.values(), ids=WORKLOADS)
def test_a_workload_ends_as_without_the_fault(workload: Workload, mode: Mode, request: pytest.FixtureRequest) -> None:
    seen, expected = reference(mode, remembering(workload.hook), workload)
    assert list(never(expected)) == []
    chosen = list(_chosen(plans(seen), request.config))
    request.node.user_properties.append(("plans", len(chosen)))

    found = {
        plan: list(complaints(tried(plan, mode, remembering(workload.hook), workload, seen), expected))
        for plan in chosen
    }

    wrong = {plan: said for plan, said in found.items() if said}
    assert not wrong, "\n".join(
        f'pytest "{request.node.nodeid}" --plan {plan}\n  {"; ".join(said)}' for plan, said in wrong.items()
    )
