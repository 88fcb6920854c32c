"""The number of status writes of a rollout, and how kubectl shows a status and waits for it."""

from itertools import pairwise
from typing import Any, NamedTuple

import pytest

from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Json
from tests.docs.documents import ROOT
from tests.e2e.cluster import Cluster
from tests.e2e.figures import Figures
from tests.e2e.kubelet import status
from tests.e2e.namespace import PORT, Namespace
from tests.e2e.real_kubectl import RealKubectl
from tests.simulated.worlds import foreign, service


class Rollout(NamedTuple):
    """A change that causes a rollout, and the spec before."""

    before: dict[str, Any]
    change: dict[str, Any]

    @property
    def most(self) -> int:
        """The maximum number of status writes: one of them for each of up to ten Pods.

        If old Pods stop faster than new ones start, status.replicas decreases and increases: two writes each time.
        """
        pods: int = {**self.before, **self.change}["replicas"]
        return 6 + min(10, pods)


RECREATE: Json = {"strategy": {"type": "Recreate"}}
ONE_BY_ONE: Json = {"strategy": {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}}

ROLLOUTS = {
    "image of three": Rollout({"replicas": 3}, {"image": "nginx:2"}),
    "image of ten": Rollout({"replicas": 10}, {"image": "nginx:2"}),
    "image of twenty": Rollout({"replicas": 20}, {"image": "nginx:2"}),
    "Pods replaced one by one": Rollout({"replicas": 3, **ONE_BY_ONE}, {"image": "nginx:2"}),
    "Recreate of three": Rollout({"replicas": 3, **RECREATE}, {"image": "nginx:2"}),
    "Recreate of twenty": Rollout({"replicas": 20, **RECREATE}, {"image": "nginx:2"}),
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


class Counted(NamedTuple):
    """Numbers of ready and updated Pods that a status got at a time, and whether nothing else changed."""

    at: float
    numbers: tuple[int, int]
    is_all: bool


def counted(here: Namespace) -> list[Counted]:
    """Return the numbers of Pods that the status had."""
    found = [(each.at, each.item.get("status", {})) for each in here.versions("MyResource")]
    every = [
        (at, (status.get("readyReplicas", 0), status.get("updatedReplicas", 0)), status.get("conditions"))
        for at, status in found
    ]
    changes = [(before, now) for before, now in pairwise(every) if before[1] != now[1]]
    return [Counted(now[0], now[1], is_all=before[2] == now[2]) for before, now in changes]


def unstarted(here: Namespace) -> list[Json]:
    """Return the Pods that no kubelet has started."""
    return [item for item in here.client.all("Pod", here.name) if not item["status"].get("conditions")]


@pytest.mark.parametrize(("pods", "seconds"), [(3, 0.3), (11, 1.2)])
def test_each_pod_of_a_slow_rollout_takes_at_most_one_status_write(
    here: Namespace, pods: int, seconds: float, figures: Figures, mode: Mode
) -> None:
    here.ready(replicas=pods, **ONE_BY_ONE)
    done, before = here.since(), len(counted(here))

    here.change(image="nginx:slow")
    for _ in range(pods):
        here.eventually(lambda: bool(unstarted(here)))
        here.wait_until_quiet(seconds)
        (pod,) = unstarted(here)
        here.client.change("Pod", here.name, pod["metadata"]["name"], {"status": status(pod, None)}, part="/status")
    here.wait_until_ready()

    figures.note(f"status writes: {pods} Pods, one after the other", mode, done.statuses)
    written = counted(here)[before:]
    progress = [later for _, later in pairwise(written) if later.is_all]
    updated = [each.numbers[1] for each in written]
    assert updated == sorted(updated)
    assert written[-1].numbers == (pods, pods)
    assert 0 < len(progress) <= pods
    # One each 10 seconds, and one more if a request has an old status.
    assert pods <= 10 or len(progress) <= 2 + (written[-1].at - written[0].at) / 10


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


def test_kubectl_get_shows_the_state_and_the_reason(here: Namespace) -> None:
    here.ready()
    (ready,) = here.client.table("MyResource", here.name, "web")
    here.change(replicas=0)
    here.wait_for_status("Ready", "ScaledToZero")
    (zero,) = here.client.table("MyResource", here.name, "web")

    assert list(ready) == ["NAME", "READY", "STATE", "REASON", "IMAGE", "REPLICAS", "AGE"]
    assert list(ready.values())[:-1] == ["web", "True", "Ready", "Available", "nginx:1.27", 1]
    assert list(zero.values())[:-1] == ["web", "True", "Ready", "ScaledToZero", "nginx:1.27", 0]


def test_kubectl_get_wide_shows_the_numbers_of_pods_and_the_address(here: Namespace, kubectl: RealKubectl) -> None:
    here.ready(replicas=2, **PORT)

    (head, web) = kubectl.run("kubectl get myresource web -o wide", here.name).splitlines()

    columns = "NAME READY STATE REASON IMAGE REPLICAS UPDATED READY PODS AGE MEMORY ADDRESS NEXT MESSAGE"
    assert head.split() == columns.split()
    assert web.split()[5:8] == ["2", "2", "2"]
    assert f" web.{here.name}.svc:80 " in web


WAIT = "kubectl wait --for=condition=Ready myresource/web"
ONCE = "--timeout=0"
"""Makes kubectl check once, and fail if the condition is not met."""


def test_kubectl_wait_ignores_a_ready_of_the_previous_spec(
    here: Namespace, cluster: Cluster, kubectl: RealKubectl
) -> None:
    here.ready()
    assert kubectl.ends(f"{WAIT} {ONCE}", here.name)[0] == 0
    cluster.hook.stop()
    try:
        here.change(image="nginx:1.28")
        stale = kubectl.ends(f"{WAIT} {ONCE}", here.name)
        other = kubectl.ends(f"kubectl wait --for=jsonpath='{{.status.state}}'=Ready myresource/web {ONCE}", here.name)
    finally:
        cluster.hook.start()

    assert stale[0] == 1, stale[1]
    assert other[0] == 0, other[1]  # it does not compare generations
    kubectl.run(f"{WAIT} --timeout=90s", here.name)
    assert here.main()["image"] == "nginx:1.28"


def test_kubectl_wait_for_stalled_returns_when_action_is_needed(here: Namespace, kubectl: RealKubectl) -> None:
    here.put(foreign(service(app="other")))
    here.make(**PORT)

    kubectl.run("kubectl wait --for=condition=Stalled myresource/web --timeout=90s", here.name)

    assert here.state_and_reason() == ("Failed", "NameConflict")
    assert kubectl.ends(f"{WAIT} {ONCE}", here.name)[0] == 1


def test_a_generation_that_was_ready_once_can_be_waited_for(here: Namespace, kubectl: RealKubectl) -> None:
    here.ready()
    (line,) = (
        line for line in (ROOT / "docs/reference/status.md").read_text().splitlines() if "readyGeneration}" in line
    )
    wait = line.strip().removesuffix("--timeout=300s")
    assert kubectl.ends(f"{wait} {ONCE}", here.name)[0] == 0

    here.change(image="nginx:bad")
    here.wait_for_status("Building", "ImagePullFailed")
    assert kubectl.ends(f"{wait} {ONCE}", here.name)[0] == 1

    here.change(image="nginx:1.28")
    kubectl.run(f"{wait} --timeout=90s", here.name)
    assert here.get("MyResource")["status"]["readyGeneration"] == 3
