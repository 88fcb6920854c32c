"""The log of calls in development mode."""

import itertools
import logging
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from metahook import Controller, SyncRequest, SyncResponse
from metahook.protocol.controller import Handler
from metahook.protocol.request_builder import sync_request
from metahook.server.app import ServerOptions, create_app
from metahook.server.dev.calls import MOST_LINES, LastResponses, log_calls
from metahook.server.telemetry.telemetry import Telemetry
from toolkit.builders import NOW
from toolkit.hooks.minimal import PARENT, TINY, config_map, controller, customize_body, sync_body
from toolkit.hooks.service_per_object import LABEL, SERVICES, stateful_set
from toolkit.served.asgi import call

DEV = ServerOptions(dev=True)


@pytest.fixture(autouse=True)
def _at_info(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "metahook.server.dev")


def logged(hook: Handler) -> Handler:
    """Return *hook* with a log, in which each call takes 1.5 ms."""
    ticks = (seconds * 0.0015 for seconds in itertools.count())
    return log_calls({"/sync": hook}, timer=lambda: next(ticks))["/sync"]


def changing(*responses: SyncResponse) -> Controller:
    """Return a controller that gives *responses*, one after the other."""
    left = iter(responses)
    return controller(lambda _: next(left))


def messages(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == "metahook.server.dev.calls"]


def test_a_call_is_logged_with_what_differs_from_the_last_response(caplog: pytest.LogCaptureFixture) -> None:
    hook = changing(
        SyncResponse({"state": "Building"}, [config_map(data={"word": "a"})]),
        SyncResponse({"state": "Ready"}, [config_map(data={"word": "a"})], resync_after=60),
        SyncResponse({"state": "Ready"}, [config_map(data={"word": "a"})], resync_after=30),
        SyncResponse({"state": "Ready"}, []),
    )
    answer = logged(hook.handle_sync)

    for _ in range(4):
        answer(sync_body(), NOW)

    call_of = "/sync default/hello generation 3 in 1.5 ms"
    assert messages(caplog) == [
        f"{call_of}: 1 ConfigMap; nothing to compare with\n  + ConfigMap hello\n  + status.state: Building",
        f"{call_of}: 1 ConfigMap; resync in 60 s; changed\n  ~ status.state: Building -> Ready",
        f"{call_of}: 1 ConfigMap; resync in 30 s; unchanged",
        f"{call_of}: no children; changed\n  - ConfigMap hello",
    ]


def test_the_rules_of_customize_are_logged_too(caplog: pytest.LogCaptureFixture) -> None:
    app = create_app(TINY, DEV)

    call(app, "/customize", customize_body())
    call(app, "/customize", customize_body())

    first, second = messages(caplog)
    assert first.startswith("/customize default/hello generation 3 in ")
    assert first.endswith(" ms: rules: 1; nothing to compare with\n  + rule configmaps hello")
    assert second.endswith(" ms: rules: 1; unchanged")


def test_parents_are_told_apart_by_their_uid(caplog: pytest.LogCaptureFixture) -> None:
    answer = logged(changing(*[SyncResponse({"state": "Ready"})] * 3).handle_sync)
    recreated = {**PARENT, "metadata": {**PARENT["metadata"], "uid": "another"}}

    for parent in (PARENT, recreated, PARENT):
        answer(sync_body(parent=parent), NOW)

    assert [message.partition("; ")[2].partition("\n")[0] for message in messages(caplog)] == [
        "nothing to compare with",
        "nothing to compare with",
        "unchanged",
    ]


def fails(_: SyncRequest) -> SyncResponse:
    message = "canary"
    raise KeyError(message)


def test_a_call_that_fails_is_logged_before_the_place_of_the_error(caplog: pytest.LogCaptureFixture) -> None:
    response = call(create_app(controller(fails), DEV), "/sync", sync_body())

    *_, of_call, of_error = [record.getMessage() for record in caplog.records]
    assert response.status_code == 500
    assert of_call.startswith("/sync default/hello generation 3 in ")
    first, *lines = of_call.splitlines()
    assert first.endswith(" ms: failed")
    assert lines[0] == "  Traceback (most recent call last):"
    assert lines[1].endswith(", in <lambda>")  # of the hook, without the frames of metahook before it
    assert lines[-1] == "  KeyError: 'canary'"
    assert ' where="KeyError at ' in of_error
    assert "canary" not in of_error + response.text


def test_a_response_that_the_gate_refused_is_logged_with_the_child_and_the_path(
    caplog: pytest.LogCaptureFixture,
) -> None:
    wrong = SyncResponse({"a": 1}, [config_map(data={"a": None})])

    assert call(create_app(controller(lambda _: wrong), DEV), "/sync", sync_body()).status_code == 500
    assert messages(caplog)[-1].endswith(" ms: failed\n  ConfigMap hello: data.a is null: leave the field out")


def test_the_fields_of_the_hooks_own_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    logged(changing(SyncResponse({"a": 1}, log={"plan": "gold"})).handle_sync)(sync_body(), NOW)

    assert " plan=gold" in messages(caplog)[0].splitlines()[0]


