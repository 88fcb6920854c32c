"""``replay``: in which words a response differs from another one, and whose Pods restart or end."""

import io
import json
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from metahook.cli.files.recordings import read_recording
from metahook.clock import utc_now
from metahook.commands import bound_program
from metahook.protocol.objects import Json
from metahook.protocol.request_builder import customize_request
from metahook.simulator.hook import Reply
from toolkit import widgets
from toolkit.builders import NOW, NOW_TEXT
from toolkit.cli.bound import (
    COLLECT,
    CONTROLLER,
    MODES,
    binding,
    call,
    in_cluster,
    live,
    recorded,
    request_of,
    response_to,
    settled,
)
from toolkit.cli.served import serving
from toolkit.command import CommandResult, assert_one_line
from toolkit.mutations import replaced, without
from toolkit.widgets import widget

PATH = "spec.template.spec.terminationGracePeriodSeconds"
SAME = "1 request: 1 the same, 0 differ; no Pods restart"
RESTARTED = "1 request: 0 the same, 1 differs; Pods of 1 Widget would restart"


@pytest.fixture(autouse=True)
def _directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(document: Any, name: str = "request.json") -> str:
    file = Path(name)
    file.parent.mkdir(exist_ok=True)
    file.write_text(document if isinstance(document, str) else json.dumps(document))
    return name


def lines(ended: CommandResult) -> list[str]:
    assert ended.err == ""
    return ended.out.splitlines()


def changed(whole: Json, values: Json) -> Json:
    """Return *whole* with these *values* at their paths."""
    for path, value in values.items():
        steps = tuple(int(step) if step.isdigit() else step for step in path.split("."))
        whole = replaced(whole, steps[:-1], partial(dict, **{str(steps[-1]): value}))
    return whole


def longer(*arguments: Any) -> Json:
    """Return the Deployment of another version, whose Pods get 60 seconds to end."""
    return changed(USUAL(*arguments), {PATH: 60})


USUAL = widgets.deployment

