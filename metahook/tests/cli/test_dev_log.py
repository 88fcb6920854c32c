"""The log of calls in development mode."""

import logging
import re
import signal
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fastapi import FastAPI

from metahook import Controller, SyncRequest, SyncResponse
from metahook.cli.dev_log import LONGEST, LONGEST_LINE, MOST_LINES, LastResponses, difference_lines, logging_calls
from metahook.protocol.controller import Handler
from metahook.protocol.request_builder import sync_request
from metahook.server import ServerOptions, create_app
from toolkit.builders import NOW
from toolkit.hooks.minimal import PARENT, TINY, config_map, controller, customize_body, sync_body
from toolkit.hooks.service_per_object import LABEL, SERVICES, stateful_set
from toolkit.served.asgi import JSON, call
from toolkit.served.process import CLIENT, WIDGETS, served
from toolkit.served.refusals import without_id
from toolkit.widgets import grouped, ready_request, widget

Json = dict[str, Any]


def dev_app(controller_: Controller) -> FastAPI:
    return create_app(controller_, ServerOptions(around=logging_calls()))


@pytest.fixture(autouse=True)
def _at_info(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "metahook.cli.dev_log")


def logged(hook: Handler) -> Handler:
    """Return *hook* with a log of its calls."""
    return logging_calls()("/sync", hook)


def changing(*responses: SyncResponse) -> Controller:
    """Return a controller that gives *responses*, one after the other."""
    left = iter(responses)
    return controller(lambda _: next(left))


