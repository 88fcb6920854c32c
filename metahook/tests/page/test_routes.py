"""What the page asks its server for: a simulation of any hook, its errors, and who may ask."""

import json
import threading
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import pairwise
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from metahook import Controller, SyncRequest, SyncResponse
from metahook.cli.hooks.named_hook import LocalHook, StrictHook
from metahook.cli.hooks.subject import HookUnderTest
from metahook.cli.page import session
from metahook.cli.page.routes import MAX_BODY, page_router
from metahook.server import create_app
from metahook.simulator.hook import Hook, Reply, Unreachable
from metahook.simulator.metacontroller.settings import Settings
from toolkit.served.asgi import call
from toolkit.widgets import WIDGET, WIDGETS
from toolkit.worlds import CHILDREN

Json = dict[str, Any]

LOCAL = {"host": "127.0.0.1:8080", "content-type": "application/json"}
WEB = """\
apiVersion: example.com/v1
kind: Widget
metadata:
  name: web
spec:
  image: nginx:1.27
"""


def page(hook: Hook, files: tuple[str, ...] = ()) -> FastAPI:
    """Return an app with the page about *hook*, whose parents are Widgets."""
    app = create_app({})
    app.include_router(page_router(HookUnderTest(hook, "dynamic-apply", _settings), files))
    return app


def _settings(mode: Any) -> Settings:
    return Settings(WIDGET, CHILDREN, mode=mode)


WIDGET_PAGE = page(LocalHook(WIDGETS, "widgets"))


def asked(app: FastAPI, path: str, body: object = None, **headers: str) -> httpx.Response:
    method, content = ("GET", b"") if body is None else ("POST", json.dumps(body).encode())
    length = {"content-length": str(len(content))} if content else {}
    return call(app, path, content, method=method, headers={**LOCAL, **length, **headers})


def simulated(app: FastAPI, *steps: Json, **more: Any) -> Json:
    response = asked(app, "/page/simulation", {"steps": [{"at": 0, "apply": WEB}, *steps], **more})
    assert response.status_code == 200, response.text
    history: Json = response.json()
    return history


def last(history: Json, key: str) -> Json:
    """Return the object at *key* in the end."""
    writes = [entry for entry in history["entries"] if entry["object"] == key and "after" in entry]
    found: Json = writes[-1]["after"]
    return found


def calls(history: Json) -> Iterator[Json]:
    return (entry for entry in history["entries"] if entry["type"] == "call")


def test_a_simulation_is_the_whole_life_of_what_was_applied() -> None:
    history = simulated(WIDGET_PAGE, {"at": 30, "delete": {"object": "Widget/web"}})

    assert history["quiet"]
    assert (history["problem"], history["findings"]) == (None, [])
    assert history["entries"][0]["text"] == "creates Widget web"
    assert {entry["actor"] for entry in history["entries"] if entry["type"] == "write"} >= {"you", "kubelet"}
    assert last(history, "Widget/default/web") is None
    assert last(history, "Deployment/default/web-deployment") is None
    assert all(call["status"] == 200 for call in calls(history))


def test_a_response_that_is_the_same_as_the_last_one_is_left_out() -> None:
    responses = [call.get("response") for call in calls(simulated(WIDGET_PAGE)) if call["hook"] == "sync"]

    assert None in responses
    shown = list(filter(None, responses))
    assert all(before != after for before, after in pairwise(shown))


def test_what_is_done_happens_at_its_time() -> None:
    edited = WEB.replace("1.27", "1.28")
    history = simulated(WIDGET_PAGE, {"at": 12.5, "apply": edited}, {"at": 20, "fail": "crash"}, until=40)

    by_you = [(entry["at"], entry["verb"]) for entry in history["entries"] if entry.get("actor") == "you"]
    assert by_you == [(0, "create"), (12.5, "update")]
    assert history["end"] >= 40
    assert any("CrashLoopBackOff" in (entry.get("text") or "") for entry in history["entries"])


def test_a_hook_that_can_not_be_reached_fails_calls_and_is_no_finding() -> None:
    edited = WEB.replace("1.27", "1.28")
    history = simulated(WIDGET_PAGE, {"at": 20, "hook": "down"}, {"at": 21, "apply": edited}, {"at": 60, "hook": "up"})

    failed = [call for call in calls(history) if call["status"] is None]
    assert {call["error"] for call in failed} == {"connection refused"}
    assert all(20 < call["at"] < 60 for call in failed)
    assert len(failed) > 5
    assert "FailingSync" not in {found["rule"] for found in history["findings"]}
    assert last(history, "Deployment/default/web-deployment")["spec"]["template"]["spec"]["containers"][0]["image"] == (
        "nginx:1.28"
    )


def raising(request: SyncRequest, now: datetime) -> SyncResponse:  # noqa: ARG001 - a hook gets both
    message = "no luck"
    raise LookupError(message)


def leaving(request: SyncRequest, now: datetime) -> SyncResponse:  # noqa: ARG001 - as above
    raise SystemExit(3)


def _remote(reply: Callable[[], Reply]) -> Hook:
    return StrictHook(lambda _hook, _body: reply())


def _unreachable() -> Reply:
    message = "no answer from http://127.0.0.1:1"
    raise Unreachable(message)


