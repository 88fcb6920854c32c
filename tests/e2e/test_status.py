"""The number of status writes of a rollout."""

from typing import Any, NamedTuple

import pytest

from metahook.simulator.metacontroller.settings import Mode
from tests.e2e.figures import Figures
from tests.e2e.namespace import Namespace


class Rollout(NamedTuple):
    """A change that causes a rollout, the spec before, and the maximum number of status writes.

    If old Pods stop faster than new ones start, status.replicas decreases and increases: two more writes each time.
    """

    before: dict[str, Any]
    change: dict[str, Any]
    most: int = 6


ROLLOUTS = {
    "image of three": Rollout({"replicas": 3}, {"image": "nginx:2"}),
    "image of ten": Rollout({"replicas": 10}, {"image": "nginx:2"}, most=10),
    "Pods replaced one by one": Rollout(
        {"replicas": 3, "strategy": {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}}, {"image": "nginx:2"}
    ),
    "Recreate of three": Rollout({"replicas": 3, "strategy": {"type": "Recreate"}}, {"image": "nginx:2"}),
    "three to eight": Rollout({"replicas": 3}, {"replicas": 8}),
    "eight to three": Rollout({"replicas": 8}, {"replicas": 3}),
    "with minReadySeconds": Rollout({"replicas": 2, "minReadySeconds": 1}, {"image": "nginx:2"}),
}


@pytest.mark.parametrize("name", ROLLOUTS)
def test_a_rollout_takes_few_status_writes(here: Namespace, name: str, figures: Figures, mode: Mode) -> None:
    rollout = ROLLOUTS[name]
    here.ready(**rollout.before)
    done = here.since()

    here.change(**rollout.change)
    here.wait_until_ready()

    figures.note(f"status writes: {name}", mode, done.statuses)
    assert done.statuses <= rollout.most


def test_a_new_one_takes_few_status_writes(here: Namespace) -> None:
    done = here.since()

    here.ready(replicas=3)

    assert done.statuses <= 6


def test_two_changes_at_once_end_with_the_second(here: Namespace) -> None:
    here.ready(replicas=2)

    here.change(image="nginx:2")
    here.change(image="nginx:3")
    here.wait_until_ready()

    assert here.main()["image"] == "nginx:3"
    assert here.get("MyResource")["status"]["image"] == "nginx:3"
