"""The log: its form, and which calls and refusals have a line."""

import asyncio
import fcntl
import itertools
import json
import logging
import os
import threading
from dataclasses import replace
from datetime import datetime

import pytest

from metahook import SyncRequest, SyncResponse
from metahook.protocol.installation import InstallationProblem
from metahook.protocol.response import LONGEST_LOG_TEXT, RESERVED_LOG_FIELDS
from metahook.server import Format, Limits, ServerOptions, Telemetry, create_app
from metahook.server.logs import INNERMOST, OUTERMOST, LogEvent, LogHandler, error_location, formatter
from metahook.server.refusals import TOO_LARGE, UNAUTHORIZED, Refusal
from metahook.server.telemetry import FORGET, MOST, WINDOW, HookCall
from toolkit.builders import NOW
from toolkit.hooks.minimal import TINY, controller, sync_body
from toolkit.served.asgi import call
from toolkit.served.log import FORMATS, written
from toolkit.widgets import WIDGETS, ready_request

READY = ready_request()
SUMMARY = TINY.handle_sync(sync_body(), NOW).summary._replace(reason_before="Available", reason="Available")
CALL = HookCall("/sync", 200, 10, 20, 0.0015, summary=SUMMARY)


class Clock:
    """A clock that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


CANARY = "canary-7d1b"
PATIENCE = 5


def test_a_line_of_json_has_time_level_event_and_fields() -> None:
    with written("json") as log:
        logging.getLogger("metahook.test").warning(LogEvent("request refused", status=413, error='the "request"'))

    line = json.loads(log.text())
    assert list(line) == ["time", "level", "event", "status", "error"]
    assert datetime.fromisoformat(line.pop("time")).utcoffset() is not None
    assert line == {"level": "warning", "event": "request refused", "status": 413, "error": 'the "request"'}


def test_the_hooks_own_log_has_the_same_form_and_its_logger() -> None:
    with written("json") as log:
        logging.getLogger("my.hook").info("hello %s", "world")
        logging.getLogger("my.hook").error("failed", exc_info=KeyError("of the author"))

    hello, failed = map(json.loads, log.text().splitlines())
    assert (hello["level"], hello["logger"], hello["event"]) == ("info", "my.hook", "hello world")
    assert failed["exception"].endswith("KeyError: 'of the author'")


def fail() -> None:
    """Raise an exception with the canary in its text."""
    raise KeyError(CANARY)


def test_lines_that_nobody_reads_are_dropped_and_counted_and_a_mistake_of_the_author_is_a_line() -> None:
    reader, writer = os.pipe()
    size = fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 8192)
    omitted: list[int] = []
    log = logging.Logger("test")  # noqa: LOG001 - apart from the one that other tests have
    handler = LogHandler(writer, omitted.append)
    handler.setFormatter(formatter("json", is_terminal=False))
    log.addHandler(handler)
    received = b""

    for line in ("x" * 2 * size, "dropped", "dropped, for the rest of the first", "after"):
        log.info(line)
        if line != "x" * 2 * size:
            received += os.read(reader, 2 * size)
    log.info("%d", "no number")
    long, about, after, mistake = (received + os.read(reader, 2 * size)).splitlines()
    os.close(reader)
    log.info("nobody reads")
    os.close(writer)

    assert json.loads(long)["event"] == "x" * 2 * size
    assert (json.loads(about)["count"], len(omitted)) == (2, 3)
    assert json.loads(after)["event"] == "after"
    assert mistake.startswith(b"can't write the log line of " + __file__.encode())


def test_a_terminal_that_nobody_reads_stops_nothing() -> None:
    master, terminal = os.openpty()
    omitted: list[int] = []
    handler = LogHandler(terminal, omitted.append)

    def write() -> None:
        for _ in range(100):
            handler.emit(logging.makeLogRecord({"msg": "x" * 1000}))

    writing = threading.Thread(target=write, daemon=True)
    writing.start()
    writing.join(PATIENCE)
    is_done = not writing.is_alive()
    os.close(master)

    assert is_done
    assert len(omitted) > 1
    os.close(terminal)


@pytest.mark.parametrize("format_", FORMATS)
def test_a_library_says_where_it_failed_and_not_with_what(format_: Format) -> None:
    message = "Exception in callback received(b'%s')\nhandle: <%s>"
    with written(format_) as log:
        try:
            fail()
        except KeyError:
            logging.getLogger("asyncio").exception(message, CANARY, CANARY)

    assert "Exception in callback received" in log.text()
    assert "KeyError at " in log.text()
    assert "test_logs.py:" in log.text()
    assert CANARY not in log.text()


@pytest.mark.parametrize("format_", FORMATS)
def test_no_value_forges_a_line_or_a_field(format_: Format) -> None:
    with written(format_) as log:
        logging.getLogger("a").info(LogEvent("hook called", name='x\n2026 forged\u2028\x1b[2J status=500 "'))
        logging.getLogger("b").info("own\ntext\x1b[2J")

    first, second = log.text().splitlines()
    assert "\x1b" not in log.text()
    assert '"status"' not in first
    assert "own" in second


def test_a_list_has_lines_of_its_own_for_people() -> None:
    with written("console") as log:
        logging.getLogger("a").info(LogEvent("changed", changes=["+ a\nforged", "- b"]))

    assert log.text().splitlines()[1:] == ["  + a?forged", "  - b"]


@pytest.mark.parametrize(("is_terminal", "begin"), [(True, "2"), (False, '{"time": ')], ids=["a terminal", "a file"])
def test_at_a_terminal_the_log_is_for_people(*, is_terminal: bool, begin: str) -> None:
    with written("auto", is_terminal=is_terminal) as log:
        logging.getLogger("a").info(LogEvent("started"))

    assert log.text().startswith(begin)


# Which calls have a line


@pytest.fixture(autouse=True)
def _at_info(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "metahook")


def lines(caplog: pytest.LogCaptureFixture) -> list[LogEvent]:
    return [record.msg for record in caplog.records if isinstance(record.msg, LogEvent)]


def test_a_call_has_a_line_with_its_parent_and_what_was_decided(caplog: pytest.LogCaptureFixture) -> None:
    response = call(create_app(WIDGETS), "/sync", READY)

    (line,) = lines(caplog)
    assert line.event == "hook called"
    assert isinstance(line.fields.pop("ms"), float)
    assert line.fields == {
        "hook": "/sync",
        "kind": "Widget",
        "namespace": "default",
        "name": "web",
        "uid": "b848bea7-865d-4a1f-bf45-a10293c59ffe",
        "generation": 1,
        "reason_before": "Available",
        "reason": "Available",
        "children": 1,
        "kept": 0,
        "bytes_in": len(READY),
        "bytes_out": len(response.content),
        "status": 200,
    }


def test_the_line_of_a_call_has_the_fields_of_the_hooks_own_cut_to_a_length(caplog: pytest.LogCaptureFixture) -> None:
    own: dict[str, str | int | float | bool] = {
        "plan": "gold",
        "nodes": 3,
        "share": 0.5,
        "paid": True,
        "note": "x" * 500,
    }
    app = create_app(controller(lambda _: SyncResponse({"a": 1}, log=own)))

    assert call(app, "/sync", sync_body()).status_code == 200

    (line,) = lines(caplog)
    assert {name: line.fields[name] for name in own} == {**own, "note": "x" * LONGEST_LOG_TEXT}


def test_no_field_of_a_line_can_be_taken_for_one_of_the_hooks_own() -> None:
    call_ = CALL._replace(limit="a", id="b", summary=SUMMARY._replace(rules=None))
    rules = CALL._replace(summary=SUMMARY._replace(rules=1))

    shown = {*call_.line(replace(SUMMARY.parent, kind="K"), 1).fields, *rules.line(SUMMARY.parent, 0).fields}

    assert shown < RESERVED_LOG_FIELDS


def test_above_the_rate_calls_are_left_out_and_the_next_line_has_their_number(caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock()
    reports = Telemetry(2, timer=clock)

    for _ in range(10):
        reports.called(CALL)
    clock.now += 1
    reports.called(CALL)

    assert [line.fields.get("omitted", 0) for line in lines(caplog)] == [0, 0, 8]
    assert reports.omitted == 8


@pytest.mark.parametrize(
    "notable",
    [
        CALL._replace(summary=SUMMARY._replace(reason="RollingOut")),
        CALL._replace(seconds=1.1),
        CALL._replace(status=500, id="0badcafe", summary=None, parent=SUMMARY.parent),
    ],
    ids=["a transition", "a slow call", "a failure"],
)
def test_a_notable_call_has_a_line_among_too_many_others(notable: HookCall, caplog: pytest.LogCaptureFixture) -> None:
    reports = Telemetry(2, timer=Clock())
    for _ in range(10):
        reports.called(CALL)
    caplog.clear()

    reports.called(CALL)
    reports.called(notable)

    assert [line.fields["omitted"] for line in lines(caplog)] == [9]


def test_the_reason_before_a_customize_is_no_transition() -> None:
    assert not HookCall("/customize", 200, 1, 1, 0, summary=SUMMARY._replace(reason="None", rules=0)).is_notable
    assert HookCall("/sync", 200, 1, 1, 0, summary=SUMMARY._replace(reason="None")).is_notable


def test_at_level_debug_every_call_has_a_line(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "metahook")
    reports = Telemetry(1, timer=Clock())

    for _ in range(10):
        reports.called(CALL)

    assert len(lines(caplog)) == 10
    assert reports.omitted == 0


def test_at_a_rate_of_zero_no_call_has_a_line_and_a_refusal_has(caplog: pytest.LogCaptureFixture) -> None:
    reports = Telemetry(0)
    reports.called(CALL._replace(seconds=2))
    reports.refused(TOO_LARGE, "/sync")

    assert [line.event for line in lines(caplog)] == ["request refused"]


def test_a_failure_has_the_id_of_its_line_and_each_parent_that_it_meets(caplog: pytest.LogCaptureFixture) -> None:
    def fails(_: SyncRequest) -> SyncResponse:
        raise KeyError

    app = create_app(controller(fails))
    parents = [sync_body().replace(b'"hello"', name) for name in (b'"one"', b'"two"')]

    ids = {call(app, "/sync", body).json()["id"] for body in parents}
    refused, *called = lines(caplog)

    assert ids == {refused.fields["id"]} == {line.fields["id"] for line in called}
    assert [line.fields["name"] for line in called] == ["one", "two"]
    assert str(refused.fields["where"]).startswith("KeyError at ")


def test_a_finding_about_the_installation_has_one_line(caplog: pytest.LogCaptureFixture) -> None:
    reports = Telemetry(0)

    for _ in range(3):
        reports.called(CALL._replace(summary=SUMMARY._replace(findings=(InstallationProblem.OutdatedCRD,))))

    (line,) = lines(caplog)
    assert line.event == "wrong installation"
    assert line.fields == {"finding": "OutdatedCRD", "message": InstallationProblem.OutdatedCRD.message}


def test_a_call_that_is_refused_for_its_sender_names_no_parent(caplog: pytest.LogCaptureFixture) -> None:
    refused = call(create_app(TINY, ServerOptions(Limits(max_body=1))), "/sync", sync_body())

    assert refused.status_code == TOO_LARGE.status
    assert [line for line in lines(caplog) if line.event == "hook called"] == []


def test_counts_are_written_while_nothing_else_happens(caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock()
    reports = Telemetry(timer=clock)
    for _ in range(3):
        reports.refused(TOO_LARGE, "/sync")
    clock.now += WINDOW

    def counts() -> list[object]:
        return [line.fields["count"] for line in lines(caplog) if "count" in line.fields]

    async def wait() -> list[object]:
        async with reports.writing_counts(every=0):
            for _ in range(10):
                await asyncio.sleep(0)
            return counts()

    assert counts() == [1]
    assert asyncio.run(wait()) == [1, 2]


def test_of_a_long_traceback_both_ends_are_shown() -> None:
    def recurse(depth: int) -> None:
        if depth:
            recurse(depth - 1)
        raise KeyError

    def place(depth: int) -> str:
        with pytest.raises(KeyError) as raised:
            recurse(depth)
        return error_location(raised.value)

    assert place(500) == place(400)
    assert place(500).count(" < ") == INNERMOST + OUTERMOST
    assert place(3).count(" < ") == 4
    assert "..." not in place(3)


def test_at_the_end_what_was_counted_is_written(caplog: pytest.LogCaptureFixture) -> None:
    reports = Telemetry(timer=Clock(), new_id=lambda: "1")
    for _ in range(3):
        reports.refused(TOO_LARGE)
        reports.closed("head_timeout")
    reports.end()

    assert [str(line) for line in lines(caplog)] == [
        'request refused status=413 error="the request is too large" limit=max_body id=1 count=1',
        "connection closed limit=head_timeout count=1",
        'request refused status=413 error="the request is too large" limit=max_body id=1 count=2',
        "connection closed limit=head_timeout count=2",
        "stopped calls=0 refusals=6 omitted=0",
    ]


# Refusals: a line a minute for each cause, one id, and bounded memory

NOT_JSON = Refusal(400, "the body is not JSON")


class Causes:
    """Telemetry with a clock of its own, and the lines of refusals that it writes."""

    def __init__(self, caplog: pytest.LogCaptureFixture) -> None:
        self.clock = Clock()
        numbers = itertools.count(1)
        self.telemetry = Telemetry(timer=self.clock, hooks=["/sync"], new_id=lambda: f"id{next(numbers)}")
        self._caplog = caplog

    def add(self, refusal: Refusal, path: str = "/sync", *, after: float = 0) -> str:
        """Refuse a request *after* so many seconds; return its id."""
        self.clock.now += after
        return self.telemetry.refused(refusal, path)

    def lines(self) -> list[tuple[object, object]]:
        """Return the id and the count in each line."""
        return [(line.fields.get("id"), line.fields["count"]) for line in lines(self._caplog) if "count" in line.fields]


def test_the_first_refusal_for_a_cause_has_a_line_and_the_next_ones_are_counted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    log = Causes(caplog)

    ids = [log.add(each) for each in (NOT_JSON, TOO_LARGE, NOT_JSON, NOT_JSON)]
    log.add(TOO_LARGE, after=WINDOW)

    assert ids == ["id1", "id2", "id1", "id1"]
    assert log.lines() == [("id1", 1), ("id2", 1), ("id1", 2), ("id2", 1)]


def test_a_cause_keeps_its_id_while_it_occurs_and_gets_another_after_an_hour_without(
    caplog: pytest.LogCaptureFixture,
) -> None:
    log = Causes(caplog)

    assert [log.add(NOT_JSON), log.add(NOT_JSON, after=FORGET - 1)] == ["id1", "id1"]
    log.add(TOO_LARGE, after=FORGET)  # any report forgets old causes
    assert log.add(NOT_JSON) != "id1"


def test_no_refusal_is_lost_from_the_counts_and_many_causes_count_as_one(caplog: pytest.LogCaptureFixture) -> None:
    log = Causes(caplog)
    for number in range(10 * MOST):
        log.add(replace(NOT_JSON, message=f"rule {number}"), after=0.17)
    log.add(TOO_LARGE)
    log.telemetry.end()

    assert sum(int(str(count)) for _, count in log.lines()) == 10 * MOST + 1
    assert len({id_ for id_, _ in log.lines()}) <= MOST + 2


def test_a_refusal_has_the_path_of_a_hook_and_no_other(caplog: pytest.LogCaptureFixture) -> None:
    log = Causes(caplog)
    for path in ("/sync", "/canary", "/canary2"):
        log.add(UNAUTHORIZED, path)

    assert [line.fields.get("hook") for line in lines(caplog)] == ["/sync", None]
    assert "canary" not in caplog.text
