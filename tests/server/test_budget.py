"""A budget of memory: who finds too little of it left waits, in turn."""

import asyncio

import pytest

from metahook.server.budget import Budget


async def _settled() -> None:
    for _ in range(50):
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("sizes", "holders"),
    [
        ([4, 6], [0, 1]),
        ([4, 7], [0]),
        ([10, 0], [0, 1]),
        ([4, 7, 1], [0]),
    ],
    ids=["all fit", "one does not", "nothing always fits", "none overtakes one that waits"],
)
def test_who_fits_holds_and_the_others_wait_in_turn(sizes: list[int], holders: list[int]) -> None:
    assert asyncio.run(_snapshot(sizes)) == holders


async def _snapshot(sizes: list[int]) -> list[int]:
    budget = Budget(10)
    holders: list[int] = []

    async def hold(number: int, size: int) -> None:
        async with budget.hold(size):
            holders.append(number)
            await asyncio.Event().wait()

    tasks = [asyncio.create_task(hold(number, size)) for number, size in enumerate(sizes)]
    await _settled()
    found = list(holders)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return found


async def _held_at_once(sizes: list[int], fails: set[int]) -> int:
    """Return the most that was held at once, while all of *sizes* are held in turn; some holders fail."""
    budget, now, most = Budget(10), 0, 0

    async def hold(number: int, size: int) -> None:
        nonlocal now, most
        async with budget.hold(size):
            now += size
            most = max(most, now)
            await asyncio.sleep(0)
            now -= size
            if number in fails:
                raise KeyError

    await asyncio.gather(*(hold(number, size) for number, size in enumerate(sizes)), return_exceptions=True)
    async with budget.hold(10):  # all was given back
        return most


@pytest.mark.parametrize("fails", [set(), {0, 3, 7}], ids=["none fails", "some fail"])
def test_never_is_more_held_than_there_is_and_all_is_given_back(fails: set[int]) -> None:
    assert asyncio.run(_held_at_once([3, 9, 1, 10, 2, 2, 5, 8, 4, 4], fails)) <= 10


def test_who_leaves_while_waiting_takes_nothing_along() -> None:
    async def played() -> None:
        budget = Budget(10)
        async with budget.hold(10):
            leaves = asyncio.create_task(budget.hold(10).__aenter__())
            await _settled()
            leaves.cancel()
            await asyncio.gather(leaves, return_exceptions=True)
        async with budget.hold(10):
            pass

    asyncio.run(asyncio.wait_for(played(), 10))
