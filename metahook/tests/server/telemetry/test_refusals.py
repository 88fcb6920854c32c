"""Refusals by cause: one line a minute for each, one id for each, and bounded memory."""

import itertools

import pytest

from metahook.server.telemetry.refusals import FORGET, MOST, WINDOW, RefusalCause, RefusalCauses

NOT_JSON = RefusalCause(400, "/sync", "the body is not JSON")
TOO_LARGE = RefusalCause(413, "/sync", "the request is too large", "max_body")


class Log:
    """RefusalCauses with a clock of its own, and the lines that they lead to."""

    def __init__(self) -> None:
        self.now = 1000.0
        numbers = itertools.count(1)
        self.causes = RefusalCauses(lambda: self.now, lambda: f"id{next(numbers)}")
        self.lines: list[tuple[str, int]] = []

    def add(self, cause: RefusalCause) -> str:
        """Count *cause*, as the reports do; return its id."""
        for due in self.causes.due():
            self._write(due.id, due.count)
            self.causes.written(due)
        found, is_due = self.causes.add(cause)
        if is_due:
            self._write(found.id, found.count)
            self.causes.written(found)
        return found.id

    def _write(self, id_: str, count: int) -> None:
        self.lines.append((id_, count))


@pytest.mark.parametrize("more", [1, 2])
def test_the_first_refusal_for_a_cause_has_a_line_and_the_next_ones_are_counted(more: int) -> None:
    log = Log()

    ids = [log.add(cause) for cause in (NOT_JSON, TOO_LARGE, *[NOT_JSON] * more)]
    log.now += WINDOW
    log.add(TOO_LARGE)

    assert ids == ["id1", "id2", *["id1"] * more]
    assert log.lines == [("id1", 1), ("id2", 1), ("id1", more), ("id2", 1)]


def test_a_cause_keeps_its_id_while_it_occurs_and_gets_another_after_an_hour_without() -> None:
    log = Log()
    first = log.add(NOT_JSON)
    log.now += FORGET - 1
    later = log.add(NOT_JSON)
    log.now += FORGET
    log.add(TOO_LARGE)  # any report forgets old causes

    assert (first, later) == ("id1", "id1")
    assert log.add(NOT_JSON) == "id3"


def test_no_refusal_is_lost_from_the_counts() -> None:
    log = Log()
    for number in range(500):
        log.add(NOT_JSON if number % 3 else TOO_LARGE)
        log.now += 1.7

    assert sum(count for _, count in log.lines) + sum(found.count for found in log.causes.unreported()) == 500


def test_many_causes_of_a_status_count_as_one_and_leave_room_for_those_of_another() -> None:
    log = Log()

    for number in range(10 * MOST):
        log.add(RefusalCause(400, error=f"rule {number}"))
    other = log.add(TOO_LARGE)

    assert len(log.lines) == MOST + 2
    assert other not in {id_ for id_, _ in log.lines[:-1]}


def test_a_cause_of_earlier_makes_room_for_a_new_one() -> None:
    log = Log()
    for number in range(MOST):
        log.now += 1
        log.add(RefusalCause(400, error=f"rule {number}"))
    log.now += WINDOW

    first, second = log.add(NOT_JSON), log.add(RefusalCause(400, error=f"rule {MOST - 1}"))

    assert first == f"id{MOST + 1}"
    assert second == f"id{MOST}"
    assert len(log.causes.unreported()) == 0
