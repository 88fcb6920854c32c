"""Fault plans: whatever goes wrong, and wherever, a workload ends as it does without it."""

import functools
from datetime import datetime

import pytest

from app.core.controller import MYRESOURCE
from app.hooks import Controller
from app.simulator.metacontroller.settings import Mode
from tests.plans.oracles import complaints, never
from tests.plans.plans import plans, reference, tried
from tests.plans.workloads import WORKLOADS, Workload
from tests.worlds import both_modes

pytestmark = pytest.mark.no_cover  # thousands of lives, of which each line is covered elsewhere


class Remembering(Controller):
    """A controller that remembers its answers, as thousands of lives begin alike; it is pure."""

    @functools.lru_cache(4096)  # noqa: B019 - there is one, which lives as long as the tests
    def answer_sync(self, body: bytes, now: datetime) -> bytes:
        """Return the answer to a sync request."""
        return super().answer_sync(body, now)


OURS = Remembering(MYRESOURCE.sync, MYRESOURCE.children, MYRESOURCE.customize)


@both_modes
@pytest.mark.parametrize("workload", WORKLOADS.values(), ids=WORKLOADS)
def test_a_workload_ends_as_without_the_fault_wherever_that_is_put(
    workload: Workload, mode: Mode, request: pytest.FixtureRequest
) -> None:
    seen, expected = reference(mode, OURS, workload)
    assert list(never(expected)) == []
    only = request.config.getoption("--plan")
    chosen = [plan for plan in plans(seen) if only in (None, str(plan))]
    request.node.user_properties.append(("plans", len(chosen)))

    found = {plan: list(complaints(tried(plan, mode, OURS, workload, seen), expected)) for plan in chosen}

    wrong = {plan: said for plan, said in found.items() if said}
    assert not wrong, "\n".join(
        f'pytest "{request.node.nodeid}" --plan {plan}\n  {"; ".join(said)}' for plan, said in wrong.items()
    )
