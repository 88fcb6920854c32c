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
from metahook.cli.page.routes import MAX_BODY, add_page
from metahook.server import create_app
from metahook.simulator.hook import Hook, Reply, Unreachable
from metahook.simulator.metacontroller.settings import Settings
from toolkit.served.asgi import call
from toolkit.served.thread import Answer, At, asked as served, raw, serving_app
from toolkit.waiting import eventually
from toolkit.widgets import WIDGET, WIDGETS, ready_request
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
    add_page(app, HookUnderTest(hook, "dynamic-apply", _settings), files)
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


def test_what_the_cluster_refuses_is_told_and_what_is_done_later_still_happens() -> None:
    wrong = [
        {"at": 5, "edit": {"object": "Deployment/web-deployment", "set": {"spec.replicas": "abc"}}},
        {"at": 6, "edit": {"object": "Deployment/web-deployment", "set": {"spec.replica": 5}}},
        {"at": 7, "delete": {"object": "Deployment/nowhere"}},
    ]
    problems = [simulated(WIDGET_PAGE, *wrong[:count])["problem"] for count in range(1, 4)]
    words = ("Invalid", 'unknown field "spec.replica"', "nowhere")
    assert all(word in problem for word, problem in zip(words, problems, strict=True)), problems

    history = simulated(WIDGET_PAGE, *wrong, {"at": 8, "apply": WEB.replace("1.27", "1.28")})
    assert history["problem"] is None
    assert last(history, "Widget/default/web")["spec"]["image"] == "nginx:1.28"


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
        pytest.param(_remote(lambda: Reply(200, b"[" * 5000)), 200, "", id="too-deep"),
        pytest.param(_remote(_unreachable), None, "no answer from http://127.0.0.1:1", id="no-answer"),
    ],
)
def test_a_hook_that_fails_is_shown_as_the_call_that_failed(hook: Hook, status: int | None, error: str) -> None:
    history = simulated(page(hook))

    first = next(call for call in calls(history) if call["status"] != 200 or isinstance(call["response"], str))
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
    monkeypatch.setattr(session, "LIMIT", 0.5)
    returns = threading.Event()

    def waiting(request: SyncRequest, now: datetime) -> SyncResponse:  # noqa: ARG001 - a hook gets both
        returns.wait(20)
        return SyncResponse({"state": "Ready"}, [])

    with serving_app(page(LocalHook(Controller(waiting, WIDGETS.children, customize=WIDGETS.customize), "hook"))) as at:
        try:
            history = json.loads(asked_at(at).body)
            assert "has not returned" in history["problem"]
            assert [call["status"] for call in calls(history)][-1] is None
            later = asked_at(at)
            assert (later.status, b"start it again" in later.body) == (503, True)
        finally:
            returns.set()
        assert eventually(lambda: asked_at(at).status == 200)


def asked_at(at: At) -> Answer:
    body = json.dumps({"steps": [{"at": 0, "apply": WEB}]}).encode()
    return served(at, raw(body, line="POST /page/simulation HTTP/1.1").replace(b"Host: hook", b"Host: 127.0.0.1"))


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
    assert (response.status_code, response.json()) == (422, {"errors": [error], "step": 0})


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


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/sync", {}, 200),
        ("/sync", {"host": "hook.example.com"}, 200),
        ("/sync", {"origin": "http://hook.example.com", "host": "hook.example.com"}, 403),
        ("/sync", {"origin": "http://127.0.0.1:8080"}, 200),
        ("/page/check", {"host": "["}, 403),
        ("/page/check", {"content-length": str(MAX_BODY + 1)}, 413),
        ("/page/check", {"content-length": "many"}, 411),
    ],
)
def test_what_a_page_elsewhere_or_too_much_is_refused_before_it_is_read(
    path: str, headers: dict[str, str], status: int
) -> None:
    app = create_app(WIDGETS)
    add_page(app, HookUnderTest(LocalHook(WIDGETS, "widgets"), "dynamic-apply", _settings))
    body = json.loads(ready_request()) if path == "/sync" else {"text": WEB}
    assert asked(app, path, body, **headers).status_code == status


@pytest.mark.parametrize("body", [{}, {"steps": []}, {"steps": [{"at": -1}]}, {"steps": [{"at": "secret"}]}, []])
def test_a_malformed_request_is_refused_without_what_it_has(body: object) -> None:
    response = asked(WIDGET_PAGE, "/page/simulation", body)
    assert (response.status_code, "secret" in response.text) == (400, False)


def test_a_wrong_text_is_named_by_its_step() -> None:
    steps = [{"at": 0, "apply": WEB}, {"at": 1, "fail": "crash"}, {"at": 2, "apply": "a: ["}]
    response = asked(WIDGET_PAGE, "/page/simulation", {"steps": steps})
    assert (response.status_code, response.json()["step"]) == (422, 2)


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


@pytest.mark.parametrize(("content", "problem"), [(None, "no such file"), (b"a: \xe9", "0xe9 is not UTF-8")])
def test_an_example_that_can_not_be_shown_is_named(content: bytes | None, problem: str, tmp_path: Any) -> None:
    example = tmp_path / "example.yaml"
    if content:
        example.write_bytes(content)
    app = page(LocalHook(WIDGETS, "widgets"), (str(example),))
    for path in ("/", "/page/start", "/page/alive"):
        response = asked(app, path)
        assert response.status_code == 500
        assert f"{example}: " in response.json()["detail"]
        assert problem in response.json()["detail"]


def test_half_of_a_character_in_a_response_does_not_end_a_simulation() -> None:
    response = b'{"status": {"state": "Ready", "odd": "\\ud800"}, "children": []}'
    assert simulated(page(_remote(lambda: Reply(200, response))))["quiet"]
