"""A world as a user works with it, and its hook, which responds as its service does."""

import json
import traceback
from typing import Any

import pytest
from msgspec.structs import replace

from metahook import Controller, Deployment, RefusedResponse, RelatedRule, SyncResponse
from metahook.protocol.bodies import MAX_BODY
from metahook.server.app import create_app
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.clock import Clock
from metahook.simulator.hook import Reply, in_process
from metahook.simulator.metacontroller.settings import Settings
from metahook.simulator.objects import Json, Key
from metahook.simulator.world import NeverQuiet, NoSuchObject, World
from toolkit.hooks.minimal import TINY, controller, sync_body
from toolkit.served.asgi import call
from toolkit.served.refusals import refusal
from toolkit.widgets import WIDGET, WIDGETS
from toolkit.worlds import CHILDREN, WEB, Answers, events, parent, ready, settled, world


def test_a_missing_object_is_an_error_that_names_it() -> None:
    made = world("dynamic-apply", Answers())

    with pytest.raises(NoSuchObject, match="Widget web"):
        made.parent("web")


def test_a_world_returns_a_copy() -> None:
    made = settled("dynamic-apply", Answers())
    made.get(WEB)["spec"]["image"] = "changed"


def test_a_world_copies_what_it_is_given_and_returns() -> None:
    made, given = world("dynamic-apply", Answers()), parent()
    made.apply(given)
    given["spec"]["image"] = made.get(WEB)["spec"]["image"] = "changed"

    assert made.get(WEB)["spec"]["image"] == "nginx:1.27"


def test_an_apply_replaces_the_spec_and_keeps_labels_that_it_leaves_out() -> None:
    made = world("dynamic-apply", Answers(), parent(ports=[{"containerPort": 80}]))
    made.edit(WEB, lambda item: item["metadata"].update(labels={"a": "b"}, annotations={"c": "d"}))
    manifest = parent(image="nginx:2")
    manifest["metadata"]["annotations"] = {"e": "f"}

    made.apply(manifest)

    found = made.parent("web")
    assert found["spec"] == {"image": "nginx:2"}
    assert (found["metadata"]["labels"], found["metadata"]["annotations"]) == ({"a": "b"}, {"e": "f"})


def test_time_passes_while_nothing_happens() -> None:
    made = settled("dynamic-apply", Answers())
    start = made.clock.now

    made.run(10.5)

    assert made.clock.now == start + 10.5


def test_until_stops_in_time_and_returns_false() -> None:
    made = settled("dynamic-apply", Answers())
    start = made.clock.now

    assert not made.until(lambda: False, within=100)
    assert made.clock.now <= start + 100
    assert made.until(lambda: made.clock.now > start + 3000)


def test_a_world_that_never_becomes_quiet_is_an_error() -> None:
    made = world("dynamic-apply", Answers())

    def forever() -> None:
        made.clock.after(0, forever)

    forever()
    with pytest.raises(NeverQuiet, match=r"23000 timers ran by 0.0 s"):
        made.until_quiet()


def said(reply: Reply) -> tuple[int, str]:
    """Return the status and the text of a refusal; the id is for the log, which a simulation does not have."""
    return reply.status, json.loads(reply.body)["error"]


def test_a_controller_answers_in_this_process_as_its_service_would() -> None:
    hook = in_process(WIDGETS, Clock().time)
    service = create_app(WIDGETS)

    for name, body in (("sync", b"{}"), ("customize", b"["), ("sync", b" " * (MAX_BODY + 1))):
        response = call(service, f"/{name}", body)
        assert said(hook(name, body)) == refusal(response)
    assert said(in_process(TINY, Clock().time)("finalize", b"{}")) == (404, "no such path")


def test_a_controller_fails_in_this_process_as_its_service_would() -> None:
    def fail(_: object) -> SyncResponse:
        raise LookupError

    response = call(create_app(controller(fail)), "/sync", sync_body())

    assert said(in_process(controller(fail), Clock().time)("sync", sync_body())) == refusal(response)


def test_a_response_that_the_gate_refuses_is_a_500_and_changes_nothing() -> None:
    def rules(_: object) -> list[RelatedRule]:
        return []

    empty = Controller(sync=lambda _, __: SyncResponse(status={}), customize=rules, children=(Deployment,))
    made = World(empty, Settings(WIDGET, CHILDREN), raise_errors=False)
    made.apply(parent())
    made.run(1)

    assert events(made)[0] == "unsupported status code: 500"
    assert made.api.all_keys() == [Key("Widget", "default", "web")]


