"""Deadlines: they pass in time, however often they are moved, and an end keeps nothing in memory."""

import asyncio

import pytest

from metahook.server.connections.deadline import Deadline


async def passed(*seconds: float, removed: bool = False, ended: bool = False) -> list[float]:
    """Return which of the deadlines pass that are set one after the other, at once, within 0.2 seconds."""
    late: list[float] = []
    deadline = Deadline(asyncio.get_running_loop())
    for each in seconds:
        deadline.set(each, lambda each=each: late.append(each))  # type: ignore[misc] # a default
    if removed:
        deadline.remove()
    if ended:
        deadline.end()
    await asyncio.sleep(0.2)
    return late


@pytest.mark.parametrize("seconds", [(0.01,), (0.01, 0.05), (60, 0.01), (0.05, 0.02, 0.04)], ids=str)
def test_the_deadline_that_is_set_last_passes_and_no_other(seconds: tuple[float, ...]) -> None:
    assert asyncio.run(passed(*seconds)) == [seconds[-1]]


def test_a_deadline_does_not_pass_early_or_after_it_is_removed() -> None:
    assert asyncio.run(passed(0.01, 60)) == []
    assert asyncio.run(passed(0.01, removed=True)) == []
    assert asyncio.run(passed(0.01, ended=True)) == []


def test_a_deadline_may_be_set_again_when_it_has_passed() -> None:
    async def played() -> list[bool]:
        deadline, states = Deadline(asyncio.get_running_loop()), []
        for _ in range(2):
            done = asyncio.Event()
            deadline.set(0.01, done.set)
            states.append(deadline.is_set)
            await asyncio.wait_for(done.wait(), 10)
            states.append(deadline.is_set)
        return states

    assert asyncio.run(played()) == [True, False, True, False]


def test_a_deadline_that_is_ended_is_not_set() -> None:
    async def played() -> bool:
        deadline = Deadline(asyncio.get_running_loop())
        deadline.set(60, lambda: None)
        deadline.end()
        return deadline.is_set

    assert not asyncio.run(played())
