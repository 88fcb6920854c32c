"""Metacontroller alone: the rules of its sync."""

import pytest
from msgspec.structs import replace

from metahook.protocol.observed import LAST_APPLIED
from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Key
from toolkit.widgets import WIDGETS
from toolkit.worlds import (
    CHANGES,
    CHILDREN,
    DEPLOYMENT,
    MAKES,
    WEB,
    Answers,
    Since,
    both_modes,
    calls,
    deployment,
    events,
    parent,
    service,
    synced,
    without_controllers,
    world,
)


@both_modes
def test_the_first_sync_makes_the_children_and_writes_the_status(mode: Mode) -> None:
    made = world(mode, Answers(deployment()), controllers=False)
    done = Since(made)

    made.apply(parent())
    made.until_quiet()

    assert done.requests == done.writes == [MAKES[mode], "update status Widget web"]


@both_modes
def test_a_repeated_response_costs_no_request(mode: Mode) -> None:
    made = without_controllers(mode, Answers(deployment(), service()))

    assert synced(made).requests == []


@both_modes
def test_a_child_with_the_update_method_on_delete_is_created_and_deleted_but_never_updated(mode: Mode) -> None:
    hook = Answers(deployment())
    made = without_controllers(mode, hook, update_methods=dict.fromkeys(CHILDREN, "OnDelete"))

    hook.answer["children"] = [deployment(replicas=2)]
    assert synced(made).requests == []

    made.delete(DEPLOYMENT)
    assert made.until_quiet()
    assert made.get(DEPLOYMENT)["spec"]["replicas"] == 2

    hook.answer["children"] = []
    assert synced(made).writes == ["delete Deployment web-deployment"]


@both_modes
def test_with_the_update_method_in_place_it_is_updated(mode: Mode) -> None:
    hook = Answers(deployment())
    made = without_controllers(mode, hook)

    hook.answer["children"] = [deployment(replicas=2)]

    assert synced(made).writes == [CHANGES[mode]]


@both_modes
def test_children_get_the_label_of_the_parent_and_its_owner_reference(mode: Mode) -> None:
    made = without_controllers(mode, Answers(deployment()))
    metadata, uid = made.get(DEPLOYMENT)["metadata"], made.get(WEB)["metadata"]["uid"]

    (owner,) = metadata["ownerReferences"]
    assert metadata["labels"]["controller-uid"] == owner["uid"] == uid
    assert (owner["kind"], owner["name"], owner["controller"]) == ("Widget", "web", True)


@both_modes
def test_the_status_is_replaced_whole_and_says_which_generation(mode: Mode) -> None:
    hook = Answers()
    made = without_controllers(mode, hook)

    hook.answer["status"] = {"replicas": 1, "observedGeneration": 9}
    synced(made)

    assert made.get(WEB)["status"] == {"replicas": 1, "observedGeneration": 1}


@both_modes
def test_a_refused_child_stops_neither_the_status_nor_the_other_children(mode: Mode) -> None:
    torn = deployment()
    torn["spec"]["template"]["metadata"]["labels"] = {"app": "other"}
    made = world(mode, Answers(torn, service()), parent())
    made.run(0.01)

    assert made.get(WEB)["status"]["state"] == "Building"
    assert made.get(Key("Service", "default", "web"))
    assert "selector does not match template labels" in events(made)[0]


@both_modes
def test_a_parent_that_is_being_deleted_has_its_status_written_and_its_children_left(mode: Mode) -> None:
    hook = Answers(deployment())
    made = without_controllers(mode, hook)
    made.edit(WEB, lambda item: item["metadata"].update(finalizers=["example.com/wait"]))
    made.until_quiet()
    done = Since(made)

    hook.answer = {"status": {"state": "Terminating"}, "children": []}
    made.delete(WEB)
    made.until_quiet()

    assert done.requests == ["update status Widget web"]
    assert made.get(WEB)["status"] == {"state": "Terminating", "observedGeneration": 2}


