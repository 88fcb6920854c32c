"""A request whose parent is older than its children does not undo what was applied since."""

from datetime import timedelta
from typing import Any

import pytest

from app.core.child_metadata import GENERATION_STAMP
from tests.requests.builders import NOW, UID, Json, condition, finished, kinds, my_resource, reason, sync

PORT: Json = {"ports": [{"containerPort": 80}]}


def newer(**spec: Any) -> tuple[Json, list[Json]]:
    """Return the parent as it was, and the children that were made for its next generation."""
    return my_resource(generation=1), finished(my_resource(generation=2, **spec))


def specs(answer: Json) -> list[Json]:
    return [child.get("spec") for child in answer["children"]]


def test_children_of_a_newer_generation_are_kept() -> None:
    parent, children = newer(image="nginx:2", **PORT)

    answer = sync(parent, *children)

    assert kinds(answer) == ["Deployment", "Service"]
    assert specs(answer) == specs(sync(my_resource(generation=2, image="nginx:2", **PORT)))
    assert reason(answer) == "Building"
    assert condition(answer)["message"].startswith("Waiting for Metacontroller to send the generation that Deployment ")
    assert condition(answer, "Progressing")["reason"] == "DeploymentDiffers"


def test_what_stays_so_for_a_minute_is_no_late_cache() -> None:
    parent, children = newer(image="nginx:2", **PORT)
    parent["status"] = sync(parent, *children)["status"]

    answer = sync(parent, *children, now=NOW + timedelta(seconds=60))

    assert kinds(answer) == ["Deployment"]
    assert answer["children"][0]["metadata"]["annotations"][GENERATION_STAMP].startswith("1-")
    assert reason(answer) == "Building"  # the write is of now, so it is not rejected yet
    parent["status"] = answer["status"]
    assert reason(sync(parent, *children, now=NOW + timedelta(seconds=120))) == "NotApplied"


def test_a_parent_that_has_waited_long_for_its_own_child_still_undoes_nothing_of_a_newer_generation() -> None:
    parent, children = newer(image="nginx:2")
    waited = sync(parent)["status"]
    stuck = sync({**parent, "status": waited}, now=NOW + timedelta(seconds=61))
    parent["status"] = stuck["status"]
    assert reason(stuck) == "NotApplied"

    answer = sync(parent, *children, now=NOW + timedelta(seconds=90))

    assert specs(answer) == specs(sync(my_resource(generation=2, image="nginx:2")))
    assert answer["status"]["waiting"]["what"] == "a later generation of Deployment web-deployment"


@pytest.mark.parametrize("stamp", [f"1-{UID[:8]}", f"0-{UID[:8]}", "2-somebody", "2-", "-", "later", ""])
def test_any_other_stamp_is_replaced(stamp: str) -> None:
    parent, (deployment,) = newer()
    deployment["metadata"]["annotations"][GENERATION_STAMP] = stamp

    assert specs(sync(parent, deployment)) != [None]
