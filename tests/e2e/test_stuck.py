"""Children that can't be applied: after a minute of Building the status explains why. All cases share the minute."""

import itertools
import time
from collections.abc import Iterator

import pytest

from metahook.envtest.process import Process
from metahook.protocol.drift import RETRY
from tests.e2e.admission import keep_service, remove, rewrite
from tests.e2e.cluster import Cluster
from tests.e2e.namespace import PORT, Namespace
from tests.e2e.statuses import condition
from tests.simulated.worlds import deployment, foreign

MINUTE = 100.0
"""Timeout in seconds for something that takes a minute; long, because the machine is shared."""

NUMBERS = itertools.count(1)


@pytest.fixture(name="there", scope="module")
def _there(cluster: Cluster, metacontroller: Process) -> Iterator[Namespace]:  # noqa: ARG001 - it must run
    """Return a namespace with all cases."""
    made = Namespace(cluster, f"stuck{next(NUMBERS)}")
    made.forbid("forbidden")
    rewrite(made, "rewritten", "mirror.example.com/nginx:1")
    made.put(foreign(deployment("taken-deployment")))
    made.ready("undeleted", **PORT)
    keep_service(made, "undeleted")
    made.ready("updated")
    for name in ("taken", "rewritten"):
        made.make(name)
    made.make("refused", image="forbidden:1")
    made.change("updated", image="forbidden:1")
    made.change("undeleted", ports=None)
    yield made
    remove(made)
    made.close()


def test_a_foreign_deployment_is_left_unchanged_and_the_status_is_not_applied(there: Namespace) -> None:
    there.wait_for_status("Failed", "NotApplied", "taken", MINUTE)

    assert there.get("Deployment", "taken-deployment")["spec"]["selector"] == {"matchLabels": {"app": "other"}}
    assert "ownerReferences" not in there.get("Deployment", "taken-deployment")["metadata"]


@pytest.mark.parametrize(
    ("name", "reason", "said"),
    [
        ("refused", "NotApplied", "a quota or an admission policy rejects it, or"),
        (
            "updated",
            "NotApplied",
            "could not be updated within a minute: a quota or an admission policy rejects it, or",
        ),
        ("undeleted", "NotApplied", "Service undeleted could not be deleted within a minute: an admission policy rej"),
        ("rewritten", "Overridden", "containers[main].image"),
    ],
)
def test_what_a_policy_does_to_a_child_is_explained(there: Namespace, name: str, reason: str, said: str) -> None:
    there.wait_for_status("Failed", reason, name, MINUTE)

    assert said in there.message(name)
    assert name != "updated" or condition(there.get("MyResource", name), "Available")["status"] == "True"


def test_stuck_children_cause_no_writes(there: Namespace) -> None:
    there.wait_for_status("Failed", "Overridden", "rewritten", MINUTE)
    if (left := RETRY - time.time() % RETRY) < 10:  # a value that differs is sent again at each multiple of RETRY
        time.sleep(left + 2)
    there.wait_until_quiet(2)

    for name in ("rewritten", "undeleted"):
        assert there.touched(name).children == []
