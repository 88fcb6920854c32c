"""The work queue: coalescing, backoff, and which syncs are idle."""

from itertools import pairwise

import pytest

from metahook.simulator.clock import Clock
from metahook.simulator.hook import Reply
from metahook.simulator.metacontroller.queue import WorkQueue
from metahook.simulator.metacontroller.rate_limiter import BURST, LAST_RETRY, RATE
from metahook.simulator.objects import Key
from tests.worlds import Answers, calls, events, parent, world

A, B = Key("MyResource", "default", "a"), Key("MyResource", "default", "b")


class Work:
    """A clock, a queue, and the times at which keys were synced."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.queue = WorkQueue(self.clock, self.do)
        self.done: list[tuple[float, str, bool]] = []

    def do(self, key: Key, idle: bool) -> None:  # noqa: FBT001 - the queue's callback
        """Record a sync of *key*."""
        self.done.append((round(self.clock.now, 3), key.name, idle))

    def run(self) -> list[tuple[float, str, bool]]:
        """Run all timers, and return the syncs."""
        while self.clock.next_timer:
            self.clock.step()
        return self.done


def test_a_queued_key_is_synced_once() -> None:
    work = Work()
    for key in (A, B, A, A):
        work.queue.add(key)

    assert work.run() == [(0, "a", False), (0, "b", False)]


def test_a_queued_key_is_idle_only_if_all_its_requests_are() -> None:
    work = Work()
    work.queue.add(A, idle=True)
    work.queue.add(A)
    work.queue.add(B, idle=True)
    work.queue.add(B, idle=True)

    assert work.run() == [(0, "a", False), (0, "b", True)]


@pytest.mark.parametrize("order", [(30, 5), (5, 30), (5, 5)])
def test_the_earliest_of_several_delayed_requests_counts(order: tuple[float, float]) -> None:
    work = Work()
    for seconds in order:
        work.queue.add_after(A, seconds)

    assert work.run() == [(5, "a", False)]


def test_an_earlier_request_that_is_not_idle_replaces_an_idle_one() -> None:
    work = Work()
    work.queue.add_after(A, 5, idle=True)
    work.queue.add_after(A, 30)

    assert work.run() == [(5, "a", False)]


def test_a_sync_does_not_cancel_a_delayed_request() -> None:
    work = Work()
    work.queue.add_after(A, 5)
    work.queue.add(A)

    assert work.run() == [(0, "a", False), (5, "a", False)]


def test_retries_wait_twice_as_long_each_time_up_to_a_limit_until_one_succeeds() -> None:
    work = Work()
    pauses = []
    for _ in range(1100):
        start = work.clock.now
        work.queue.retry(A)
        work.run()
        pauses.append(round(work.clock.now - start, 3))

    assert pauses[:4] == [0.005, 0.01, 0.02, 0.04]
    assert pauses[17:] == [655.36, *[LAST_RETRY] * 1082]
    assert [idle for _, _, idle in work.done[8:12]] == [False, False, True, True]

    work.queue.forget(A)
    work.queue.retry(A)
    start = work.clock.now
    work.run()
    assert work.clock.now - start < 0.006


def test_a_queue_that_is_cleared_forgets_everything() -> None:
    work = Work()
    work.queue.add(A)
    work.queue.add_after(B, 5)
    work.queue.clear()

    assert work.run() == []
    work.queue.add_after(B, 7)
    assert work.run() == [(7, "b", False)]


@pytest.mark.parametrize(("retry_after", "called"), [(None, 1000), (0, 1000), (1, 2), (10, 1)])
def test_a_429_is_retried_after_its_retry_after_and_at_once_without_one(retry_after: float | None, called: int) -> None:
    hook = Answers()
    hook.says = Reply(429, b"", retry_after)
    made = world("dynamic-apply", hook, parent())
    made.run(1.05)

    assert calls(made) == pytest.approx(called, rel=0.1)
    assert events(made) == []


@pytest.mark.parametrize("status", [201, 204, 400, 404, 500, 503])
def test_any_other_status_is_an_error_with_backoff_whatever_its_retry_after(status: int) -> None:
    hook = Answers()
    hook.says = Reply(status, b"{}", 60)
    made = world("dynamic-apply", hook, parent())
    made.run(1)

    times = [call.at for call in made.history.calls()]
    assert [round(b - a, 3) for a, b in pairwise(times)] == [0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32]
    assert events(made)[0] == f"unsupported status code: {status}"
