"""The number of status writes of a rollout, and how kubectl shows a status and waits for it."""

from typing import Any, NamedTuple

import pytest

from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Json
from tests.docs.documents import ROOT
from tests.e2e.cluster import Cluster
from tests.e2e.figures import Figures
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

ROLLOUTS = {
    "image of three": Rollout({"replicas": 3}, {"image": "nginx:2"}),
    "image of twenty": Rollout({"replicas": 20}, {"image": "nginx:2"}),
    "Recreate of twenty": Rollout({"replicas": 20, **RECREATE}, {"image": "nginx:2"}),
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
