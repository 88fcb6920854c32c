"""Verdicts on everything that the tests of a mode did; they run last."""

import pytest

from metahook.envtest.process import Process
from metahook.simulator.metacontroller.settings import Mode
from tests.e2e.audit import granted
from tests.e2e.cluster import Cluster
from tests.e2e.conftest import WHOLE
from tests.e2e.installed import role
from tests.e2e.truth import RACE, impossible, incoherent, times, untrue, written

pytestmark = pytest.mark.verdict

CALL = 0.1
"""Seconds that a call and the write of its status take. A Pod that stops in that time makes the status late."""


def test_ready_is_true_only_for_a_deployment_that_is_fully_rolled_out(cluster: Cluster, since: float) -> None:
    statuses = written(cluster.record, since)

    found = untrue(cluster.record, statuses)

    assert [each for each in found if each.seconds > RACE] == []
    assert len([each for each in found if each.seconds > CALL]) <= len(statuses) / 100, found
    assert len(found) <= max(5, len(statuses) / 50), found


def test_a_time_lies_between_the_last_status_with_the_old_value_and_the_first_with_the_new_one(
    cluster: Cluster, since: float
) -> None:
    found = times(cluster.record, since, cluster.exchanges())

    assert found.violations == []
    for explained in (found.from_another_clock, found.from_an_old_request):
        assert len(explained) <= max(5, found.changes / 50), explained


def test_the_parts_of_a_status_agree(cluster: Cluster, since: float) -> None:
    assert incoherent(written(cluster.record, since)) == []


def test_states_follow_one_another_as_the_page_says(cluster: Cluster, since: float) -> None:
    assert impossible(written(cluster.record, since)) == []


def test_metacontroller_has_every_right_that_it_needs(cluster: Cluster, metacontroller: Process) -> None:
    assert [str(request) for request in cluster.audit.requests if request.forbidden] == []
    assert [line for line in metacontroller.text().splitlines() if "is forbidden: User" in line] == []


def test_metacontroller_and_the_hook_never_fail_by_themselves(cluster: Cluster, metacontroller: Process) -> None:
    assert "panic" not in metacontroller.text()
    assert not [line for line in cluster.hook.text().splitlines() if '"level": "error"' in line or "Traceback" in line]


NOT_IN = {
    "dynamic-apply": {"get", "patch"},
    "server-side-apply": {"create", "update"},
}
"""Verbs on children that only the other mode needs."""
RARE = {"poddisruptionbudgets", "horizontalpodautoscalers"}
"""Children of too few MyResources for Metacontroller to get one before it adopts or releases it."""
CHILDREN = {"deployments", "services", *RARE}


def test_every_right_of_the_role_is_used(cluster: Cluster, mode: Mode, pytestconfig: pytest.Config) -> None:
    if not pytestconfig.stash[WHOLE]:
        pytest.skip("only a run of all tests can tell")

    unused = granted(role()) - {request.right for request in cluster.audit.requests}

    unused -= {right for right in unused if right.resource in RARE and right.verb == "get"}
    assert [right for right in unused if right.resource not in CHILDREN or right.verb not in NOT_IN[mode]] == []