def messages(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what is logged of calls, in which each takes 1.5 ms."""
    of_calls = [record.getMessage() for record in caplog.records if record.name == "metahook.cli.dev_log"]
    return [re.sub(r"in [\d.]+ ms", "in 1.5 ms", each) for each in of_calls if "development mode is on" not in each]


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
    app = dev_app(TINY)

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
    response = call(dev_app(controller(fails)), "/sync", sync_body())

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

    assert call(dev_app(controller(lambda _: wrong)), "/sync", sync_body()).status_code == 500
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
    app = dev_app(controller(lambda request: next(outcomes) or fails(request)))

    codes = [call(app, "/sync", sync_body()).status_code for _ in range(3)]

    assert codes == [200, 500, 200]
    assert messages(caplog)[-1].endswith("; unchanged")


def test_a_request_that_is_refused_is_logged_if_it_names_a_parent(caplog: pytest.LogCaptureFixture) -> None:
    assert call(dev_app(TINY), "/sync", sync_body(children={})).status_code == 400

    *_, of_call, of_app = [record.getMessage() for record in caplog.records]
    assert of_call.startswith("/sync default/hello generation 3 in ")
    assert of_call.endswith(" ms: refused")
    assert of_app.startswith("request refused hook=/sync status=400 ")


def test_a_request_without_a_parent_is_logged_by_the_app_alone(caplog: pytest.LogCaptureFixture) -> None:
    assert call(dev_app(TINY), "/sync", b"{}").status_code == 400
    assert messages(caplog) == []
    assert "request refused hook=/sync status=400 " in caplog.text


@pytest.mark.parametrize(
    ("path", "body"),
    [("/sync", sync_body()), ("/customize", customize_body()), ("/sync", b"{}"), ("/sync", b"")],
    ids=["sync", "customize", "malformed", "empty"],
)
def test_the_response_is_the_same_as_without_the_log(path: str, body: bytes) -> None:
    around = (None, logging_calls())
    apps = (create_app(TINY, ServerOptions(around=each), clock=lambda: NOW) for each in around)
    plain, dev = (call(app, path, body) for app in apps)

    assert (dev.status_code, without_id(dev.text)) == (plain.status_code, without_id(plain.text))
    assert dev.headers == plain.headers


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


REQUESTS = [sync_request(widget(), grouped(), {}), ready_request(), ready_request()]
DEVELOPMENT = "development mode is on: the log shows names and the status of parents; do not use it in a cluster"


def test_a_process_shows_what_each_call_changes_in_place_of_a_line_for_each_call() -> None:
    with served(*WIDGETS, "--log-format=console", "--dev") as running:
        for body in REQUESTS:
            assert CLIENT.post(f"{running.url}/sync", content=body, headers=JSON).is_success
        running.process.send_signal(signal.SIGINT)
        running.process.wait(timeout=30)
        log = running.process.stderr.read() if running.process.stderr else ""

    assert DEVELOPMENT in log
    assert re.search(r"generation 1 in [\d.]+ ms: 1 Deployment; changed", log)
    assert "  ~ status.conditions[Ready].reason: RollingOut -> Available" in log
    assert "1 Deployment; unchanged" in log
    assert "hook called" not in log


# The difference between two responses, in lines

CONTAINER = {"name": "main", "image": "nginx:1.27"}


def deployment(*containers: Json, name: str = "web-deployment") -> Json:
    template = {"spec": {"containers": list(containers or (CONTAINER,))}}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": {"template": template}}


def service(**fields: Any) -> Json:
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, **fields}


def secret(**fields: Any) -> Json:
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "token"}, **fields}


def condition(status: str, reason: str, **fields: Any) -> Json:
    return {"type": "Ready", "status": status, "reason": reason, **fields}


def children(*listed: Json) -> Json:
    return {"children": list(listed), "status": {"state": "Ready"}}


def status(**fields: Any) -> Json:
    return {"children": [], "status": fields}


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        pytest.param([deployment()], [deployment()], [], id="the same"),
        pytest.param([], [service()], ["+ Service web"], id="a new child"),
        pytest.param([service()], [], ["- Service web"], id="a child that is gone"),
        pytest.param(
            [deployment()],
            [deployment({**CONTAINER, "image": "nginx:9"})],
            ["~ Deployment web-deployment: spec.template.spec.containers[main].image"],
            id="a changed field",
        ),
        pytest.param(
            [deployment()],
            [deployment(CONTAINER, {"name": "side"})],
            ["~ Deployment web-deployment: spec.template.spec.containers[side]"],
            id="a new item of a list",
        ),
        pytest.param(
            [service()],
            [{**service(), "apiVersion": "serving.knative.dev/v1"}],
            ["+ Service web", "- Service web"],
            id="a kind of the same name in another group",
        ),
    ],
)
def test_children_are_compared_by_kind_and_name(old: list[Json], new: list[Json], lines: list[str]) -> None:
    assert sorted(difference_lines(children(*old), children(*new))) == lines


def test_a_value_of_a_child_is_never_shown() -> None:
    lines = difference_lines(children(service(spec={"a": "canary-1"})), children(service(spec={"a": "canary-2"})))

    assert lines == ["~ Service web: spec.a"]
    assert "canary-2" in "".join(difference_lines(status(a="canary-1"), status(a="canary-2")))


@pytest.mark.parametrize("field", ["data", "stringData"])
def test_of_a_secret_not_even_the_names_of_its_data_are_shown(field: str) -> None:
    old, new = secret(**{field: {"canary": "eA=="}}), secret(**{field: {"canary": "eQ=="}})
    as_config_map = [children({**item, "kind": "ConfigMap"}) for item in (old, new)]

    assert difference_lines(children(old), children(new)) == [f"~ Secret token: {field}"]
    assert difference_lines(*as_config_map) == [f"~ ConfigMap token: {field}.canary"]


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        pytest.param({"state": "Building"}, {"state": "Ready"}, ["~ status.state: Building -> Ready"], id="changed"),
        pytest.param({}, {"replicas": 2}, ["+ status.replicas: 2"], id="new"),
        pytest.param({"waiting": {"what": "x"}}, {}, ["- status.waiting"], id="gone"),
        pytest.param({"ports": []}, {"ports": [80, 443]}, ["~ status.ports: [] -> [80,443]"], id="a list"),
        pytest.param(
            {"conditions": [condition("False", "RollingOut", message="Wait.", lastTransitionTime="1")]},
            {"conditions": [condition("True", "Available", message="Done.", lastTransitionTime="2")]},
            [
                "~ status.conditions[Ready].status: False -> True",
                "~ status.conditions[Ready].reason: RollingOut -> Available",
                "~ status.conditions[Ready].message: Wait. -> Done.",
                "~ status.conditions[Ready].lastTransitionTime: 1 -> 2",
            ],
            id="a condition with another status",
        ),
        pytest.param(
            {"conditions": [condition("True", "Available", message="Done.")]},
            {"conditions": []},
            ["- status.conditions[Ready]"],
            id="a condition that is gone",
        ),
        pytest.param(
            {"conditions": ["odd"]}, {"conditions": [5]}, ["~ status.conditions[0]: odd -> 5"], id="no conditions"
        ),
        pytest.param({"conditions": 1}, {"conditions": 2}, ["~ status.conditions: 1 -> 2"], id="no list"),
    ],
)
def test_the_status_is_shown_with_its_values(old: Json, new: Json, lines: list[str]) -> None:
    assert difference_lines(status(**old), status(**new)) == lines


@pytest.mark.parametrize(
    "new",
    [
        pytest.param(children(service(data={"x" * 5_000: 1})), id="a field"),
        pytest.param(children({**service(), "metadata": {"name": "x" * 5_000}}), id="a child"),
        pytest.param(status(**{"x" * 5_000: 1}), id="a field of the status"),
        pytest.param({"relatedResources": [{"resource": "pods", "names": ["x" * 5_000]}]}, id="a rule"),
    ],
)
def test_a_long_line_is_cut(new: Json) -> None:
    lines = difference_lines(children(service(data={})), new)

    assert max(len(line) for line in lines) == LONGEST_LINE + len("...")


def test_a_long_value_is_cut() -> None:
    (line,) = difference_lines(status(), status(message="x" * (LONGEST + 1)))

    assert line == f"+ status.message: {'x' * LONGEST}..."


def test_the_time_of_the_next_sync_is_no_difference() -> None:
    assert difference_lines({**status(), "resyncAfterSeconds": 5}, {**status(), "resyncAfterSeconds": 4}) == []


def test_rules_are_shown_in_short() -> None:
    rules: list[Json] = [
        {"apiVersion": "v1", "resource": "configmaps", "namespace": "default", "names": ["a", "b"]},
        {"apiVersion": "v1", "resource": "pods", "namespace": "default", "labelSelector": {"matchLabels": {"a": "b"}}},
        {"apiVersion": "v1", "resource": "secrets", "namespace": "default"},
    ]

    assert difference_lines({}, {"relatedResources": rules}) == [
        "+ rule configmaps a, b",
        "+ rule pods by labels",
        "+ rule secrets all",
    ]
    assert difference_lines({"relatedResources": rules}, {"relatedResources": rules[1:]}) == ["- rule configmaps a, b"]


def test_control_characters_do_not_reach_the_terminal() -> None:
    (line,) = difference_lines(children(), children(deployment(name="web\x1b[2J\nforged")))

    assert line == "+ Deployment web?[2J?forged"