# What is compared


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("is_recorded", [True, False], ids=["with its response", "without a response"])
def test_the_same_version_has_no_difference_and_another_one_shows_what_restarts(
    mode: str, *, is_recorded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = settled(widget(), mode)
    file = write(recorded(request) if is_recorded else request)

    assert call("replay", file) == CommandResult(0, f"{SAME}\n", "")
    monkeypatch.setattr(widgets, "deployment", longer)
    line = f"{file}: default/web: Deployment web-deployment changed ({PATH}); RESTART"
    assert lines(call("replay", file)) == [line, RESTARTED]


REQUEST = settled(widget())
RECORDED = recorded(REQUEST)
CONDITIONS = RECORDED["response"]["status"]["conditions"]
EDITED = recorded({**REQUEST, "parent": widget(image="nginx:1.28", generation=2)})
KEPT = recorded(request_of(widget(image=""), *in_cluster(widget(), MODES[1])))
MANAGED = ("request", "children", "Deployment.apps/v1", "default/web-deployment", "metadata", "managedFields")
CUSTOMIZED = {"path": "/customize", "request": json.loads(customize_request(widget()))}


DIFFERENCES: dict[str, tuple[Json, Json, str]] = {
    "transition times": (RECORDED, {"response.status.conditions.0.lastTransitionTime": "x"}, ""),
    "a time in the status": (RECORDED, {"response.status.waiting.since": "x"}, ""),
    "a field that depends on times": (RECORDED, {"response.status.seen": 5}, ""),
    "an annotation that depends on times": (
        RECORDED,
        {"response.children.0.metadata.annotations": {"example.com/at": "x", "example.com/generation": "1"}},
        "",
    ),
    "a condition that a recording can't have": (
        RECORDED,
        {"response.status.conditions": [*CONDITIONS, {"type": "Foreign", "status": "True"}]},
        "",
    ),
    "a condition whose type is no text": (
        RECORDED,
        {"response.status.conditions": [*CONDITIONS, {"type": {}, "status": "True"}]},
        "status changed (conditions)",
    ),
    "an edit of one that is being deleted": (
        REQUEST,
        {"parent.metadata.deletionTimestamp": NOW_TEXT, "parent.spec.image": "nginx:1.28"},
        "",
    ),
    "a child that is kept, and has lost its record": (without(KEPT, MANAGED), {}, ""),
    "a state": (RECORDED, {"response.status.state": "Degraded"}, "status Degraded Available -> Ready Available"),
    "another field of the status": (
        RECORDED,
        {"response.status.replicas": 7, "response.resyncAfterSeconds": 5},
        "status changed (replicas); resync changed",
    ),
    "a status of another shape": (
        RECORDED,
        {"response.status.conditions": 5, "response.status.waiting": "x"},
        "status Ready -> Ready Available",
    ),
    "a lost Ready": (REQUEST, {"parent.spec.image": ""}, "status Ready Available -> Failed InvalidSpec"),
    "a bug": (RECORDED, {"status": 500, "response": {"error": "x"}}, "status code 500 -> 200"),
    "a refusal": (RECORDED, {"status": 400, "response": {"error": "x"}}, "status code 400 -> 200"),
    "Pods restart with both responses": (
        EDITED,
        {"response.children.0.spec.replicas": 7},
        "Deployment web-deployment changed (spec.replicas)",
    ),
    "what is decided at another time": (without(RECORDED, ("time",)), {}, "status changed (day)"),
    "a default that is stated": (
        RECORDED,
        {f"response.children.0.{PATH}": 30},
        f"Deployment web-deployment changed ({PATH})",
    ),
    "a name that moves the cursor": (
        RECORDED,
        {"response.children.0.metadata.name": "\x1b[2J"},
        "Deployment ?[2J removed; Deployment web-deployment added",
    ),
    "rules of customize": (
        CUSTOMIZED,
        {"response": {"relatedResources": []}},
        "customize rules changed (relatedResources)",
    ),
}


@pytest.mark.parametrize(("whole", "values", "words"), DIFFERENCES.values(), ids=DIFFERENCES)
def test_what_differs_without_a_restart_is_printed_in_words(whole: Json, values: Json, words: str) -> None:
    file = write(changed(whole, values))

    ended = call("replay", file)

    assert ended.code == bool(words)
    assert lines(ended)[:-1] == ([f"{file}: default/web: {words}"] if words else [])
    assert lines(ended)[-1].endswith("; no Pods restart")


@pytest.mark.parametrize("mode", MODES)
def test_a_default_that_is_stated_no_more_restarts_nothing(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as before:
        before.setattr(widgets, "deployment", lambda *given: changed(USUAL(*given), {PATH: 30}))
        file = write(settled(widget(), mode))

    assert call("replay", file) == CommandResult(0, f"{SAME}\n", "")


@pytest.mark.parametrize(
    ("text", "time"),
    [
        (NOW_TEXT, NOW),
        ("2026-01-31T14:00:00+02:00", NOW),
        ("2026-01-31T12:00:00", None),
        ("0001-01-01T00:00:00+01:00", None),
        ("noon", None),
        (5, None),
    ],
    ids=str,
)
def test_the_time_of_a_recording_is_in_utc(text: object, time: datetime | None) -> None:
    found = read_recording({**RECORDED, "time": text}, "request.json").time

    assert (found, found and found.tzinfo) == (time, time and UTC)


def test_secrets_that_were_recorded_without_their_content_are_unknown() -> None:
    secret: Json = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}}
    for item, kept in ((secret, {"Pod.v1"}), ({**secret, "data": {"a": "YQ=="}}, {"Pod.v1", "Secret.v1"})):
        request = request_of(widget(), related={"Secret.v1": {"default/a": item}, "Pod.v1": {}})
        assert read_recording({"request": request}, "request.json").request["related"].keys() == kept


@pytest.mark.parametrize(("seconds", "code"), [(59, 0), (61, 0), (58, 1), (62, 1)])
def test_a_second_between_the_recorder_and_the_hook_is_no_difference(seconds: int, code: int) -> None:
    assert call("replay", write(changed(RECORDED, {"response.resyncAfterSeconds": seconds}))).code == code


@pytest.mark.parametrize("image", ["nginx:1.27", "nginx:1.28"], ids=["alone", "while another one restarts"])
def test_a_deployment_that_is_no_longer_listed_ends_its_pods(image: str) -> None:
    (deployment,) = in_cluster(widget())
    other = {**deployment, "metadata": {**deployment["metadata"], "name": "web-old"}}

    line, summary = lines(call("replay", write(request_of(widget(image=image), deployment, other))))

    assert "Deployment web-old removed" in line
    assert line.endswith("; PODS END")
    assert summary.endswith("no Pods restart, Pods of 1 Widget would end")