@pytest.mark.parametrize(
    ("hook", "status", "error"),
    [
        pytest.param(
            LocalHook(Controller(raising, WIDGETS.children), "hook"), 500, "LookupError: no luck", id="raises"
        ),
        pytest.param(LocalHook(Controller(leaving, WIDGETS.children), "hook"), 500, "SystemExit: 3", id="exits"),
        pytest.param(_remote(lambda: Reply(200, b"<html>")), 200, "", id="nonsense"),
        pytest.param(_remote(_unreachable), None, "no answer from http://127.0.0.1:1", id="no-answer"),
    ],
)
def test_a_hook_that_fails_is_shown_as_the_call_that_failed(hook: Hook, status: int | None, error: str) -> None:
    history = simulated(page(hook))

    first = next(call for call in calls(history) if call["status"] != 200 or call["response"] == "<html>")
    assert first["status"] == status
    assert error in first.get("error", "")
    assert any(entry.get("reason") == "SyncError" for entry in history["entries"])


def test_a_traceback_names_the_line_of_the_hook_alone() -> None:
    failed = simulated(page(LocalHook(Controller(raising, WIDGETS.children), "hook")))
    error = next(filter(None, (call.get("error") for call in calls(failed))))
    assert "raise LookupError(message)" in error
    assert "/metahook/simulator/" not in error


def test_a_hook_that_does_not_return_is_the_call_that_failed_and_later_ones_say_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("metahook.cli.page.routes.LIMIT", -0.5)  # and a second
    returns = threading.Event()

    def waiting(request: SyncRequest, now: datetime) -> SyncResponse:  # noqa: ARG001 - as above
        returns.wait(20)
        return SyncResponse({"state": "Ready"}, [])

    app = page(LocalHook(Controller(waiting, WIDGETS.children), "hook"))
    try:
        history = simulated(app)
        assert "has not returned" in history["problem"]
        assert [call["status"] for call in calls(history)][-1] is None
        later = asked(app, "/page/simulation", {"steps": [{"at": 0, "apply": WEB}]})
        assert (later.status_code, "start it again" in later.json()["detail"]) == (503, True)
    finally:
        returns.set()


def test_a_simulation_that_takes_too_long_stops_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "LIMIT", 0.0)
    history = simulated(WIDGET_PAGE)
    assert "took longer" in history["problem"]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a: [", 1, "not YAML"),
        (WEB.replace("spec:", "spec: 1\nspec:"), 6, "repeated"),
        (WEB.replace("kind: Widget", "kind: Wodget"), 2, "did you mean Widget"),
        (WEB.replace("name: web", "name: Web"), 4, "metadata.name"),
        ("", None, "no Widget"),
    ],
)
def test_what_a_cluster_would_refuse_is_shown_at_its_line_and_not_simulated(
    text: str, line: int | None, message: str
) -> None:
    (error,) = asked(WIDGET_PAGE, "/page/check", {"text": text}).json()["errors"]
    assert error["line"] == line
    assert message in error["message"]

    response = asked(WIDGET_PAGE, "/page/simulation", {"steps": [{"at": 0, "apply": text}]})
    assert (response.status_code, response.json()) == (422, {"errors": [error]})


def test_a_text_that_a_cluster_accepts_has_no_errors() -> None:
    assert asked(WIDGET_PAGE, "/page/check", {"text": WEB, "before": WEB}).json() == {"errors": []}


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/", {}, 200),
        ("/", {"host": "localhost"}, 200),
        ("/", {"host": "[::1]:8080"}, 200),
        ("/", {"host": "hook.example.com"}, 403),
        ("/", {"host": "127.0.0.1.example.com"}, 403),
        ("/", {"host": ""}, 403),
        ("/page/start", {"host": "hook.example.com"}, 403),
        ("/page/start", {"origin": "http://127.0.0.1:8080"}, 200),
        ("/page/start", {"origin": "http://127.0.0.1:9090"}, 403),
        ("/page/start", {"origin": "null"}, 403),
        ("/docs", {}, 307),
    ],
)
def test_only_a_page_of_this_server_may_ask(path: str, headers: dict[str, str], status: int) -> None:
    assert asked(WIDGET_PAGE, path, **headers).status_code == status
    if status != 307:
        assert asked(WIDGET_PAGE, "/page/check", {"text": WEB}, **headers).status_code == status


@pytest.mark.parametrize("length", [str(MAX_BODY + 1), "0"])
def test_a_text_of_more_than_5_mib_is_refused(length: str) -> None:
    response = asked(WIDGET_PAGE, "/page/check", {"text": ""}, **{"content-length": length})
    assert (response.status_code, "5 MiB" in response.json()["detail"]) == (413, True)


def test_the_page_loads_nothing_and_a_text_can_not_end_its_script(tmp_path: Any) -> None:
    example = tmp_path / "web.yaml"
    example.write_text(f"# </script><script>alert(1)</script>\n{WEB}")
    response = asked(page(LocalHook(WIDGETS, "widgets"), (str(example),)), "/")

    assert "default-src 'none'" in response.headers["content-security-policy"]
    assert "<script>alert" not in response.text
    assert "src=" not in response.text.split('id="start"')[0]


def test_a_change_of_an_example_is_another_state_of_the_server(tmp_path: Any) -> None:
    example = tmp_path / "web.yaml"
    example.write_text(WEB)
    app = page(LocalHook(WIDGETS, "widgets"), (str(example),))
    before = asked(app, "/page/alive").json()
    assert asked(app, "/page/alive").json() == before
    example.write_text(WEB.replace("1.27", "1.28"))
    assert asked(app, "/page/alive").json() != before
    assert "1.28" in asked(app, "/page/start").json()["examples"][0]["text"]


def test_an_example_that_is_gone_is_named(tmp_path: Any) -> None:
    response = asked(page(LocalHook(WIDGETS, "widgets"), (str(tmp_path / "gone.yaml"),)), "/page/start")
    assert response.status_code == 500
    assert "gone.yaml: no such file" in response.json()["detail"]
