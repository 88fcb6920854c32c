"""A budget of memory: a body that arrives slowly gives way to a new one."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from metahook.server.connections.body_memory import BodyMemory, Buffer
from metahook.server.refusal import Refused


@contextmanager
def buffer(budget: BodyMemory) -> Iterator[Buffer]:
    """Return a buffer, which is released at the end of the block."""
    made = budget.buffer()
    try:
        yield made
    finally:
        made.release()


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
        with buffer(budget) as share:
            assert not is_refused(share, 4)
            assert not is_refused(share, 6)
            assert is_refused(share, 1)
            assert share.body == b"x" * 10


def test_the_body_that_has_been_arriving_for_longest_gives_way() -> None:
    budget = BodyMemory(10)
    with buffer(budget) as empty, buffer(budget) as first, buffer(budget) as second, buffer(budget) as new:
        assert not is_refused(second, 3)
        assert not is_refused(first, 7)
        assert not is_refused(new, 5)
        assert [bytes(share.body) for share in (first, second, new)] == [b"", b"xxx", b"xxxxx"]
        assert is_refused(first, 1)
        assert not is_refused(empty, 2)


def test_a_body_that_has_arrived_does_not_give_way() -> None:
    budget = BodyMemory(10)
    with buffer(budget) as arrived, buffer(budget) as new:
        arrived.add(b"x" * 8)
        budget.complete(arrived)
        assert is_refused(new, 3)
        assert not is_refused(new, 2)
        assert arrived.body == b"x" * 8


def test_what_failed_or_gave_way_is_given_back_once() -> None:
    budget = BodyMemory(10)
    with suppress(KeyError), buffer(budget) as fails:
        fails.add(b"x" * 10)
        raise KeyError
    with buffer(budget) as first:
        first.add(b"x" * 10)
        with buffer(budget) as second:
            second.add(b"x" * 10)
    with buffer(budget) as last:
        assert not is_refused(last, 10)
        assert is_refused(last, 1)
