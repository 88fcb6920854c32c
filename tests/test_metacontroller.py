"""The model of Metacontroller: each rule of it that the properties rely on."""

import pytest

from app.simulator.metacontroller.dynamic_apply import LAST_APPLIED
from tests.build import my_resource
from tests.metacontroller import Metacontroller, Mode
from tests.small import WRITES, Hook, both_modes, deployment, seen, service, started, synced


@both_modes
def test_the_first_sync_makes_the_children_and_writes_the_status(mode: Mode) -> None:
    metacontroller = started(mode, Hook(deployment()))

    requests = metacontroller.sync("web")

    assert requests == [f"{WRITES[mode][0]} Deployment web-deployment", "PUT status MyResource web"]
    assert metacontroller.changes == requests


@both_modes
def test_the_same_answer_again_costs_nothing(mode: Mode) -> None:
    metacontroller = synced(mode, Hook(deployment(), service()))

    assert metacontroller.sync("web") == []


@both_modes
def test_children_get_the_label_of_the_parent_and_its_owner_reference(mode: Mode) -> None:
    metadata = seen(synced(mode, Hook(deployment())))["metadata"]

    (owner,) = metadata["ownerReferences"]
    assert metadata["labels"]["controller-uid"] == my_resource()["metadata"]["uid"]
    assert (owner["kind"], owner["name"], owner["controller"]) == ("MyResource", "web", True)


@both_modes
def test_the_status_is_replaced_whole_and_says_which_generation(mode: Mode) -> None:
    hook = Hook()
    metacontroller = synced(mode, hook)

    hook.answer["status"] = {"replicas": 1}
    metacontroller.sync("web")

    assert seen(metacontroller, "MyResource", "web")["status"] == {"replicas": 1, "observedGeneration": 1}


@both_modes
def test_an_empty_answer_deletes_every_child_and_empties_the_status(mode: Mode) -> None:
    hook = Hook(deployment(), service())
    metacontroller = synced(mode, hook)

    hook.answer = {}
    metacontroller.sync("web")

    assert metacontroller.api.all("Deployment") == metacontroller.api.all("Service") == []
    assert seen(metacontroller, "MyResource", "web")["status"] == {"observedGeneration": 1}


@both_modes
def test_a_parent_that_is_being_deleted_has_its_status_written_and_its_children_left(mode: Mode) -> None:
    hook = Hook(deployment())
    metacontroller = synced(mode, hook)
    metacontroller.api.put(my_resource(deleting=True))

    hook.answer = {"status": {"state": "Terminating"}, "children": []}

    assert metacontroller.sync("web") == ["PUT status MyResource web"]


@both_modes
def test_a_new_generation_of_a_deployment_is_another_spec_or_other_annotations(mode: Mode) -> None:
    hook = Hook(deployment())
    metacontroller = synced(mode, hook)

    hook.answer["children"][0]["metadata"]["annotations"] = {"note": "a"}
    metacontroller.sync("web")
    assert seen(metacontroller)["metadata"]["generation"] == 2

    hook.answer["children"][0]["spec"]["replicas"] = 2
    metacontroller.sync("web")
    assert seen(metacontroller)["metadata"]["generation"] == 3


@pytest.mark.parametrize(("mode", "generation"), [("dynamic-apply", 2), ("server-side-apply", 1)])
def test_a_new_label_is_a_new_generation_only_where_the_answer_is_kept_in_an_annotation(
    mode: Mode, generation: int
) -> None:
    hook = Hook(deployment())
    metacontroller = synced(mode, hook)

    hook.answer["children"][0]["metadata"]["labels"] = {"myresource": "web", "team": "a"}
    metacontroller.sync("web")

    assert seen(metacontroller)["metadata"]["generation"] == generation


@both_modes
def test_after_a_restart_nothing_changes(mode: Mode) -> None:
    metacontroller = synced(mode, Hook(deployment(), service()))
    done = len(metacontroller.changes)

    metacontroller.restart()

    patches = ["PATCH Deployment web-deployment", "PATCH Service web"]
    assert metacontroller.sync("web") == ([] if mode == "dynamic-apply" else patches)
    assert metacontroller.changes[done:] == []


def test_changing_to_server_side_apply_takes_the_annotation_away() -> None:
    hook = Hook(deployment())
    before = synced("dynamic-apply", hook)
    after = Metacontroller(before.api, "server-side-apply", hook)
    assert LAST_APPLIED in seen(before)["metadata"]["annotations"]

    assert after.sync("web") == ["PATCH Deployment web-deployment"] * 2
    assert LAST_APPLIED not in seen(after)["metadata"].get("annotations", {})
    assert after.sync("web") == []
