"""The model of Metacontroller: what it does about what others did to the children."""

from typing import Any

import pytest

from tests.cluster.api_server import ApiServer
from tests.metacontroller import Metacontroller, Mode
from tests.small import WRITES, Hook, both_modes, deployment, foreign, seen, service, started, synced

Json = dict[str, Any]


def by_hand(metacontroller: Metacontroller, change: Any) -> None:
    """Let somebody change the Deployment."""
    found = seen(metacontroller)
    change(found)
    metacontroller.api.update(found)


def scale(found: Json) -> None:
    found["spec"]["replicas"] = 7


def restart(found: Json) -> None:
    found["spec"]["template"]["metadata"]["annotations"] = {"kubectl.kubernetes.io/restartedAt": "now"}


def inject(found: Json) -> None:
    found["spec"]["template"]["spec"]["containers"].insert(0, {"name": "proxy", "image": "proxy:1"})


def remove_label(found: Json) -> None:
    del found["metadata"]["labels"]["myresource"]


def remove_annotation(found: Json) -> None:
    del found["metadata"]["annotations"]["ours"]


def disown(found: Json) -> None:
    del found["metadata"]["labels"]["controller-uid"]


@both_modes
def test_scaling_by_hand_is_repaired_at_once(mode: Mode) -> None:
    metacontroller = synced(mode, Hook(deployment(replicas=2)))

    by_hand(metacontroller, scale)

    assert metacontroller.sync("web") == [f"{WRITES[mode][1]} Deployment web-deployment"]
    assert seen(metacontroller)["spec"]["replicas"] == 2
    assert metacontroller.sync("web") == []


@both_modes
@pytest.mark.parametrize("change", [restart, inject])
def test_what_is_not_ours_is_left_alone(mode: Mode, change: Any) -> None:
    metacontroller = synced(mode, Hook(deployment()))
    by_hand(metacontroller, change)
    before = seen(metacontroller)["spec"]

    metacontroller.sync("web")

    assert seen(metacontroller)["spec"] == before
    assert metacontroller.sync("web") == []


@pytest.mark.parametrize(("mode", "repaired"), [("dynamic-apply", True), ("server-side-apply", False)])
def test_a_label_that_was_removed_comes_back_only_under_dynamic_apply(mode: Mode, repaired: bool) -> None:  # noqa: FBT001 - a parameter of the test
    metacontroller = synced(mode, Hook(deployment()))

    by_hand(metacontroller, remove_label)
    metacontroller.sync("web")
    metacontroller.sync("web")

    assert ("myresource" in seen(metacontroller)["metadata"]["labels"]) == repaired


@both_modes
def test_an_annotation_that_was_removed_comes_back(mode: Mode) -> None:
    hook = Hook(deployment())
    hook.answer["children"][0]["metadata"]["annotations"] = {"ours": "1"}
    metacontroller = synced(mode, hook)

    by_hand(metacontroller, remove_annotation)
    metacontroller.sync("web")

    assert seen(metacontroller)["metadata"]["annotations"]["ours"] == "1"


def test_under_dynamic_apply_a_name_that_is_taken_is_asked_for_in_silence_for_ever() -> None:
    metacontroller = started("dynamic-apply", Hook(deployment(), service()))
    metacontroller.api.create(foreign(deployment()))
    metacontroller.api.create(foreign(service(app="other")))
    metacontroller.sync("web")

    assert metacontroller.sync("web") == ["POST Deployment web-deployment", "POST Service web"]
    assert metacontroller.changes == ["PUT status MyResource web"]
    assert seen(metacontroller, "Service", "web")["spec"]["selector"] == {"app": "other"}


def test_under_server_side_apply_a_foreign_service_is_taken_over() -> None:
    metacontroller = started("server-side-apply", Hook(service()))
    metacontroller.api.create(foreign(service(app="other")))

    metacontroller.sync("web")

    taken = seen(metacontroller, "Service", "web")
    assert taken["spec"]["selector"] == {"myresource": "web"}
    assert [owner["name"] for owner in taken["metadata"]["ownerReferences"]] == ["web"]


def test_under_server_side_apply_a_foreign_deployment_refuses_our_selector() -> None:
    metacontroller = started("server-side-apply", Hook(deployment()))
    other = foreign(deployment())
    other["spec"]["selector"] = {"matchLabels": {"app": "other"}}
    metacontroller.api.create(other)

    metacontroller.sync("web")

    assert metacontroller.refusals == ["PATCH Deployment web-deployment: spec.selector: field is immutable"]


def test_under_server_side_apply_an_object_of_another_controller_is_refused() -> None:
    metacontroller = started("server-side-apply", Hook(service()))
    other = foreign(service())
    other["metadata"]["ownerReferences"] = [{"uid": "another", "controller": True}]
    metacontroller.api.create(other)

    metacontroller.sync("web")

    assert len(metacontroller.refusals) == 1


@both_modes
def test_an_orphan_with_our_label_is_adopted_and_deleted_if_the_answer_does_not_list_it(mode: Mode) -> None:
    metacontroller = started(mode, Hook())
    orphan = foreign(deployment("other"))
    orphan["metadata"]["labels"] = {"controller-uid": seen(metacontroller, "MyResource", "web")["metadata"]["uid"]}
    metacontroller.api.create(orphan)

    assert metacontroller.sync("web")[:2] == ["ADOPT Deployment other", "DELETE Deployment other"]
    assert metacontroller.api.all("Deployment") == []


@pytest.mark.parametrize(
    ("mode", "requests"),
    [
        ("dynamic-apply", ["POST Deployment web-deployment"]),
        ("server-side-apply", []),
    ],
)
def test_a_child_that_lost_its_label_is_released(mode: Mode, requests: list[str]) -> None:
    metacontroller = synced(mode, Hook(deployment()))

    by_hand(metacontroller, disown)

    assert metacontroller.sync("web")[0] == "RELEASE Deployment web-deployment"
    assert metacontroller.sync("web") == requests
    assert bool(seen(metacontroller)["metadata"].get("ownerReferences")) == (mode == "server-side-apply")


@both_modes
def test_a_child_that_is_deleted_by_hand_is_made_again(mode: Mode) -> None:
    metacontroller = synced(mode, Hook(deployment()))

    metacontroller.api.delete("Deployment", "web-deployment")

    assert metacontroller.sync("web") == [f"{WRITES[mode][0]} Deployment web-deployment"]
    assert metacontroller.sync("web") == []


@both_modes
def test_a_child_that_is_being_deleted_is_left_alone(mode: Mode) -> None:
    hook = Hook(deployment())
    metacontroller = synced(mode, hook)
    found = seen(metacontroller)
    found["metadata"]["deletionTimestamp"] = "2026-01-31T12:00:00Z"
    metacontroller.api.put(found)

    hook.answer["children"] = [deployment(replicas=9)]

    assert metacontroller.sync("web") == []


def test_without_a_parent_nothing_is_asked() -> None:
    assert Metacontroller(ApiServer(), "dynamic-apply", Hook()).sync("web") == []
