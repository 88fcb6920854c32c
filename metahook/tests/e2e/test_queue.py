"""The work queue of the real Metacontroller: one for each CompositeController, with the parents' keys."""

import threading
import time
from itertools import pairwise

import pytest

from metahook.simulator.hook import Reply
from metahook.simulator.metacontroller.queue import BURST, FIRST_RETRY, RATE
from toolkit.hooks.notes import Json, note
from toolkit.hooks.notes_on_a_cluster import FENCE, Notes, reasons
from toolkit.recording_server import Call

FAILS = Reply(500, b'{"error": "the tests say so"}')
WORKERS = 5
PARENTS = 150


class Gate:
    """Holds the sync calls for all Notes but FENCE until it is opened."""

    def __init__(self, notes: Notes) -> None:
        self.inside: list[str] = []
        self.most = 0
        self._lock = threading.Lock()
        self._opened = threading.Event()
        notes.hook.before = self._hold

    def open(self) -> None:
        """Let all calls pass."""
        self._opened.set()

    def _hold(self, hook: str, request: Json) -> None:
        name = request["parent"]["metadata"]["name"]
        if hook != "sync" or name == FENCE:
            return
        with self._lock:
            self.inside.append(name)
            self.most = max(self.most, len(self.inside))
        self._opened.wait(50)
        with self._lock:
            self.inside.remove(name)


def ask(notes: Notes, number: int) -> None:
    """Ask for a sync of the Note ``one``, by an annotation."""
    notes.edit("Note", {"metadata": {"annotations": {"example.com/sync": str(number)}}}, "one")


def fail(notes: Notes, reply: Reply | None = FAILS) -> None:
    """Let sync answer *reply* for all Notes but FENCE from now on; None is the answer of the hook."""

    def instead(hook: str, request: Json) -> Reply | None:
        return reply if hook == "sync" and request["parent"]["metadata"]["name"] != FENCE else None

    notes.hook.before = instead


def delays(calls: list[Call]) -> list[float]:
    """Return the seconds from each answer to the next call."""
    return [after.at - before.until for before, after in pairwise(calls)]


@pytest.fixture(name="running")
def _running(notes: Notes) -> Notes:
    """Return a namespace with the Note ``one``, which is at rest."""
    notes.start_with("one")
    return notes


def test_ten_edits_during_a_call_cost_one_more_call_with_the_last_state(running: Notes) -> None:
    gate, before = Gate(running), len(running.calls())
    ask(running, 0)
    running.eventually(lambda: gate.inside == ["one"])

    for number in range(1, 11):
        ask(running, number)
    running.settle()
    at_once = gate.most
    gate.open()
    running.settle()

    first, last = running.calls()[before:]
    asked = [call.request["parent"]["metadata"]["annotations"]["example.com/sync"] for call in (first, last)]
    assert asked == ["0", "10"]
    assert at_once == 1
    assert first.until <= last.at


def test_as_many_parents_are_synced_at_once_as_there_are_workers(running: Notes) -> None:
    gate = Gate(running)
    names = [f"note-{number}" for number in range(WORKERS + 3)]
    for name in names:
        running.create(note(name))
    running.eventually(lambda: len(gate.inside) == WORKERS)
    running.wait_until_no_calls()

    assert len(gate.inside) == WORKERS
    gate.open()
    running.eventually(lambda: all(running.word("Note", name) == "a" for name in names))
    assert gate.most == WORKERS


def test_retries_wait_twice_as_long_each_time_and_from_the_beginning_after_a_success(running: Notes) -> None:
    before, retries = len(running.calls()), 10
    fail(running)
    ask(running, 1)
    running.eventually(lambda: len(running.calls()) > before + retries)
    fail(running, None)
    running.eventually(lambda: running.calls()[-1].status == 200)
    failed = [call for call in running.calls()[before:] if call.status == 500]
    running.settle()

    again = len(running.calls())
    fail(running)
    ask(running, 2)
    running.eventually(lambda: len(running.calls()) > again + 1)
    fail(running, None)

    longer = delays(failed)
    assert [delay >= FIRST_RETRY * 2**number for number, delay in enumerate(longer)] == [True] * len(longer)
    assert delays(running.calls()[again:])[0] < longer[-1]


def test_a_failed_sync_writes_nothing_and_is_an_event_of_its_parent_alone(running: Notes) -> None:
    fail(running)
    running.change_word("b")
    running.eventually(lambda: "SyncError" in reasons(running.cluster, "Note", "one", running.name))
    running.settle()
    written = running.word("ConfigMap"), running.word("Note")
    found = running.cluster.list("Event", running.name)
    fail(running, None)
    running.eventually(lambda: (running.word("ConfigMap"), running.word("Note")) == ("b", "b"))

    assert written == ("a", "a")
    assert {(item["reason"], item["type"], item["involvedObject"]["name"]) for item in found} == {
        ("SyncError", "Warning", "one")
    }
    assert all("500" in item["message"] and "the tests say so" in item["message"] for item in found)


def test_all_retries_together_are_limited(running: Notes) -> None:
    """Without the limit each parent would be retried nine times within three seconds."""
    fail(running)
    names = {f"note-{number}" for number in range(PARENTS)}
    for name in sorted(names):
        running.create(note(name))

    def calls() -> list[Call]:
        return [call for call in list(running.server.calls) if call.hook == "sync" and call.name in names]

    running.eventually(lambda: {call.name for call in calls()} == names)
    running.eventually(lambda: len(calls()) > PARENTS + BURST + 3 * RATE)
    found = calls()
    fail(running, None)

    elapsed = found[-1].until - found[0].at
    assert len(found) <= PARENTS + BURST + RATE * elapsed + WORKERS < PARENTS * 9


def test_a_429_is_retried_after_its_retry_after_without_an_event(running: Notes) -> None:
    before = len(running.calls())
    fail(running, Reply(429, b"", 2))
    ask(running, 1)
    running.eventually(lambda: len(running.calls()) == before + 2)
    fail(running, None)
    running.eventually(lambda: running.calls()[-1].status == 200)

    busy = running.calls()[before:]
    assert [call.status for call in busy] == [429, 429, 200]
    assert min(delays(busy)) >= 1.9
    fail(running)
    running.create(note("other"))
    running.eventually(lambda: "SyncError" in reasons(running.cluster, "Note", "other", running.name))
    assert reasons(running.cluster, "Note", "one", running.name) == set()
    fail(running, None)


def test_resync_after_seconds_calls_again_without_an_event(running: Notes) -> None:
    before = len(running.calls())
    answer = running.calls()[-1].answer.removesuffix("}") + ',"resyncAfterSeconds":1}'
    fail(running, Reply(200, answer.encode()))
    ask(running, 1)
    running.eventually(lambda: len(running.calls()) >= before + 4)
    fail(running, None)

    calls = running.calls()[before:]
    assert min(delays(calls)) >= 0.9
    assert {call.request["parent"]["metadata"]["resourceVersion"] for call in calls[1:]} == {
        calls[1].request["parent"]["metadata"]["resourceVersion"]
    }


def test_a_resync_period_queues_all_parents_together(running: Notes) -> None:
    time.sleep(1.5)
    running.create(note("later"))
    before = len(running.calls())
    running.cluster.patch("CompositeController", running.controller, {"spec": {"resyncPeriodSeconds": 3}})
    running.eventually(lambda: len(running.calls()) >= before + 4)
    running.wait_until_no_calls()

    first, last = ([call.at for call in running.calls(name)[-3:]] for name in ("one", "later"))
    assert max(abs(one - later) for one, later in zip(first, last, strict=True)) < 0.5
