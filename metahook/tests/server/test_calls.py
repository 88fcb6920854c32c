"""Calls: how long a body may be, how many there are at once, how long a hook decides, and how it fails."""

import asyncio
import gc
import logging
import queue
import threading
import tracemalloc
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from metahook import (
    ConfigMap,
    Controller,
    CustomizeRequest,
    MalformedRequest,
    RefusedResponse,
    RelatedRule,
    SyncRequest,
    SyncResponse,
)
from metahook.protocol.bodies import MAX_BODY, MIB, RequestRule
from metahook.server import Limits, ServerOptions, Tokens, create_app
from metahook.server.calls import Threads
from toolkit.builders import NOW
from toolkit.hooks.minimal import PARENT, TINY, config_map, controller, customize_body, sync_body
from toolkit.served.asgi import JSON, call
from toolkit.served.refusals import error, refusal
from toolkit.served.thread import PATIENCE, At, asked, raw, read, sent, serving
from toolkit.waiting import eventually

BODY = sync_body()
LARGE = sync_body(later="x" * 2 * MIB)
CANARY = "canary-c9f0f895"
FAILED = "the hook failed; its log says where"
BUSY = "too many requests at the same time"
TOO_LONG = "the hook did not decide in time"

# How long a body may be


@pytest.mark.parametrize("content", [BODY, [BODY]], ids=["announced", "chunked"])
def test_a_body_may_be_as_long_as_the_limit(content: bytes | list[bytes]) -> None:
    exact, short = (create_app(TINY, ServerOptions(Limits(max_body=len(BODY) - less))) for less in (0, 1))

    assert call(exact, "/sync", content).status_code == 200
    assert refusal(call(short, "/sync", content)) == (413, "the request is too large")


def test_the_service_as_it_is_takes_32_mib_and_answers_a_client_that_sends_more() -> None:
    """Go's client is one: it reads the response, and may lose it to a reset if the connection is closed meanwhile."""
    assert MAX_BODY == 32 * MIB
    with serving() as at:
        assert asked(at, raw(sync_body(later="x" * 32_000_000))).status == 200
        assert asked(at, raw(b" " * 100 * MIB)).status == 413


# How many bodies are in memory


class Blocked(NamedTuple):
    """A hook that waits, and where it is served."""

    at: At
    go_on: threading.Event
    begun: threading.Semaphore
    """Has a permit for each call that has begun."""


@contextmanager
def blocked(limits: Limits, tokens: Tokens | None = None) -> Iterator[Blocked]:
    """Serve a hook that waits for an event with a parent of generation 3, and responds to one of another at once."""
    go_on, begun = threading.Event(), threading.Semaphore(0)

    def wait(request: SyncRequest) -> SyncResponse:
        if request.parent.generation == PARENT["metadata"]["generation"]:
            begun.release()
            go_on.wait(PATIENCE)
        return SyncResponse({"a": 1})

    with serving(controller(wait), ServerOptions(limits, tokens=tokens)) as at:
        try:
            yield Blocked(at, go_on, begun)
        finally:
            go_on.set()


OTHER = sync_body(parent={**PARENT, "metadata": {**PARENT["metadata"], "generation": 4}})
"""A request for a parent that the hook does not wait with."""


@pytest.mark.parametrize(("timeout", "status"), [(8.0, 200), (0.3, 429)], ids=["for a while", "in vain"])
def test_large_bodies_are_received_one_after_the_other(timeout: float, status: int) -> None:
    with blocked(Limits(body_timeout=timeout)) as (at, go_on, begun), sent(at, raw(LARGE)) as first:
        assert begun.acquire(timeout=PATIENCE)
        with sent(at, raw(LARGE)) as second:
            assert asked(at, raw(OTHER)).status == 200
            if status == 200:
                assert not begun.acquire(timeout=0.1)
                go_on.set()
            answer = read(second)
        go_on.set()

        assert (read(first).status, answer.status) == (200, status)
        assert asked(at, raw(LARGE)).status == 200
    assert status == 200 or error(answer.body) == BUSY


def test_small_bodies_have_16_mib_together_and_give_them_back() -> None:
    unfinished = raw(b"[" * MIB)[:-1]
    with serving() as at:
        with ExitStack() as stack:
            for _ in range(16):
                stack.enter_context(sent(at, unfinished))
            assert eventually(lambda: asked(at, raw(BODY)).status == 429)
        assert eventually(lambda: asked(at, raw(BODY)).status == 200)


