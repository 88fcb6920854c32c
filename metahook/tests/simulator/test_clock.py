"""Virtual time: timers run in order, and nothing else moves the time."""

from metahook.simulator.clock import Clock


def test_timers_run_in_the_order_of_their_time_and_then_of_their_setting() -> None:
    clock, done = Clock(), list[str]()
    for seconds, name in ((2, "late"), (1, "first"), (1, "second"), (-5, "now")):
        clock.after(seconds, lambda name=name: done.append(name))  # type: ignore[misc] # one lambda per name

    while clock.next_timer:
        clock.step()

    assert done == ["now", "first", "second", "late"]
    assert clock.now == 2


def test_a_cancelled_timer_does_not_run_and_does_not_keep_the_clock_busy() -> None:
    clock, done = Clock(), list[str]()
    clock.after(1, lambda: done.append("a")).cancelled = True

    assert (clock.is_busy, clock.next_timer) == (False, None)
    clock.step()
    assert (done, clock.now) == ([], 0)


def test_an_idle_timer_runs_but_does_not_keep_the_clock_busy() -> None:
    clock, done = Clock(), list[str]()
    clock.after(1, lambda: done.append("a"), idle=True)

    assert not clock.is_busy
    clock.step()
    assert done == ["a"]


def test_time_never_goes_back() -> None:
    clock, passed = Clock(), list[float]()
    clock.pace = passed.append
    clock.sleep(5)
    clock.sleep(3)

    assert clock.now == 5
    assert passed == [5]


def test_a_stamp_is_the_time_in_whole_seconds() -> None:
    clock = Clock()
    clock.sleep(90.7)

    assert clock.stamp() == "2026-01-31T12:01:30Z"
    assert clock.since("2026-01-31T12:00:00Z") == 90.7