def test_a_deployment_without_replicas_has_no_pods_to_restart(monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(settled(widget(replicas=0)))
    monkeypatch.setattr(widgets, "deployment", longer)

    line, summary = lines(call("replay", file))

    assert line.endswith(f"Deployment web-deployment changed ({PATH})")
    assert summary.endswith("; no Pods restart")


def test_requests_that_are_not_compared_are_counted() -> None:
    alone = write(CUSTOMIZED, "customize.json")

    ended = call("replay", write(REQUEST), alone)

    assert ended == CommandResult(0, "2 requests: 1 the same, 0 differ, 1 not compared; no Pods restart\n", "")
    assert_one_line(call("replay", alone), 2, "nothing to compare", "--against URL", program="widgets")


def test_of_a_folder_all_files_are_read_except_hidden_ones() -> None:
    for name, text in {"b.json": RECORDED, "more/a.json": RECORDED, ".c.json": "half a fi", "README.md": "#"}.items():
        Path("recordings/more").mkdir(parents=True, exist_ok=True)
        write(text, f"recordings/{name}")

    assert lines(call("replay", "recordings"))[0].startswith("2 requests: 2 the same")


@pytest.mark.parametrize(("count", "is_terminal"), [(200, True), (199, True), (200, False)])
def test_a_terminal_shows_how_many_of_many_requests_are_compared(count: int, is_terminal: bool) -> None:  # noqa: FBT001 - a case
    err = type("Stream", (io.StringIO,), {"isatty": lambda _: is_terminal})()

    with redirect_stdout(io.StringIO()) as out, redirect_stderr(err), pytest.raises(SystemExit):
        bound_program("widgets", binding, version="1.0").main(["replay", *[write(RECORDED)] * count])

    assert out.getvalue().startswith(f"{count} requests: {count} the same")
    assert (f"] {count}/{count}" in err.getvalue().replace("]  ", "] ")) is (count == 200 and is_terminal)


def test_json_has_every_path() -> None:
    file = write(changed(RECORDED, {"response.children.0.spec.replicas": 5}))

    ended = call("replay", file, "-o", "json")

    child = {"change": "changed", "kind": "Deployment", "name": "web-deployment", "paths": ["spec.replicas"]}
    same: Json = {"statusCodes": [], "states": [], "status": [], "rules": [], "resync": False}
    differs = {"file": file, "hook": "sync", "widget": "default/web", "children": [child], "pods": "keep", **same}
    counts = {"requests": 1, "same": 0, "differ": 1, "notCompared": 0, "restart": [], "end": []}
    assert ended.code == 1
    assert json.loads(ended.out) == {**counts, "differences": [differs]}


# Live objects


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dump", [json.dumps, yaml.safe_dump], ids=["JSON", "YAML"])
def test_live_objects_of_this_version_are_the_same(mode: str, dump: Callable[[Json], str]) -> None:
    other = changed(widget("shop"), {"metadata.uid": "another-uid"})
    parents, children = live(widget(ports=[{"containerPort": 80}]), other, mode=mode)

    ended = call("replay", write(dump(parents), "parents"), write(dump(children), "children"))

    assert ended == CommandResult(0, "2 requests: 2 the same, 0 differ; no Pods restart\n", "")


def test_what_is_missing_is_known_of_kinds_of_which_any_object_was_collected() -> None:
    parents, children = live(widget(config=True))
    files = write(parents, "parents"), write(children, "children")
    another = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default"}}

    assert call("replay", *files) == CommandResult(0, f"{SAME}\n", "")
    assert "-> Failed ConfigNotFound\n" in call("replay", *files, write(another, "config-maps")).out


def test_the_commands_that_collect_live_objects_are_printed() -> None:
    assert call("replay", "--from-cluster") == CommandResult(0, f"{COLLECT}\n", "")


# Another version at a URL


@pytest.mark.parametrize("end", ["", "/", "/sync", "/customize"])
def test_another_version_at_a_url_is_the_new_one(end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    files = write(REQUEST), write(CUSTOMIZED, "customize.json")

    def answer(body: bytes) -> Reply:
        is_sync = b'"children"' in body
        handled = CONTROLLER.handle_sync(body, utc_now()) if is_sync else CONTROLLER.handle_customize(body)
        return Reply(200, handled.body)

    with serving(answer) as url:
        same = call("replay", "--against", url + end, *files)
    with monkeypatch.context() as patched:
        patched.setattr(widgets, "deployment", longer)
        restarting = Reply(200, json.dumps(response_to(REQUEST, utc_now())).encode())
    with serving(lambda _: restarting) as url:
        other = call("replay", "--against", url, files[0])

    assert same == CommandResult(0, "2 requests: 2 the same, 0 differ; no Pods restart\n", "")
    assert lines(other)[0].endswith(f"Deployment web-deployment changed ({PATH}); RESTART")


def test_a_url_that_is_not_a_hook_is_one_line() -> None:
    with serving(lambda _: Reply(404, b"")) as url:
        ended = call("replay", "--against", url, write(REQUEST))

    assert_one_line(ended, 2, "--against: /sync returns status 404", "URL of a hook", program="widgets")
