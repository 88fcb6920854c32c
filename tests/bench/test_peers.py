"""The operators that this one is compared with do the job that they are measured at, on a real control plane."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from bench.peers.operators import PEERS, Peer
from metahook.envtest.binaries import Missing, find_binaries, missing_binaries
from metahook.envtest.client import Client
from metahook.envtest.cluster import documents, establish
from metahook.envtest.control_plane import ADMIN
from metahook.envtest.process import Process
from tests.e2e.cluster import Cluster, started
from tests.e2e.installed import ROOT
from tests.e2e.statuses import condition, state_and_reason
from tests.simulated.worlds import parent
from toolkit.waiting import eventually

pytestmark = [pytest.mark.tools, pytest.mark.skipif(bool(missing_binaries()), reason=missing_binaries())]

CACHE = ROOT / "build/peers"
REST = 3
"""Seconds in which an operator that has nothing to do writes nothing."""


class Uninstalled(NamedTuple):
    """A cluster without Metacontroller and the operator."""

    cluster: Cluster

    def start(self) -> None:
        """Start it."""
        self.cluster.start(installed=False)

    def stop(self) -> None:
        """Stop it."""
        self.cluster.stop()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Return a cluster with the CRD, and without Metacontroller."""
    made = Cluster(find_binaries(), tmp_path_factory.mktemp("cluster"), records=False)
    with started(Uninstalled(made)):
        establish(made.client, documents(ROOT / "crds/mygroup.example.com_myresources.yaml"))
        yield made


@pytest.fixture(params=PEERS, ids=lambda peer: peer.name)
def peer(request: pytest.FixtureRequest, cluster: Cluster) -> Iterator[Peer]:
    """Return an operator that runs."""
    found: Peer = request.param
    CACHE.mkdir(parents=True, exist_ok=True)
    try:
        found.prepare(CACHE)
    except Missing as missing:
        pytest.skip(str(missing))
    command = found.command(cluster.control_plane.kubeconfig(ADMIN), CACHE)
    with started(Process(found.name, command, cluster.folder, lambda: True)):
        yield found


def writes(audit_log: Path) -> list[str]:
    """Return the writes of MyResources and Deployments so far, other than those of kube-controller-manager."""
    events = [json.loads(line) for line in audit_log.read_text().splitlines()]
    return [
        f"{event['verb']} {event['requestURI']}"
        for event in events
        if event["user"]["username"] == ADMIN and event["verb"] != "get" and "objectRef" in event
    ]


def is_ready(client: Client, namespace: str) -> bool:
    """Tell whether the MyResource is Ready."""
    return state_and_reason(client.get("MyResource", namespace, "web") or {"metadata": {"generation": 0}}) == (
        "Ready",
        "Available",
    )


def container(client: Client, namespace: str) -> dict[str, Any]:
    """Return the container in the Deployment."""
    deployment = client.get("Deployment", namespace, "web-deployment")
    assert deployment is not None
    found: dict[str, Any] = deployment["spec"]["template"]["spec"]["containers"][0]
    return found


def test_a_peer_does_the_job_of_the_operator(cluster: Cluster, peer: Peer) -> None:
    client, namespace = cluster.client, peer.name.replace(", ", "-")
    client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    client.create(parent("web", namespace=namespace, image="nginx:1.27", memory="1024Mi", replicas=2))

    assert eventually(lambda: is_ready(client, namespace)), cluster.logs[f"{peer.name}.log"][-3000:]
    deployment = client.get("Deployment", namespace, "web-deployment")
    owner = client.get("MyResource", namespace, "web")
    assert deployment is not None
    assert owner is not None
    assert deployment["metadata"]["ownerReferences"][0] == {
        "apiVersion": "mygroup.example.com/v1alpha1",
        "kind": "MyResource",
        "name": "web",
        "uid": owner["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }
    assert deployment["status"]["availableReplicas"] == 2
    assert container(client, namespace)["resources"] == {"requests": {"memory": "1Gi"}, "limits": {"memory": "1Gi"}}
    assert deployment["metadata"]["labels"].items() >= deployment["spec"]["selector"]["matchLabels"].items()
    assert owner["status"]["replicas"] == 2
    assert condition(owner, "Ready")["status"] == "True"

    client.change("MyResource", namespace, "web", {"spec": {"image": "nginx:slow"}})
    assert eventually(lambda: container(client, namespace)["image"] == "nginx:slow")
    assert eventually(lambda: state_and_reason(client.get("MyResource", namespace, "web") or {})[1] == "RollingOut")
    client.change("MyResource", namespace, "web", {"spec": {"image": "nginx:1.28"}})
    assert eventually(lambda: is_ready(client, namespace))
    assert container(client, namespace)["image"] == "nginx:1.28"

    client.change("Deployment", namespace, "web-deployment", {"spec": {"replicas": 1}})
    by_hand = {"labels": {"app.kubernetes.io/instance": "by-hand"}}
    client.change("Deployment", namespace, "web-deployment", {"metadata": by_hand})

    def is_reverted() -> bool:
        found = client.get("Deployment", namespace, "web-deployment") or {}
        return bool(
            found["spec"]["replicas"] == 2 and found["metadata"]["labels"]["app.kubernetes.io/instance"] == "web"
        )

    assert eventually(is_reverted)
    client.delete("Deployment", namespace, "web-deployment")
    uid = deployment["metadata"]["uid"]
    assert eventually(
        lambda: (client.get("Deployment", namespace, "web-deployment") or deployment)["metadata"]["uid"] != uid
    )
    assert eventually(lambda: is_ready(client, namespace))
    client.change(
        "MyResource", namespace, "web", {"spec": {"ports": [{"containerPort": 80}]}}
    )  # nothing in the Deployment
    assert eventually(lambda: is_ready(client, namespace))

    time.sleep(1)
    before = len(writes(cluster.audit_log))
    time.sleep(REST)
    assert writes(cluster.audit_log)[before:] == []
