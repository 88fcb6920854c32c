"""What an administrator does to the operator: evictions, restarts, upgrades, Pod Security."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from metahook.envtest.client import Refused
from metahook.simulator.controllers.pod_status import is_ready
from metahook.simulator.objects import Json
from tests.e2e.namespace import Place
from tests.own.conftest import new_place
from tests.own.own_cluster import OwnCluster
from tests.own.shell import OPERATOR

pytestmark = [pytest.mark.own, pytest.mark.usefixtures("disruptive")]

RESTARTS = 5
"""Rolling restarts; each replaces two Pods."""
RESTART = f"kubectl -n {OPERATOR} rollout restart deployment/{OPERATOR}"
ROLLED_OUT = f"kubectl -n {OPERATOR} rollout status deployment/{OPERATOR} --timeout=300s"
ENFORCE = "pod-security.kubernetes.io/enforce"


def hooks(own: OwnCluster) -> list[Json]:
    """Return the Pods of the hook that are not deleted."""
    found = own.client.all("Pod", OPERATOR, labelSelector=f"app.kubernetes.io/name={OPERATOR}")
    return [pod for pod in found if "deletionTimestamp" not in pod["metadata"]]


def two_are_ready(own: OwnCluster) -> bool:
    return sum(map(is_ready, hooks(own))) == 2


def evict(own: OwnCluster, pod: Json) -> None:
    """Evict *pod* by the API that ``kubectl drain`` uses; raise Refused."""
    name = pod["metadata"]["name"]
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": OPERATOR}}
    response = own.client.http.post(f"/api/v1/namespaces/{OPERATOR}/pods/{name}/eviction", json=body)
    if response.is_error:
        raise Refused(response.status_code, response.json()["message"])


def test_the_second_hook_is_not_evicted_before_the_first_is_replaced(own: OwnCluster, patience: float) -> None:
    first, second = hooks(own)

    evict(own, first)
    with pytest.raises(Refused, match="disruption budget") as refused:
        evict(own, second)

    assert refused.value.status == 429
    assert own.record.until(lambda: two_are_ready(own), patience)
    evict(own, second)
    assert own.record.until(lambda: two_are_ready(own), patience)


def rest(env: str) -> Json:
    """Return the spec of a MyResource without Pods, so that many fit on a node."""
    return {"image": "nginx:1.27", "replicas": 0, "env": [{"name": "ROUND", "value": env}]}


@contextmanager
def changing(here: Place, names: list[str]) -> Iterator[None]:
    """Change the MyResources *names* in turn all the time."""
    stopping = threading.Event()

    def change() -> None:
        number = 0
        while not stopping.wait(0.1):
            here.change(names[number % len(names)], **rest(str(number)))
            number += 1

    thread = threading.Thread(target=change)
    thread.start()
    try:
        yield
    finally:
        stopping.set()
        thread.join()


def sync_errors(own: OwnCluster, here: Place, since: float) -> list[str]:
    """Return the messages of the SyncError Events that were written after the time *since*."""
    events = own.record.everything("Event", here.name)
    versions = [version for each in events.values() for version in each if version.at > since and not version.deleted]
    return [version.item["message"] for version in versions if version.item["reason"] == "SyncError"]


def test_a_rolling_restart_of_the_hook_loses_no_call(own: OwnCluster, here: Place, patience: float) -> None:
    names = [f"rolled-{number}" for number in range(10)]
    for name in names:
        here.make(name, **rest(""))
    here.wait_until_quiet(2)
    since = time.time()

    with changing(here, names):
        for _ in range(RESTARTS):
            own.shell.run(RESTART)
            own.shell.run(ROLLED_OUT)
    here.wait_until_quiet(2)

    assert sync_errors(own, here, since) == []
    for name in names:
        here.wait_for_status("Ready", "ScaledToZero", name, patience)


def test_a_namespace_that_enforces_restricted_accepts_the_restricted_profile_alone(
    own: OwnCluster, patience: float
) -> None:
    image = "nginxinc/nginx-unprivileged:1.27"
    with new_place(own, {ENFORCE: "restricted"}) as there:
        there.make("good", image=image, securityProfile="Restricted")
        there.make("bad", image=image)

        there.wait_for_status("Ready", "Available", "good", patience)
        there.wait_for_status("Building", "ReplicaFailure", "bad", patience)
        assert "set spec.securityProfile to Restricted" in there.message("bad")
        assert there.pods("bad") == set()
