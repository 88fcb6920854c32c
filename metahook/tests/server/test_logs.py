"""The log: its form, and which calls and refusals have a line."""

import json
import logging
from datetime import datetime

import pytest
from msgspec.structs import replace

from metahook import SyncRequest, SyncResponse
from metahook.protocol.installation import InstallationProblem
from metahook.protocol.response import LONGEST_LOG_TEXT, RESERVED_LOG_FIELDS
from metahook.server import Format, Limits, ServerOptions, Telemetry, create_app, telemetry
from metahook.server.logs import INNERMOST, OUTERMOST, LogEvent, error_location
from metahook.server.refusals import FAILED, TOO_LARGE, UNAUTHORIZED
from metahook.server.telemetry import MOST, HookCall
from toolkit.builders import NOW
from toolkit.hooks.minimal import TINY, controller, sync_body
from toolkit.served.asgi import call
from toolkit.served.log import FORMATS, written
from toolkit.widgets import WIDGETS, ready_request

READY = ready_request()
SUMMARY = TINY.handle_sync(sync_body(), NOW).summary._replace(reason_before="Available", reason="Available")
CALL = HookCall("/sync", 200, 10, 20, 0.0015, summary=SUMMARY)


CANARY = "canary-7d1b"


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


@pytest.mark.parametrize("format_", FORMATS)
def test_a_mistake_in_a_call_of_the_log_is_a_line_that_says_where(format_: Format) -> None:
    with written(format_) as log:
        mistake = {"msg": "%d", "args": (CANARY,), "pathname": __file__, "lineno": 7}
        log.handler.emit(logging.makeLogRecord(mistake))

    assert f"wrong arguments at {__file__}:7" in log.text()
    assert CANARY not in log.text()


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


def test_a_field_with_fields_of_its_own_is_no_python_for_people() -> None:
    with written("console") as log:
        logging.getLogger("a").info(LogEvent("started", settings={"port": "8080", "drain": "0"}))

    assert log.text().endswith('started settings="port=8080 drain=0" [a]\n') or log.text().endswith(
        'started settings="port=8080 drain=0"\n'
    )


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
def _at_debug(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "metahook")


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

    shown = {*call_.line(replace(SUMMARY.parent, kind="K")).fields, *rules.line(SUMMARY.parent).fields}

    assert shown < RESERVED_LOG_FIELDS


@pytest.mark.parametrize(
    "notable",
    [
        CALL._replace(summary=SUMMARY._replace(reason="RollingOut")),
        CALL._replace(seconds=1.1),
        CALL._replace(status=500, id="0badcafe", summary=None, parent=SUMMARY.parent),
    ],
    ids=["a transition", "a slow call", "a failure"],
)
def test_a_notable_call_has_a_line_at_level_info_and_another_at_debug(
    notable: HookCall, caplog: pytest.LogCaptureFixture
) -> None:
    quiet = CALL._replace(hook="/customize", summary=SUMMARY._replace(reason="None", rules=0))
    for each in (CALL, quiet, notable):
        Telemetry().called(each)

    assert [record.levelname for record in caplog.records] == ["DEBUG", "DEBUG", "INFO"]


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
    reports = Telemetry()

    for _ in range(3):
        reports.called(CALL._replace(summary=SUMMARY._replace(findings=(InstallationProblem.OutdatedCRD,))))

    (line,) = [line for line in lines(caplog) if line.event != "hook called"]
    assert line.event == "wrong installation"
    assert line.fields == {"finding": "OutdatedCRD", "message": InstallationProblem.OutdatedCRD.message}


def test_a_call_that_is_refused_for_its_sender_names_no_parent(caplog: pytest.LogCaptureFixture) -> None:
    refused = call(create_app(TINY, ServerOptions(Limits(max_body=1))), "/sync", sync_body())

    assert refused.status_code == TOO_LARGE.status
    assert [line for line in lines(caplog) if line.event == "hook called"] == []


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


# Refusals: a line a minute for each cause, one id, and bounded memory


def test_each_cause_has_a_line_and_an_id_of_its_own_which_other_replicas_share(
    caplog: pytest.LogCaptureFixture,
) -> None:
    first, second = Telemetry(["/sync"]), Telemetry(["/sync"])
    ids = [each.refused(refusal, "/sync") for each in (first, second) for refusal in (TOO_LARGE, FAILED, TOO_LARGE)]
    other = first.refused(FAILED, "/sync", "KeyError at here")
    for _ in range(2):
        first.closed("handshake")

    assert ids[0] == ids[2] == ids[3]
    assert len({*ids, other}) == 3
    assert [str(line) for line in lines(caplog) if line.event == "connection closed"] == [
        "connection closed limit=handshake"
    ]
    assert [line.fields["id"] for line in lines(caplog) if "id" in line.fields] == [*ids[:2], *ids[3:5], other]


def test_a_cause_has_another_line_after_a_pause_and_many_causes_take_bounded_memory(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    reports = Telemetry()
    for _ in range(2):
        reports.refused(TOO_LARGE)
    monkeypatch.setattr(telemetry, "PAUSE", 0)
    reports.refused(TOO_LARGE)
    assert len(lines(caplog)) == 2

    for number in range(3 * MOST):
        reports.refused(FAILED, where=str(number))
    assert len(vars(reports)["_logged"]) <= MOST


def test_a_refusal_has_the_path_of_a_hook_and_no_other(caplog: pytest.LogCaptureFixture) -> None:
    reports = Telemetry(["/sync"])
    for path in ("/sync", "/canary", "/canary2"):
        reports.refused(UNAUTHORIZED, path)

    assert [line.fields.get("hook") for line in lines(caplog)] == ["/sync", None]
    assert "canary" not in caplog.text
