"""The work queue: coalescing, backoff, and which syncs are idle."""

import json
from itertools import pairwise

import pytest

from metahook.simulator.clock import Clock
from metahook.simulator.hook import Reply
from metahook.simulator.metacontroller.queue import BURST, FIRST_RETRY, LAST_RETRY, RATE, RateLimiter, WorkQueue
from metahook.simulator.objects import Key
from toolkit.worlds import CHANGES, DEPLOYMENT, WEB, Answers, Since, calls, deployment, events, parent, world

A, B = Key("Widget", "default", "a"), Key("Widget", "default", "b")


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


def test_edits_during_a_call_cost_one_more_call_with_the_last_state() -> None:
    made = world("dynamic-apply", Answers(), parent())
    made.until_quiet()
    before = calls(made)

    def edit(hook: str, body: bytes) -> Reply:
        made.metacontroller.hook = plain
        for number in range(10):
            made.edit(WEB, lambda item, number=number: item["spec"].update(memory=f"{number + 1}Mi"))  # type: ignore[misc]  # a lambda's default has no type
        return plain(hook, body)

    plain, made.metacontroller.hook = made.metacontroller.hook, edit
    made.metacontroller.enqueue(WEB)
    made.until_quiet()

    memory = [json.loads(call.request)["parent"]["spec"].get("memory") for call in made.history.calls()][before:]
    assert memory == [None, "10Mi"]


def test_all_retries_together_are_limited() -> None:
    hook, names = Answers(), [f"web-{number}" for number in range(150)]
    hook.says = Reply(500, b"")
    made = world("dynamic-apply", hook, *(parent(name) for name in names))
    made.run(5)

    assert calls(made) == pytest.approx(len(names) + BURST + 5 * RATE, abs=1)


def test_tokens_for_retries_come_back_up_to_the_burst() -> None:
    clock = Clock()
    limiter = RateLimiter(clock)
    keys = [Key("Widget", "default", str(number)) for number in range(BURST + 2)]
    first = [limiter.when(key) for key in keys]
    clock.sleep(3600)
    again = [limiter.when(key) for key in keys]

    assert (first[BURST - 1], first[BURST:]) == (FIRST_RETRY, [1 / RATE, 2 / RATE])
    assert again[BURST:] == first[BURST:]


def test_a_retry_replaces_a_later_timer_of_a_response() -> None:
    hook = Answers()
    hook.answer["resyncAfterSeconds"] = 60
    made = world("dynamic-apply", hook, parent())
    made.run(10)
    hook.says = Reply(500, b"")
    made.metacontroller.enqueue(WEB)
    made.run(0.01)
    hook.says = None
    made.run(100)

    first, *_, last, timer = [round(call.at, 1) for call in made.history.calls()]
    assert (first, last, timer) == (0, 10, 70)


def test_what_happens_while_metacontroller_is_down_is_repaired_after_it() -> None:
    made = world("dynamic-apply", Answers(deployment(replicas=1)), parent(), controllers=False)
    made.until_quiet()
    made.metacontroller.restart(after=60)
    for replicas in (2, 3):
        made.edit(DEPLOYMENT, lambda item, replicas=replicas: item["spec"].update(replicas=replicas))  # type: ignore[misc]  # a lambda's default has no type
        made.run(10)
    done = Since(made)
    made.until_quiet()

    assert done.writes == [CHANGES["dynamic-apply"]]
    assert made.get(DEPLOYMENT)["spec"]["replicas"] == 1