def missing_key(*_: object) -> Any:
    raise KeyError


def refused(*_: object) -> SyncResponse:
    return SyncResponse(status={})


@pytest.mark.parametrize(
    ("mistake", "error", "place"),
    [
        pytest.param({"sync": missing_key}, KeyError, "missing_key", id="sync"),
        pytest.param({"customize": missing_key}, KeyError, "missing_key", id="customize"),
        pytest.param({"sync": refused}, RefusedResponse, "check_response", id="a refused response"),
    ],
)
def test_an_exception_of_a_controller_is_raised_with_its_place(
    mistake: dict[str, Any], error: type[Exception], place: str
) -> None:
    made = World(replace(WIDGETS, **mistake), Settings(WIDGET, CHILDREN))
    made.apply(parent())

    with pytest.raises(error) as raised:
        made.until_quiet()
    assert place in [frame.name for frame in traceback.extract_tb(raised.value.__traceback__)]


def test_after_an_exception_the_sync_is_retried_as_after_a_500() -> None:
    broken = replace(WIDGETS, sync=missing_key)
    made = World(broken, Settings(WIDGET, CHILDREN))
    made.apply(parent())
    with pytest.raises(KeyError):
        made.run(1)
    assert events(made) == ["unsupported status code: 500"]

    made.metacontroller.hook = in_process(WIDGETS, made.clock.time)
    made.until_quiet()

    assert ready(made) == ("True", "Available")


def test_errors_of_a_controller_are_listed_if_they_are_not_raised() -> None:
    made = World(replace(WIDGETS, sync=missing_key), Settings(WIDGET, CHILDREN), raise_errors=False)
    made.apply(parent())
    made.run(1)

    assert {type(error) for error in made.errors} == {KeyError}
    assert len(made.errors) == len(events(made)) > 1


BACKUP = Key("MyBackup", "default", "nightly")
CONFIG = Key("ConfigMap", "default", "settings")


def backup(**status: object) -> Json:
    made: Json = {
        "apiVersion": "example.com/v1",
        "kind": "MyBackup",
        "metadata": {"name": "nightly"},
        "spec": {"hour": 3},
    }
    return {**made, "status": status} if status else made


@pytest.mark.parametrize(
    ("before", "change", "verbs"),
    [
        ({}, {"status": {"conditions": []}}, ["update status"]),
        ({"phase": "Old"}, {"status": {"phase": "New"}}, ["update status"]),
        ({"phase": "Old"}, {"status": None}, ["update status"]),
        ({"phase": "Old"}, {"spec": {"hour": 4}}, ["update"]),
        ({"phase": "Old"}, {"spec": {"hour": 4}, "status": {"phase": "New"}}, ["update", "update status"]),
        ({"phase": "Old"}, {}, ["update"]),
    ],
    ids=str,
)
def test_an_edit_changes_the_status_too_and_each_part_by_one_request(
    before: dict[str, object], change: dict[str, object], verbs: list[str]
) -> None:
    made = world("dynamic-apply", Answers(), backup(**before))
    done = len(list(made.history.writes("you")))

    made.edit(BACKUP, lambda item: item.update(change))

    found = made.get(BACKUP)
    assert [write.verb for write in list(made.history.writes("you"))[done:]] == verbs
    assert found["spec"] == change.get("spec", {"hour": 3})
    assert found.get("status", {}) == (change.get("status", before) or {})


@pytest.mark.parametrize(
    ("change", "refused"),
    [
        ({"data": {"a": "2"}}, True),
        ({"binaryData": {"b": "Zm9v"}}, True),
        ({"immutable": False}, True),
        ({"immutable": None}, True),
        ({"data": {"a": "1"}}, False),
        ({"metadata": {"labels": {"team": "a"}}}, False),
    ],
    ids=str,
)
def test_the_content_of_an_immutable_object_can_not_be_changed(change: dict[str, object], refused: bool) -> None:  # noqa: FBT001 - a parameter of the test
    item = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"a": "1"}}
    made = world("dynamic-apply", Answers(), {**item, "immutable": True})
    mutable = world("dynamic-apply", Answers(), item)

    def edit(found: dict[str, dict[str, object]]) -> None:
        for field, value in change.items():
            found[field] = {**found["metadata"], **value} if field == "metadata" else value  # type: ignore[assignment,dict-item] # any field

    mutable.edit(CONFIG, edit)
    if refused:
        with pytest.raises(ApiError, match="field is immutable"):
            made.edit(CONFIG, edit)
    else:
        made.edit(CONFIG, edit)
