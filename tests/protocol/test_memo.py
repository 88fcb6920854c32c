"""The memo: it returns what was put, and forgets what was used least recently."""

from metahook.protocol.memo import Memo


def test_it_returns_the_last_value_of_a_key() -> None:
    memo: Memo[str] = Memo(bound=100)
    memo.put("a", "first", 10)
    memo.put("a", "second", 10)
    assert memo.get("a") == "second"
    assert memo.get("b") is None


def test_it_forgets_what_was_used_least_recently() -> None:
    memo: Memo[str] = Memo(bound=30)
    for key in "abc":
        memo.put(key, key, 10)
    memo.get("a")
    memo.put("d", "d", 10)
    assert [memo.get(key) for key in "abcd"] == ["a", None, "c", "d"]


def test_a_replaced_value_gives_its_room_back() -> None:
    memo: Memo[str] = Memo(bound=30)
    for _ in range(10):
        memo.put("a", "a", 20)
    memo.put("b", "b", 10)
    assert [memo.get(key) for key in "ab"] == ["a", "b"]


def test_a_value_over_the_bound_is_not_remembered_and_displaces_no_other() -> None:
    memo: Memo[str] = Memo(bound=30)
    memo.put("a", "a", 30)
    memo.put("b", "b", 31)
    assert [memo.get(key) for key in "ab"] == ["a", None]