def test_a_decorator_and_its_finalize_hook_are_logged_as_a_controller_is(caplog: pytest.LogCaptureFixture) -> None:
    sent = sync_request(stateful_set(), {"Service.v1": {}}, {}, api="decorator")
    last = sync_request(stateful_set(), {"Service.v1": {}}, {}, api="decorator", finalizing=True)

    logged(SERVICES.handle_sync)(sent, NOW)
    logged(SERVICES.handle_finalize)(last, NOW)

    call_of = "/sync default/db generation 0 in 1.5 ms"
    assert messages(caplog) == [
        f"{call_of}: 1 Service; nothing to compare with\n  + Service db\n  + object.labels[{LABEL}]: true",
        f"{call_of}: no children; finalized; nothing to compare with\n  + object.labels[{LABEL}]: null",
    ]


def test_after_a_failure_the_last_response_is_still_the_one_to_compare_with(caplog: pytest.LogCaptureFixture) -> None:
    outcomes = iter([SyncResponse({"state": "Ready"}), None, SyncResponse({"state": "Ready"})])
    app = create_app(controller(lambda request: next(outcomes) or fails(request)), DEV)

    codes = [call(app, "/sync", sync_body()).status_code for _ in range(3)]

    assert codes == [200, 500, 200]
    assert messages(caplog)[-1].endswith("; unchanged")


def test_a_request_that_is_refused_is_logged_if_it_names_a_parent(caplog: pytest.LogCaptureFixture) -> None:
    assert call(create_app(TINY, DEV), "/sync", sync_body(children={})).status_code == 400

    *_, of_call, of_app = [record.getMessage() for record in caplog.records]
    assert of_call.startswith("/sync default/hello generation 3 in ")
    assert of_call.endswith(" ms: refused")
    assert of_app.startswith("request refused hook=/sync status=400 ")


def test_a_request_without_a_parent_is_logged_by_the_app_alone(caplog: pytest.LogCaptureFixture) -> None:
    assert call(create_app(TINY, DEV), "/sync", b"{}").status_code == 400
    assert messages(caplog) == []
    assert "request refused hook=/sync status=400 " in caplog.text


@pytest.mark.parametrize(
    ("path", "body"),
    [("/sync", sync_body()), ("/customize", customize_body()), ("/sync", b"{}"), ("/sync", b"")],
    ids=["sync", "customize", "malformed", "empty"],
)
def test_the_response_is_the_same_as_without_the_log(path: str, body: bytes) -> None:
    apps = (
        create_app(TINY, each, clock=lambda: NOW, telemetry=Telemetry(new_id=str)) for each in (ServerOptions(), DEV)
    )
    plain, dev = (call(app, path, body) for app in apps)

    assert (dev.status_code, dev.content, dev.headers) == (plain.status_code, plain.content, plain.headers)


def test_a_response_that_can_not_be_logged_is_sent(caplog: pytest.LogCaptureFixture) -> None:
    answer = logged(lambda _, now: TINY.handle_sync(sync_body(), now)._replace(body=b"no JSON"))

    assert [answer(sync_body(), NOW).body for _ in range(2)] == [b"no JSON"] * 2
    assert messages(caplog) == ["a call of /sync could not be logged: DecodeError"] * 2


def test_no_call_is_logged_without_development_mode(caplog: pytest.LogCaptureFixture) -> None:
    assert call(create_app(TINY), "/sync", sync_body()).status_code == 200
    assert messages(caplog) == []


def test_a_long_difference_is_cut(caplog: pytest.LogCaptureFixture) -> None:
    status: dict[str, Any] = {f"field{number}": number for number in range(MOST_LINES + 2)}

    logged(changing(SyncResponse(status)).handle_sync)(sync_body(), NOW)

    first, *lines = messages(caplog)[0].splitlines()
    assert first.endswith("; nothing to compare with")
    assert (len(lines), lines[-1]) == (MOST_LINES + 1, "  ... and 2 more")


def test_names_can_not_forge_a_line(caplog: pytest.LogCaptureFixture) -> None:
    parent = {**PARENT, "metadata": {**PARENT["metadata"], "namespace": "default\n\x1b[2Jforged"}}
    response = b'{"status":{"a":"b\\nforged"},"children":[]}'
    answer = logged(lambda _, now: TINY.handle_sync(sync_body(), now)._replace(body=response))

    answer(sync_body(parent=parent), NOW)

    assert messages(caplog)[0].splitlines() == [
        "/sync default??[2Jforged/hello generation 3 in 1.5 ms: no children; nothing to compare with",
        "  + status.a: b?forged",
    ]


def test_only_the_last_responses_are_kept() -> None:
    last = LastResponses(2)

    before = [last.replace("/sync", uid, uid.encode()) for uid in ("a", "b", "a", "c", "b")]

    assert before == [None, None, b"a", None, None]
    assert last.replace("/customize", "c", b"") is None
    assert last.replace("/sync", "b", b"") == b"b"


def test_threads_can_log_at_the_same_time() -> None:
    last = LastResponses(3)

    def replace_many() -> None:
        for number in range(50):
            last.replace("/sync", str(number % 7), bytes(number % 5))

    with ThreadPoolExecutor(4) as pool:
        workers = [pool.submit(replace_many) for _ in range(4)]
    assert [worker.result() for worker in workers] == [None] * 4

    kept = [last.replace("/sync", uid, b"") for uid in "0123456"]
    assert sum(response is not None for response in kept) <= 3
