"""The log as it is written: JSON for programs, text for people."""

import fcntl
import json
import logging
import os
import threading
from datetime import datetime

import pytest

from metahook.server.telemetry.log_event import LogEvent
from metahook.server.telemetry.logs import Format, LogHandler, formatter
from toolkit.served.log import FORMATS, written

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


def test_a_line_that_is_cut_ends_before_the_next_one_and_a_mistake_of_the_author_is_a_line() -> None:
    reader, writer = os.pipe()
    size = fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 8192)
    omitted: list[int] = []
    log = logging.Logger("test")  # noqa: LOG001 - apart from the one that other tests have
    handler = LogHandler(writer, omitted.append)
    handler.setFormatter(formatter("json", is_terminal=False))
    log.addHandler(handler)

    log.info("x" * 2 * size)
    log.info("dropped")
    first = os.read(reader, 2 * size)
    log.info("%d", "no number")
    log.info("after")
    cut, about, mistake, after = (first + os.read(reader, 2 * size)).splitlines()
    os.close(reader)
    log.info("nobody reads")
    os.close(writer)

    assert len(cut) < 2 * size
    assert (json.loads(about)["count"], len(omitted)) == (2, 3)
    assert mistake.startswith(b"can't write the log line of " + __file__.encode())
    assert json.loads(after)["event"] == "after"


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
