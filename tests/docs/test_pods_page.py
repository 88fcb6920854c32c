"""The page about Pods: its messages are those of the status."""

import re

import pytest

from app.core.reasons import POD_REASONS
from tests.docs.documents import ROOT
from tests.requests.pods import LOST, UNSCHEDULABLE, container, crashing, deleted, failed, pod, running, said, waiting

PAGE = (ROOT / "docs/pods.md").read_text()
ROWS = dict(re.findall(r"^\| `(\w+)` \| .* \| (.*) \|$", PAGE, re.MULTILINE))
SPEC = {
    "env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}],
    "readinessProbe": {"httpGet": {"port": 80}},
    "volumes": [{"name": "cache", "emptyDir": {"sizeLimit": "1Gi"}}],
}
PODS = {
    "ImagePullFailed": pod(container(state=waiting("ErrImagePull"))),
    "ContainerConfigError": pod(
        container(state=waiting("CreateContainerConfigError", "couldn't find key password in Secret default/db"))
    ),
    "OOMKilled": pod(crashing(137, "OOMKilled")),
    "CrashLooping": pod(crashing(127)),
    "RunContainerError": pod(crashing(128, "StartError")),
    "Evicted": failed("Evicted", 'Usage of EmptyDir volume "cache" exceeds the limit "1Gi". '),
    "Preempted": deleted("PreemptionByScheduler"),
    "PodRejected": failed("OutOfcpu"),
    "NodeLost": LOST,
    "Unschedulable": UNSCHEDULABLE,
    "ProbeFailing": pod(container(state=running(900))),
}


def test_the_page_lists_every_reason_in_order_of_rank() -> None:
    assert list(ROWS) == [reason.name for reason in POD_REASONS]


@pytest.mark.parametrize("name", ROWS)
def test_a_message_equals_that_of_the_status(name: str) -> None:
    assert said(PODS[name], **SPEC) == (name, ROWS[name])