@both_modes
def test_a_new_generation_of_a_deployment_is_another_spec_or_other_annotations(mode: Mode) -> None:
    hook = Answers(deployment())
    made = without_controllers(mode, hook)

    hook.answer["children"][0]["metadata"]["annotations"] = {"note": "a"}
    synced(made)
    assert made.get(DEPLOYMENT)["metadata"]["generation"] == 2

    hook.answer["children"][0]["spec"]["replicas"] = 2
    synced(made)
    assert made.get(DEPLOYMENT)["metadata"]["generation"] == 3


@pytest.mark.parametrize(("mode", "generation"), [("dynamic-apply", 2), ("server-side-apply", 1)])
def test_a_new_label_is_a_new_generation_only_where_the_answer_is_kept_in_an_annotation(
    mode: Mode, generation: int
) -> None:
    hook = Answers(deployment())
    made = without_controllers(mode, hook)

    hook.answer["children"][0]["metadata"]["labels"] = {"widget": "web", "team": "a"}
    synced(made)

    assert made.get(DEPLOYMENT)["metadata"]["generation"] == generation


def test_changing_to_server_side_apply_takes_the_annotation_away() -> None:
    hook = Answers(deployment())
    made = without_controllers("dynamic-apply", hook)
    assert LAST_APPLIED in made.get(DEPLOYMENT)["metadata"]["annotations"]
    done = Since(made)

    made.metacontroller.settings = replace(made.settings, mode="server-side-apply")
    made.metacontroller.restart()
    made.until_quiet()

    assert done.requests == ["patch Deployment web-deployment", CHANGES["server-side-apply"]]
    assert LAST_APPLIED not in made.get(DEPLOYMENT)["metadata"].get("annotations", {})
    assert synced(made).requests == []


@both_modes
def test_a_child_that_is_no_longer_listed_is_deleted(mode: Mode) -> None:
    hook = Answers(deployment(), service())
    made = without_controllers(mode, hook)

    hook.answer["children"] = [deployment()]

    assert synced(made).requests == ["delete Service web"]


@both_modes
def test_resyncs_call_the_hook_and_cost_nothing(mode: Mode) -> None:
    made = without_controllers(mode, WIDGETS)
    before, done = calls(made), Since(made)

    made.run(601)

    assert calls(made) == before + 1
    assert done.requests == []


@pytest.mark.parametrize(("kind", "more"), [("Widget", 1), ("Deployment", 0)])
def test_an_event_that_arrives_twice_is_another_sync_only_for_the_parent(kind: str, more: int) -> None:
    made = without_controllers("dynamic-apply", Answers(deployment()))
    before = calls(made)

    made.metacontroller.cache.delays = lambda _: [0.01, 0.02]
    changed = {"Widget": WEB, "Deployment": DEPLOYMENT}[kind]
    made.edit(changed, lambda item: item["metadata"].setdefault("labels", {}).update(touched="once"))
    made.until_quiet()

    assert calls(made) == before + 1 + more


def test_a_status_that_another_client_writes_is_repaired_at_the_next_resync() -> None:
    made = without_controllers("dynamic-apply", Answers())

    made.api.update_status({**made.get(WEB), "status": {"state": "Ready"}}, "another-client")
    made.run(1)
    assert made.get(WEB)["status"] == {"state": "Ready"}

    made.run(600)
    assert made.get(WEB)["status"] == {"state": "Building", "observedGeneration": 1}


def test_without_ignoring_status_changes_it_is_repaired_at_once() -> None:
    made = world("dynamic-apply", Answers(), parent(), ignore_status_changes=False)
    made.until_quiet()

    made.api.update_status({**made.get(WEB), "status": {"state": "Ready"}}, "another-client")
    made.run(1)

    assert made.get(WEB)["status"] == {"state": "Building", "observedGeneration": 1}


@both_modes
def test_without_a_parent_no_hook_is_called(mode: Mode) -> None:
    orphan = deployment()
    orphan["metadata"]["namespace"] = "default"
    made = world(mode, Answers(), orphan)
    made.run(700)

    assert calls(made) == 0
