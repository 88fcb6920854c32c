"""Telemetry: which calls have a line, and what the log and the metrics get to know."""

import asyncio
import logging
import re
import time
from dataclasses import replace

import pytest

from metahook import Controller, SyncRequest, SyncResponse
from metahook.protocol.installation import InstallationProblem
from metahook.protocol.response import LONGEST_LOG_TEXT, RESERVED_LOG_FIELDS
from metahook.server.app import ServerOptions, create_app
from metahook.server.hook.calls import LONG
from metahook.server.limits import Limits
from metahook.server.refusal import TOO_LARGE, TOO_LONG, UNAUTHORIZED
from metahook.server.telemetry.error_location import INNERMOST, OUTERMOST, error_location
from metahook.server.telemetry.hook_call import HookCall
from metahook.server.telemetry.log_event import LogEvent
from metahook.server.telemetry.metrics import Metrics
from metahook.server.telemetry.refusals import WINDOW
from metahook.server.telemetry.telemetry import Telemetry
from toolkit.builders import NOW
from toolkit.hooks.minimal import TINY, controller, sync_body
from toolkit.served.asgi import call
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


@pytest.fixture(autouse=True)
def _at_info(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "metahook")


def lines(caplog: pytest.LogCaptureFixture) -> list[LogEvent]:
    return [record.msg for record in caplog.records if isinstance(record.msg, LogEvent)]


def test_a_call_has_a_line_with_its_parent_and_what_was_decided(caplog: pytest.LogCaptureFixture) -> None:
    response = call(create_app(WIDGETS, telemetry=Telemetry(timer=Clock())), "/sync", READY)

    (line,) = lines(caplog)
    assert line.event == "hook called"
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
        "ms": 0.0,
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
    reports.count_refusal("/sync", TOO_LARGE)

    assert [line.event for line in lines(caplog)] == ["request refused"]


def test_a_failure_has_the_id_of_its_line_and_each_parent_that_it_meets(caplog: pytest.LogCaptureFixture) -> None:
    def fails(_: SyncRequest) -> SyncResponse:
        raise KeyError

    app = create_app(controller(fails), telemetry=Telemetry(timer=Clock()))
    parents = [sync_body().replace(b'"hello"', name) for name in (b'"one"', b'"two"')]

    ids = {call(app, "/sync", body).json()["id"] for body in parents}
    refused, *called = lines(caplog)

    assert ids == {refused.fields["id"]} == {line.fields["id"] for line in called}
    assert [line.fields["name"] for line in called] == ["one", "two"]
    assert str(refused.fields["where"]).startswith("KeyError at ")


def test_the_metrics_get_calls_refusals_closed_connections_and_omitted_lines() -> None:
    def fails(_: SyncRequest) -> SyncResponse:
        raise KeyError

    metrics = Metrics(["/sync", "/bad/sync"], "1", Limits())
    reports = Telemetry(1, metrics=metrics, timer=Clock())
    app = create_app({"": TINY, "/bad": controller(fails)}, ServerOptions(Limits(max_body=500)), telemetry=reports)
    for path, body in [("/sync", sync_body())] * 3 + [("/bad/sync", sync_body()), ("/sync", b"x" * 501), ("/x", b"")]:
        call(app, path, body)
    reports.closed("idle_timeout")

    text = metrics.text().decode()
    assert [line for line in text.splitlines() if re.match("metahook_(calls|refus|syncs|conn.*closed|log)", line)] == [
        'metahook_calls_total{code="200",hook="/sync"} 3.0',
        'metahook_calls_total{code="500",hook="/bad/sync"} 1.0',
        'metahook_calls_total{code="413",hook="/sync"} 1.0',
        'metahook_refusals_total{code="500",hook="/bad/sync",limit="none"} 1.0',
        'metahook_refusals_total{code="413",hook="/sync",limit="max_body"} 1.0',
        'metahook_refusals_total{code="404",hook="other",limit="none"} 1.0',
        'metahook_syncs_total{hook="/sync",reason="None"} 3.0',
        "metahook_calls_in_flight 0.0",
        "metahook_calls_late 0.0",
        'metahook_connections_closed_total{limit="idle_timeout"} 1.0',
        "metahook_log_lines_omitted_total 2.0",
    ]


