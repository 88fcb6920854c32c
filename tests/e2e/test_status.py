"""The number of status writes of a rollout, and how kubectl waits for a status."""

import time
from typing import Any, NamedTuple

import pytest

from metahook.simulator.objects import Json
from tests.docs.documents import ROOT
from tests.e2e.cluster import Cluster
from tests.e2e.namespace import Namespace
from tests.e2e.real_kubectl import RealKubectl
from tests.e2e.statuses import condition
from tests.e2e.truth import times


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
def test_a_rollout_takes_few_status_writes(here: Namespace, name: str) -> None:
    rollout = ROLLOUTS[name]
    here.ready(**rollout.before)
    done = here.since()

    here.change(**rollout.change)
    here.wait_until_ready()

    assert done.statuses <= rollout.most


WAIT = "kubectl wait --for=condition=Ready myresource/web"
ONCE = "--timeout=0"
"""Makes kubectl check once, and fail if the condition is not met."""


def test_kubectl_wait_ignores_a_ready_of_the_previous_spec(
    here: Namespace, cluster: Cluster, kubectl: RealKubectl
) -> None:
    here.ready()
    lines = (ROOT / "docs/reference/status.md").read_text().splitlines()
    (of_the_page,) = (line.strip().removesuffix("--timeout=300s") for line in lines if "readyGeneration}" in line)
    assert [kubectl.ends(f"{wait} {ONCE}", here.name)[0] for wait in (WAIT, of_the_page)] == [0, 0]
    cluster.hook.stop()
    try:
        here.change(image="nginx:1.28")
        stale = kubectl.ends(f"{WAIT} {ONCE}", here.name)
        not_yet = kubectl.ends(f"{of_the_page} {ONCE}", here.name)
        other = kubectl.ends(f"kubectl wait --for=jsonpath='{{.status.state}}'=Ready myresource/web {ONCE}", here.name)
    finally:
        cluster.hook.start()

    assert stale[0] == 1, stale[1]
    assert not_yet[0] == 1, not_yet[1]
    assert other[0] == 0, other[1]  # it does not compare generations
    kubectl.run(f"{WAIT} --timeout=90s", here.name)
    assert here.main()["image"] == "nginx:1.28"
    assert kubectl.ends(f"{of_the_page} {ONCE}", here.name)[0] == 0


def test_ready_is_not_older_than_a_config_map_that_was_created_again(here: Namespace, cluster: Cluster) -> None:
    settings = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"level": "info"}}
    here.put(settings)
    here.ready(envFrom=[{"configMapRef": {"name": "settings"}}])
    since = time.time()
    for _ in range(6):
        here.wait_until_quiet(2.2)  # times are in whole seconds
        here.delete("ConfigMap", "settings")
        here.put(settings)
    here.wait_until_ready()

    found = times(cluster.record, since, cluster.exchanges(here.name))
    created = here.get("ConfigMap", "settings")["metadata"]["creationTimestamp"]
    assert found.violations == []
    assert condition(here.get("MyResource"), "Ready")["lastTransitionTime"] >= created
