"""The page about Pods: its messages are those of the status, and its figures those that tests hold."""

import re

import pytest

from app.core.reasons import POD_REASONS
from tests.documents import ROOT
from tests.pods import LOST, UNSCHEDULABLE, container, crashing, deleted, failed, pod, running, said, waiting
from tests.test_pods import MOST

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


def test_every_reason_has_an_example() -> None:
    assert set(PODS) == {reason.name for reason in POD_REASONS}


def test_the_page_lists_every_reason_in_order_of_rank() -> None:
    assert list(ROWS) == [reason.name for reason in POD_REASONS]


@pytest.mark.parametrize("name", PODS)
def test_a_message_equals_that_of_the_status(name: str) -> None:
    assert said(PODS[name], **SPEC) == (name, ROWS[name])


def test_the_sentence_about_foreign_containers_equals_the_message() -> None:
    _, message = said(pod(container("proxy", waiting("ErrImagePull"))))

    assert message in " ".join(PAGE.split())


def test_the_number_of_status_writes_equals_the_tested_limit() -> None:
    assert f"at most {['', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'][MOST]} status writes" in PAGE