def test_a_body_that_arrives_slowly_is_refused_and_leaves_its_place() -> None:
    with serving(options=ServerOptions(Limits(body_timeout=0.3))) as at, sent(at, raw(LARGE)[:-1]) as slow:
        assert read(slow).status == 408
        assert asked(at, raw(LARGE)).status == 200


def test_malformed_bodies_leave_memory_at_once() -> None:
    """A future that held the exception would be in a cycle with its traceback, which has the body."""
    bad = raw(b"[" + LARGE)
    with serving() as at:
        asked(at, bad)
        gc.collect()
        gc.disable()
        tracemalloc.start()
        try:
            assert [asked(at, bad).status for _ in range(8)] == [400] * 8
            assert tracemalloc.get_traced_memory()[0] < 5 * MIB
        finally:
            tracemalloc.stop()
            gc.enable()


# How many calls there are


def test_calls_beyond_the_limit_get_429_and_a_hook_that_waits_holds_up_nothing_else(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("a-token")
    caller = "Authorization: Bearer a-token"
    with blocked(Limits(max_in_flight=2), Tokens(token)) as (at, go_on, begun), ExitStack() as stack:
        waiting = [stack.enter_context(sent(at, raw(BODY, caller))) for _ in range(2)]
        assert [begun.acquire(timeout=PATIENCE) for _ in waiting] == [True, True]

        refused = [asked(at, raw(BODY, caller)) for _ in range(50)]
        strangers = [asked(at, raw(BODY)).status for _ in range(4)]
        document = asked(at, raw(b"", caller, line="GET /openapi.json HTTP/1.1"))
        go_on.set()

        assert [read(each).status for each in waiting] == [200, 200]
        assert {(each.status, error(each.body)) for each in refused} == {(429, BUSY)}
        assert {each.headers["retry-after"] for each in refused} == set("12345")  # not all come back together
        assert (strangers, document.status) == ([401] * 4, 200)
        assert asked(at, raw(BODY, caller)).status == 200


def test_a_hook_that_does_not_decide_in_time_gets_503_and_others_go_on(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "metahook")
    with blocked(Limits(decide_timeout=0.5, body_timeout=1.5)) as (at, go_on, _):
        for body in (BODY, LARGE):
            late = asked(at, raw(body))
            assert (late.status, error(late.body)) == (503, TOO_LONG)
            assert asked(at, raw(OTHER)).status == 200
        assert asked(at, raw(LARGE.replace(b'"generation":3', b'"generation":4'))).status != 200  # the place is taken
        go_on.set()
        assert eventually(lambda: asked(at, raw(LARGE)).status == 200)

    late_lines = [line for line in caplog.messages if "hook called" in line and "status=503" in line]
    assert len(late_lines) == 2  # what a thread decides too late is not reported
    assert all("name=hello" in line and "limit=decide_timeout" in line for line in late_lines)


def test_a_call_for_which_no_thread_starts_fails_and_is_not_made_later(monkeypatch: pytest.MonkeyPatch) -> None:
    made = list[int]()

    def respond(request: SyncRequest) -> SyncResponse:
        made.append(request.parent.generation)
        return SyncResponse({"a": 1})

    app = create_app(controller(respond))

    def fail(_: threading.Thread) -> None:
        message = "can't start new thread"
        raise RuntimeError(message)

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", fail)
        assert [call(app, "/sync", BODY).status_code for _ in range(70)] == [500] * 70  # more than there are threads
    assert call(app, "/sync", OTHER).status_code == 200
    assert made == [4]


def test_requests_that_wait_for_a_thread_in_vain_leave_memory_at_once() -> None:
    long = raw(sync_body(later="x" * 512 * 1024))
    with blocked(Limits(max_in_flight=2, decide_timeout=0.1)) as (at, _, _begun):
        assert [asked(at, long).status for _ in range(2)] == [503, 503]
        tracemalloc.start()
        try:
            assert [asked(at, long).status for _ in range(8)] == [503] * 8
            assert tracemalloc.get_traced_memory()[0] < 2 * MIB
        finally:
            tracemalloc.stop()


def test_a_function_that_ends_just_before_its_call_learns_that_it_is_cancelled_is_not_late() -> None:
    async def late() -> int:
        threads, begun = Threads(1), queue.Queue[threading.Thread]()
        call = asyncio.create_task(threads.run(lambda: begun.put(threading.current_thread())))
        await asyncio.sleep(0)  # it starts the thread
        begun.get(timeout=PATIENCE).join(PATIENCE)
        call.cancel()
        await asyncio.wait([call])
        return threads.late

    assert asyncio.run(late()) == 0


# What the caller and the log see of a failure

MALFORMED = {
    "no JSON": CANARY.encode(),
    "no generation": sync_body().replace(b"generation", CANARY.encode()),
    "no group of children": sync_body(children={CANARY: {}}),
}
REFUSED = {
    **{name: ("/sync", content, JSON) for name, content in MALFORMED.items()},
    "another path": (f"/{CANARY}", sync_body(), JSON),
    "too large": ("/sync", CANARY.encode() * 200, JSON),
    "another content type": ("/sync", sync_body(), {"content-type": f"text/{CANARY}"}),
    "a header": ("/sync", b"{}", {**JSON, CANARY: CANARY}),
}


@pytest.mark.parametrize(("path", "content", "headers"), REFUSED.values(), ids=REFUSED)
def test_a_refusal_has_nothing_of_the_request_and_the_log_has_its_text_and_id(
    path: str, content: bytes, headers: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    response = call(create_app(TINY, ServerOptions(Limits(max_body=2_000))), path, content, headers=headers)

    assert response.status_code >= 400
    assert CANARY not in response.text + str(response.headers) + caplog.text
    (line,) = [message for message in caplog.messages if "request refused" in message]
    assert f'error="{error(response.content)}"' in line
    assert f"id={response.json()['id']}" in line


def raising(failure: BaseException) -> Controller:
    def fail(_: SyncRequest) -> SyncResponse:
        raise failure

    return controller(fail)


class Panic(BaseException):
    """As a library in Rust raises it."""


FAILURES: dict[str, BaseException] = {
    "bug": KeyError(CANARY),
    "group of bugs": ExceptionGroup(CANARY, [ValueError(CANARY)]),
    "no memory": MemoryError(CANARY),
    "an interrupt": KeyboardInterrupt(CANARY),
    "an exit": SystemExit(CANARY),
    "a panic": Panic(CANARY),
    "text that is no text": UnicodeDecodeError("utf-8", CANARY.encode(), 0, 1, CANARY),
}


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES.keys())
def test_a_bug_in_a_controller_is_a_500_that_says_where_and_not_with_what(
    failure: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    failure.add_note(CANARY)

    response = call(create_app(raising(failure)), "/sync", sync_body(later=CANARY))

    assert refusal(response) == (500, FAILED)
    assert int(response.headers["content-length"]) == len(response.content)
    assert f'request refused hook=/sync status=500 error="{FAILED}" where="{type(failure).__name__} at ' in caplog.text
    assert "test_calls.py:" in caplog.text
    assert CANARY not in caplog.text


def test_a_bug_in_customize_is_a_500_too(caplog: pytest.LogCaptureFixture) -> None:
    broken = Controller(sync=TINY.sync, children=(), customize=lambda request: [request.missing])  # type: ignore[attr-defined] # the bug

    assert refusal(call(create_app(broken), "/customize", customize_body())) == (500, FAILED)
    assert f'request refused hook=/customize status=500 error="{FAILED}" where="AttributeError at ' in caplog.text


def test_the_log_names_the_damage_that_the_gate_refused(caplog: pytest.LogCaptureFixture) -> None:
    dangerous = controller(lambda _: SyncResponse(status={"a": 1}, children=[config_map(CANARY, data={CANARY: None})]))

    assert refusal(call(create_app(dangerous), "/sync", sync_body(later=CANARY))) == (500, FAILED)
    assert "RefusedResponse (a null, or what JSON can't say, in a child) at " in caplog.text
    assert CANARY not in caplog.text


@pytest.mark.parametrize(
    "failure",
    [MalformedRequest(RequestRule.REQUIRED, path=CANARY), RefusedResponse(CANARY)],
    ids=lambda failure: type(failure).__name__,
)
def test_an_exception_of_metahook_that_a_hook_raises_is_a_failure_and_its_text_is_nowhere(
    failure: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    def customize(_: CustomizeRequest) -> list[RelatedRule]:
        raise failure

    misusing = create_app(Controller(sync=raising(failure).sync, children=(ConfigMap,), customize=customize))
    answers = [call(misusing, "/sync", sync_body()), call(misusing, "/customize", customize_body())]

    assert [refusal(answer) for answer in answers] == [(500, FAILED)] * 2
    assert caplog.text.count(f"MisusedException ({type(failure).__name__} is for metahook alone to raise) at ") == 2
    assert CANARY not in caplog.text


def test_the_canary_would_be_seen_in_a_log_that_repeats_errors(caplog: pytest.LogCaptureFixture) -> None:
    try:
        raising(KeyError(CANARY)).handle_sync(sync_body(), NOW)
    except KeyError:
        logging.getLogger("careless").exception("hook failed")

    assert CANARY in caplog.text
