"""A DecoratorController: what it attaches to an object and sets on it, and which objects it decorates."""

from typing import Any

from metahook.simulator.findings import findings
from metahook.simulator.metacontroller.loop import DECORATED_BY
from metahook.simulator.metacontroller.settings import Mode, Settings
from metahook.simulator.objects import Key
from metahook.simulator.world import World
from toolkit.controllers import (
    Decides,
    cluster,
    config_map,
    decorator,
    hooks,
    item,
    resource,
    room,
)
from toolkit.hooks.raw import CONTROLLER, attach, service
from toolkit.hooks.service_per_object import LABEL, SERVICES
from toolkit.worlds import Since, both_modes, events

Json = dict[str, Any]

ROOM, COPY, SERVICE = Key("Room", "default", "a"), Key("ConfigMap", "default", "a"), Key("Service", "default", "s")


@both_modes
def test_an_object_gets_attachments_labels_annotations_and_a_status(mode: Mode) -> None:
    made = cluster(CONTROLLER, Decides(sync=attach), room(word="hi") | {"metadata": _labelled("a")}, mode=mode)

    copied, decorated = made.get(COPY), made.get(ROOM)
    assert (copied["data"], copied["metadata"]["annotations"][DECORATED_BY]) == ({"word": "hi"}, "copier")
    assert copied["metadata"]["ownerReferences"][0]["uid"] == decorated["metadata"]["uid"]
    assert decorated["metadata"]["labels"] == {"copied": "yes", "kept": "1"}
    assert decorated["metadata"]["annotations"] == {"copies": "1"}
    assert decorated["status"] == {"copies": 1}
    assert findings(made.history) == []


def _labelled(name: str) -> Json:
    return {"name": name, "namespace": "default", "labels": {"old": "1", "kept": "1"}}


@both_modes
def test_a_quiet_object_costs_no_request(mode: Mode) -> None:
    made = cluster(CONTROLLER, Decides(sync=attach), room(word="hi"), mode=mode)
    done = Since(made)

    made.run(4000)

    assert done.requests == []


@both_modes
def test_attachments_are_updated_repaired_and_deleted_with_their_object(mode: Mode) -> None:
    made = cluster(CONTROLLER, Decides(sync=attach), room(word="hi"), mode=mode)

    made.apply(room(word="ho"))
    made.until_quiet()
    assert made.get(COPY)["data"] == {"word": "ho"}
    made.edit(COPY, lambda it: it["data"].update(word="by hand"))
    made.until_quiet()
    assert made.get(COPY)["data"] == {"word": "ho"}
    made.edit(ROOM, lambda it: it["metadata"].update(finalizers=["example.com/wait"]))
    made.delete(ROOM)
    made.edit(COPY, lambda it: it["data"].update(word="by hand"))
    made.until_quiet()
    assert made.get(COPY)["data"] == {"word": "by hand"}  # it is not repaired while its object is deleted
    made.edit(ROOM, lambda it: it["metadata"].update(finalizers=[]))
    made.until_quiet()
    assert made.api.get(COPY) is None


def test_only_objects_that_both_selectors_match_are_decorated() -> None:
    made = cluster(CONTROLLER, hook := Decides(sync=attach), service())
    assert hook.requests == []

    made.apply(service(copy="yes"))
    made.until_quiet()

    assert made.get(SERVICE)["metadata"]["labels"] == {"copied": "yes"}
    assert "status" not in made.get(SERVICE)


def test_an_object_that_looks_like_an_attachment_is_not_adopted() -> None:
    made = cluster(CONTROLLER, hook := Decides(sync=attach), config_map("a", "default", word="mine"), room(word="hi"))

    assert made.get(COPY)["data"] == {"word": "mine"}
    assert hook.last()["attachments"] == {"ConfigMap.v1": {}}


def test_an_orphan_that_appears_beside_an_object_is_not_adopted_and_causes_no_sync() -> None:
    made = cluster(CONTROLLER, hook := Decides(sync=attach), service(copy="yes"))
    before = len(hook.requests)

    made.apply(config_map("b", "default"))
    made.until_quiet()

    assert "ownerReferences" not in made.get(Key("ConfigMap", "default", "b"))["metadata"]
    assert len(hook.requests) == before


def test_a_decorator_of_the_toolkit_runs_with_all_its_hooks() -> None:
    controller = decorator(
        "services",
        [resource("apps/v1", "statefulsets", None)],
        resource("v1", "services"),
        hooks=hooks("sync", "finalize"),
    )
    made, key = World(SERVICES, Settings.read(controller)), Key("StatefulSet", "default", "db")
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "main", "image": "db:1"}]}}
    spec = {"selector": {"matchLabels": {"a": "b"}}, "serviceName": "db", "template": template}
    made.apply(item("apps/v1", "StatefulSet", "db", "default", spec=spec))
    made.until_quiet()
    assert made.get(key)["metadata"]["labels"] == {LABEL: "true"}
    assert made.get(Key("Service", "default", "db"))

    made.delete(key)
    made.until_quiet()

    assert made.api.all_keys() == []
    assert findings(made.history) == []


@both_modes
def test_an_object_that_no_longer_matches_is_finalized_and_its_attachments_go(mode: Mode) -> None:
    def finalize(request: Json) -> Json:
        return {"attachments": [], "labels": {"copied": None}, "finalized": not request["attachments"]["ConfigMap.v1"]}

    controller = CONTROLLER | {"spec": CONTROLLER["spec"] | {"hooks": hooks("sync", "finalize")}}
    made = cluster(controller, hook := Decides(sync=attach, finalize=finalize), service(copy="yes"), mode=mode)
    assert made.get(SERVICE)["metadata"]["finalizers"] == ["metacontroller.io/decoratorcontroller-copier"]

    made.edit(SERVICE, lambda it: it["metadata"]["annotations"].pop("copy"))
    made.until_quiet()

    assert made.api.get(Key("ConfigMap", "default", "s")) is None
    assert {"labels", "finalizers"}.isdisjoint(made.get(SERVICE)["metadata"])
    assert hook.last("finalize")["finalizing"] is True
    assert findings(made.history) == []


def test_a_label_that_the_api_server_refuses_is_an_error_of_the_sync() -> None:
    made = cluster(
        CONTROLLER, Decides(sync=lambda request: attach(request) | {"labels": {"a b": "c"}}), room(word="hi")
    )

    assert "metadata.labels: a b: must be a name" in events(made)[0]
    assert made.api.get(COPY) is None


def test_an_object_that_does_not_match_loses_an_old_finalizer_and_the_hook_is_not_called() -> None:
    old = service()
    old["metadata"]["finalizers"] = ["metacontroller.io/decoratorcontroller-copier"]
    made = cluster(CONTROLLER, hook := Decides(sync=attach), old)

    assert "finalizers" not in made.get(SERVICE)["metadata"]
    assert hook.requests == []
