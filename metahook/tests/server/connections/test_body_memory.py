"""A budget of memory: a body that arrives slowly gives way to a new one."""

from contextlib import suppress

from metahook.server.connections.body_memory import BodyMemory, Buffer
from metahook.server.refusal import Refused


def is_refused(share: Buffer, size: int) -> bool:
    """Add *size* bytes to *share*; tell whether they are refused."""
    try:
        share.add(b"x" * size)
    except Refused as refused:
        return refused.refusal.limit == "small_bodies"
    return False


def test_a_body_may_take_all_there_is_and_gives_it_back() -> None:
    budget = BodyMemory(10)
    for _ in range(3):
        with budget.buffer() as share:
            assert not is_refused(share, 4)
            assert not is_refused(share, 6)
            assert is_refused(share, 1)
            assert share.body == b"x" * 10


def test_the_body_that_has_been_arriving_for_longest_gives_way() -> None:
    budget = BodyMemory(10)
    with budget.buffer() as empty, budget.buffer() as first, budget.buffer() as second, budget.buffer() as new:
        assert not is_refused(second, 3)
        assert not is_refused(first, 7)
        assert not is_refused(new, 5)
        assert [bytes(share.body) for share in (first, second, new)] == [b"", b"xxx", b"xxxxx"]
        assert is_refused(first, 1)
        assert not is_refused(empty, 2)


def test_a_body_that_has_arrived_does_not_give_way() -> None:
    budget = BodyMemory(10)
    with budget.buffer() as arrived, budget.buffer() as new:
        arrived.add(b"x" * 8)
        budget.complete(arrived)
        assert is_refused(new, 3)
        assert not is_refused(new, 2)
        assert arrived.body == b"x" * 8


def test_what_failed_or_gave_way_is_given_back_once() -> None:
    budget = BodyMemory(10)
    with suppress(KeyError), budget.buffer() as fails:
        fails.add(b"x" * 10)
        raise KeyError
    with budget.buffer() as first:
        first.add(b"x" * 10)
        with budget.buffer() as second:
            second.add(b"x" * 10)
    with budget.buffer() as last:
        assert not is_refused(last, 10)
        assert is_refused(last, 1)
