"""Metacontroller alone: its reaction to changes of children by others."""

from typing import Any

import pytest

from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import reference_to, with_metadata
from toolkit.worlds import (
    CHANGES,
    DEPLOYMENT,
    MAKES,
    SERVICE,
    WEB,
    Answers,
    Since,
    both_modes,
    calls,
    deployment,
    foreign,
    parent,
    service,
    synced,
    without_controllers,
    world,
)

Json = dict[str, Any]


def scale(found: Json) -> None:
    found["spec"]["replicas"] = 7


def restart(found: Json) -> None:
    found["spec"]["template"]["metadata"]["annotations"] = {"kubectl.kubernetes.io/restartedAt": "now"}


def inject(found: Json) -> None:
    found["spec"]["template"]["spec"]["containers"].insert(0, {"name": "proxy", "image": "proxy:1"})


def remove_annotation(found: Json) -> None:
    del found["metadata"]["annotations"]["ours"]


def release(found: Json) -> None:
    del found["metadata"]["labels"]["controller-uid"]


def disown(found: Json) -> None:
    del found["metadata"]["ownerReferences"]


@both_modes
def test_scaling_by_hand_is_repaired_with_one_write(mode: Mode) -> None:
    made = without_controllers(mode, Answers(deployment(replicas=2)))
    done = Since(made)

    made.edit(DEPLOYMENT, scale)
    made.until_quiet()

    assert done.requests == [CHANGES[mode]]
    assert made.get(DEPLOYMENT)["spec"]["replicas"] == 2


@both_modes
@pytest.mark.parametrize("change", [restart, inject])
def test_fields_of_other_managers_are_kept(mode: Mode, change: Any) -> None:
    made = without_controllers(mode, Answers(deployment()))

    made.edit(DEPLOYMENT, change)
    before = made.get(DEPLOYMENT)["spec"]
    made.until_quiet()

    assert made.get(DEPLOYMENT)["spec"] == before
    assert synced(made).requests == []


@both_modes
def test_a_removed_annotation_is_restored(mode: Mode) -> None:
    hook = Answers(deployment())
    hook.answer["children"][0]["metadata"]["annotations"] = {"ours": "1"}
    made = without_controllers(mode, hook)

    made.edit(DEPLOYMENT, remove_annotation)
    made.until_quiet()

    assert made.get(DEPLOYMENT)["metadata"]["annotations"]["ours"] == "1"


def test_under_server_side_apply_an_object_of_another_controller_is_refused() -> None:
    other = foreign(service(app="other"))
    other["metadata"]["ownerReferences"] = [
        {"apiVersion": "v1", "kind": "Other", "name": "a", "uid": "another", "controller": True}
    ]
    made = world("server-side-apply", Answers(service()), other, parent(), controllers=False)
    done = Since(made)
    made.until_quiet()

    assert "only one reference can have controller set to true" in done.refusals[0]
    assert made.get(SERVICE)["spec"]["selector"] == {"app": "other"}


@pytest.mark.parametrize(
    ("mode", "then"), [("dynamic-apply", ["create Deployment web-deployment"]), ("server-side-apply", [])]
)
def test_a_child_without_its_label_is_released_and_then_stuck_or_taken_over(mode: Mode, then: list[str]) -> None:
    made = without_controllers(mode, Answers(deployment()))
    done = Since(made)

    made.edit(DEPLOYMENT, release)
    made.until_quiet()

    assert done.requests == ["update Deployment web-deployment", MAKES[mode]]
    assert synced(made).requests == then
    assert bool(made.get(DEPLOYMENT)["metadata"].get("ownerReferences")) == (mode == "server-side-apply")


@both_modes
def test_a_child_that_lost_its_owner_is_adopted_again(mode: Mode) -> None:
    made = without_controllers(mode, Answers(deployment()))
    before, done = made.get(DEPLOYMENT), Since(made)

    made.edit(DEPLOYMENT, disown)
    made.until_quiet()

    assert made.get(DEPLOYMENT)["metadata"]["ownerReferences"] == before["metadata"]["ownerReferences"]
    assert done.requests[0] == "update Deployment web-deployment"
    assert synced(made).requests == []


@both_modes
def test_a_child_that_a_user_deletes_is_created_again(mode: Mode) -> None:
    made = without_controllers(mode, Answers(deployment()))
    done = Since(made)

    made.delete(DEPLOYMENT)
    made.until_quiet()

    assert done.requests == [MAKES[mode]]
    assert synced(made).requests == []


@both_modes
def test_a_child_that_is_being_deleted_is_left_alone(mode: Mode) -> None:
    hook = Answers(deployment())
    made = without_controllers(mode, hook)
    made.edit(DEPLOYMENT, lambda item: item["metadata"].update(finalizers=["example.com/wait"]))
    made.delete(DEPLOYMENT)
    made.until_quiet()

    hook.answer["children"] = [deployment(replicas=9)]
    assert synced(made).requests == []

    hook.answer["children"] = []
    assert synced(made).requests == []


@both_modes
def test_a_child_of_another_parent_is_left_alone(mode: Mode) -> None:
    made = world(mode, Answers(), parent(), parent("other"), controllers=False)
    owner = made.parent("other")
    made.until_quiet()
    before = calls(made)

    made.apply(with_metadata(foreign(service()), ownerReferences=[reference_to(owner)]))
    made.until_quiet()

    assert made.api.get(SERVICE)
    assert calls(made) == before + 1  # for the other one
    assert "ownerReferences" not in made.get(SERVICE)["metadata"]  # it lacks the label, so it was released


@both_modes
def test_nothing_is_adopted_for_a_parent_that_is_being_deleted_or_already_gone(mode: Mode) -> None:
    made = without_controllers(mode, Answers())
    made.metacontroller.cache.late = 1.0
    uid = made.get(WEB)["metadata"]["uid"]
    done = Since(made)

    made.apply(with_metadata(foreign(service()), labels={"controller-uid": uid}))
    made.run(0.5)
    made.delete(WEB)
    made.until_quiet()

    assert made.api.get(SERVICE)
    assert done.requests == []


@both_modes
def test_an_orphan_calls_the_parent_of_its_label_until_it_is_deleted(mode: Mode) -> None:
    made = without_controllers(mode, Answers())
    made.edit(WEB, lambda item: item["metadata"].update(finalizers=["example.com/wait"]))
    made.delete(WEB)  # so it is not adopted
    made.until_quiet()
    before, uid = calls(made), made.get(WEB)["metadata"]["uid"]

    made.apply(with_metadata(foreign(service()), labels={"controller-uid": uid}))
    made.until_quiet()
    assert calls(made) == before + 1

    made.delete(SERVICE)
    made.until_quiet()
    assert calls(made) == before + 1


@both_modes
def test_a_child_created_for_a_parent_whose_deletion_arrives_late_goes_too(mode: Mode) -> None:
    """Garbage collection deletes the child; that event can arrive before that of the parent."""
    made = world(mode, Answers(deployment()), parent())
    made.until_quiet()
    before, done = calls(made), Since(made)
    made.metacontroller.cache.delays = lambda write: [1.0 if write.key == WEB else 0.005]

    made.delete(WEB)
    made.until_quiet()

    assert calls(made) > before
    assert MAKES[mode] in done.writes
    assert made.api.get(DEPLOYMENT) is None