def test_a_finding_about_the_installation_has_one_line(caplog: pytest.LogCaptureFixture) -> None:
    reports = Telemetry(0)

    for _ in range(3):
        reports.called(CALL._replace(summary=SUMMARY._replace(findings=(InstallationProblem.OutdatedCRD,))))

    (line,) = lines(caplog)
    assert line.event == "wrong installation"
    assert line.fields == {"finding": "OutdatedCRD", "message": InstallationProblem.OutdatedCRD.message}


def test_a_call_that_the_hook_does_not_decide_in_time_names_its_parent(caplog: pytest.LogCaptureFixture) -> None:
    def decide_late(_: SyncRequest) -> SyncResponse:
        time.sleep(0.2)
        return SyncResponse({"a": 1})

    slow = create_app(controller(decide_late), ServerOptions(Limits(decide_timeout=0.01)))

    assert call(slow, "/sync", sync_body(later="x" * LONG)).status_code == TOO_LONG.status
    assert [line.fields["name"] for line in lines(caplog) if line.event == "hook called"] == ["hello"]


def test_a_call_that_is_refused_for_its_sender_names_no_parent(caplog: pytest.LogCaptureFixture) -> None:
    refused = call(create_app(TINY, ServerOptions(Limits(max_body=1))), "/sync", sync_body())

    assert refused.status_code == TOO_LARGE.status
    assert [line for line in lines(caplog) if line.event == "hook called"] == []


def test_a_refusal_before_the_hook_has_the_path_of_the_hook_and_no_other(caplog: pytest.LogCaptureFixture) -> None:
    metrics = Metrics(["/sync"], "1", Limits())
    reports = Telemetry(hooks=["/sync"], metrics=metrics)

    for path in ("/sync", "/canary", "/canary2"):
        reports.respond_refused(UNAUTHORIZED, path)

    assert [line.fields.get("hook") for line in lines(caplog)] == ["/sync", None]
    text = metrics.text().decode()
    assert 'refusals_total{code="401",hook="/sync",limit="tokens"} 1.0' in text
    assert 'refusals_total{code="401",hook="other",limit="tokens"} 2.0' in text


def test_counts_are_written_while_nothing_else_happens(caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock()
    reports = Telemetry(timer=clock)
    for _ in range(3):
        reports.count_refusal("/sync", TOO_LARGE)
    clock.now += WINDOW

    async def wait() -> None:
        async with reports.writing_counts(every=0):
            for _ in range(10):
                await asyncio.sleep(0)

    assert [line.fields["count"] for line in lines(caplog)] == [1]
    asyncio.run(wait())
    assert [line.fields["count"] for line in lines(caplog)] == [1, 2]


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
        reports.count_refusal("", TOO_LARGE)
        reports.closed("head_timeout")
    reports.end()

    assert [str(line) for line in lines(caplog)] == [
        'request refused status=413 error="the request is too large" limit=max_body id=1 count=1',
        "connection closed limit=head_timeout count=1",
        'request refused status=413 error="the request is too large" limit=max_body id=1 count=2',
        "connection closed limit=head_timeout count=2",
        "stopped calls=0 refusals=6 omitted=0",
    ]


def test_a_kind_that_is_no_text_is_left_out() -> None:
    def kind(value: str) -> str:
        answer = Controller(TINY.sync, TINY.children).handle_sync(
            sync_body().replace(b'"parent":{', f'"parent":{{"kind":{value},'.encode()), NOW
        )
        return answer.summary.parent.kind

    assert [kind(value) for value in ('"Tiny"', "null", "[1]", f'"{"x" * 64}"')] == ["Tiny", "", "", ""]
