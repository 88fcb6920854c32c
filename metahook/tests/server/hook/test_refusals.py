"""Answers other than 200: what the log says of them, and that nothing of the request is in it."""

import asyncio
import logging
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.requests import Request

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
from metahook.protocol.bodies import RequestRule
from metahook.server.app import ServerOptions, create_app
from metahook.server.connections.body import Bodies
from metahook.server.limits import Limits
from metahook.server.refusal import Refused as RefusedError
from toolkit.builders import NOW
from toolkit.hooks.minimal import TINY, config_map, controller, customize_body, sync_body
from toolkit.served.asgi import JSON, call
from toolkit.served.refusals import refusal

CANARY = "canary-c9f0f895"


def app() -> FastAPI:
    """Return an app that has refused nothing yet, so that its log has a line for the first refusal."""
    return create_app(TINY, ServerOptions(Limits(max_body=2_000)), clock=lambda: NOW)


FAILED = "the hook failed; its log says where"

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
}


@pytest.mark.parametrize(("path", "content", "headers"), REFUSED.values(), ids=REFUSED)
def test_a_refusal_leaves_nothing_of_the_request_in_the_log(
    path: str, content: bytes, headers: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="metahook")

    assert call(app(), path, content, headers=headers).status_code >= 400

    assert CANARY not in caplog.text


def raising(error: BaseException) -> Controller:
    def fail(_: SyncRequest) -> SyncResponse:
        raise error

    return controller(fail)


FAILURES: dict[str, BaseException] = {
    "bug": KeyError(CANARY),
    "group of bugs": ExceptionGroup(CANARY, [ValueError(CANARY)]),
    "no memory": MemoryError(CANARY),
    "an interrupt": KeyboardInterrupt(CANARY),
    "an exit": SystemExit(CANARY),
    "text that is no text": UnicodeDecodeError("utf-8", CANARY.encode(), 0, 1, CANARY),
}


@pytest.mark.parametrize("error", FAILURES.values(), ids=FAILURES.keys())
def test_a_bug_in_a_controller_is_a_500_that_says_where_and_not_with_what(
    error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    error.add_note(CANARY)

    response = call(create_app(raising(error)), "/sync", sync_body(later=CANARY))

    assert refusal(response) == (500, FAILED)
    assert int(response.headers["content-length"]) == len(response.content)
    assert f'request refused hook=/sync status=500 error="{FAILED}" where="{type(error).__name__} at ' in caplog.text
    assert "test_refusals.py:" in caplog.text
    assert CANARY not in caplog.text


def test_a_bug_in_customize_is_a_500_too(caplog: pytest.LogCaptureFixture) -> None:
    broken = Controller(sync=TINY.sync, children=(), customize=lambda request: [request.missing])  # type: ignore[attr-defined] # the bug

    response = call(create_app(broken), "/customize", customize_body())

    assert refusal(response) == (500, FAILED)
    assert f'request refused hook=/customize status=500 error="{FAILED}" where="AttributeError at ' in caplog.text


class Panic(BaseException):
    """As a library in Rust raises it."""


@pytest.mark.parametrize("raised", [Panic, SystemExit, MemoryError])
def test_an_error_of_any_kind_is_a_refusal(raised: type[BaseException]) -> None:
    def panic(_: SyncRequest) -> SyncResponse:
        raise raised

    assert call(create_app(controller(panic)), "/sync", sync_body()).status_code == 500


def test_the_log_names_the_damage_that_the_gate_refused(caplog: pytest.LogCaptureFixture) -> None:
    dangerous = controller(lambda _: SyncResponse(status={"a": 1}, children=[config_map(CANARY, data={CANARY: None})]))

    response = call(create_app(dangerous), "/sync", sync_body(later=CANARY))

    assert refusal(response) == (500, FAILED)
    assert "RefusedResponse (a null, or what JSON can't say, in a child) at " in caplog.text
    assert CANARY not in caplog.text


@pytest.mark.parametrize(
    ("path", "content"), [("/customize", b"{}"), *(("/sync", body) for body in MALFORMED.values())]
)
def test_the_log_names_the_rule_that_the_answer_names(
    path: str, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    answer = call(app(), path, content).json()

    assert caplog.messages == [
        f'request refused hook={path} status=400 error="{answer["error"]}" id={answer["id"]} count=1'
    ]


@pytest.mark.parametrize(
    "error",
    [MalformedRequest(RequestRule.REQUIRED, path=CANARY), RefusedResponse(CANARY)],
    ids=lambda error: type(error).__name__,
)
def test_an_exception_of_metahook_that_a_hook_raises_is_a_failure_and_its_text_is_nowhere(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    def customize(_: CustomizeRequest) -> list[RelatedRule]:
        raise error

    misusing = create_app(Controller(sync=raising(error).sync, children=(ConfigMap,), customize=customize))
    answers = [call(misusing, "/sync", sync_body()), call(misusing, "/customize", customize_body())]

    assert [refusal(answer) for answer in answers] == [(500, FAILED)] * 2
    assert caplog.text.count(f"MisusedException ({type(error).__name__} is for metahook alone to raise) at ") == 2
    assert all("test_refusals.py:" in message for message in caplog.messages if "where" in message)
    assert CANARY not in caplog.text


def test_the_canary_would_be_seen_in_a_log_that_repeats_errors(caplog: pytest.LogCaptureFixture) -> None:
    try:
        raising(KeyError(CANARY)).handle_sync(sync_body(), NOW)
    except KeyError:
        logging.getLogger("careless").exception("hook failed")

    assert CANARY in caplog.text


@pytest.mark.parametrize(
    ("content", "headers"),
    [([b"x" * 2_001], JSON), (b"x" * 2_001, JSON), (b"{}", {"content-type": "text/plain"})],
    ids=["too large", "said to be too large", "another type"],
)
def test_refusals_hold_on_to_nothing_of_what_they_refused(content: Any, headers: dict[str, str]) -> None:
    """An exception that is raised twice would gather the frames, and in them the bodies, of both."""

    def frames() -> int:
        with pytest.raises(RefusedError) as refused:
            asyncio.run(read(asked(content, headers)))
        return len(refused.traceback)

    assert frames() == frames()


async def read(request: Request) -> None:
    await Bodies(Limits(max_body=2_000)).read(request)
    pytest.fail("it was not refused")


def asked(content: Any, headers: dict[str, str]) -> Request:
    chunks = [content] if isinstance(content, bytes) else content
    length = {"content-length": str(len(content))} if isinstance(content, bytes) else {}
    messages = [{"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks]

    async def receive() -> Any:
        return messages.pop(0)

    raw = [(name.encode(), value.encode()) for name, value in {**headers, **length}.items()]
    return Request({"type": "http", "method": "POST", "path": "/sync", "headers": raw}, receive)
