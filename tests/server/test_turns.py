"""Turns: decisions of the event loop, in slices."""

import asyncio

import pytest
from starlette.responses import Response

from metahook.server import turns
from metahook.server.turns import Turns

CALLERS = 64


async def rounds_of_the_loop() -> int:
    """Return how often the event loop handles everything else while decisions for all callers are made."""
    loop, taken, rounds, order = asyncio.get_running_loop(), Turns(), 0, []

    def count() -> None:
        nonlocal rounds
        rounds += 1
        counting[0] = loop.call_soon(count)

    def decide(number: int) -> Response:
        order.append(number)
        return Response(str(number))

    counting = [loop.call_soon(count)]
    responses = await asyncio.gather(*(taken.take(lambda each=each: decide(each)) for each in range(CALLERS)))  # type: ignore[misc] # a default
    counting[0].cancel()
    assert [response.body for response in responses] == [b"%d" % number for number in range(CALLERS)]
    assert order == list(range(CALLERS))
    return rounds


def test_many_short_decisions_are_made_in_one_round_of_the_event_loop() -> None:
    """Else each waits until the loop has refused what all others send in the meantime."""
    assert asyncio.run(rounds_of_the_loop()) < CALLERS / 4


def test_after_each_slice_the_loop_handles_everything_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "SLICE", 0)

    assert asyncio.run(rounds_of_the_loop()) >= CALLERS


def test_a_decision_that_fails_or_is_no_longer_awaited_leaves_the_others_their_turns() -> None:
    def fail() -> Response:
        raise LookupError

    async def played() -> None:
        taken = Turns()
        left = asyncio.create_task(taken.take(fail))
        failing, last = asyncio.create_task(taken.take(fail)), asyncio.create_task(taken.take(Response))
        await asyncio.sleep(0)
        left.cancel()
        with pytest.raises(LookupError):
            await failing
        assert (await last).status_code == 200
        assert left.cancelled()

    asyncio.run(played())
