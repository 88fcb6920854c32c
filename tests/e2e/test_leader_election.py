"""Two Metacontrollers with leader election: one of them syncs, and the other one takes over."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.binaries import found
from tests.e2e.client import Client
from tests.e2e.cluster import Cluster
from tests.e2e.control_plane import METACONTROLLER
from tests.e2e.foreign import Foreign
from tests.e2e.processes import Process
from tests.notes import note

NAMESPACE = "metacontroller"
LEADS = "Starting CompositeController"
"""What the log of a Metacontroller says when it has the Lease."""
_RBAC = "rbac.authorization.k8s.io"


@pytest.fixture(name="cluster", scope="module")
def _cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Return a cluster without a running Metacontroller."""
    made = Cluster(found(), tmp_path_factory.mktemp("leaders"))
    try:
        made.start()
        _allow_leases(made.client)
        yield made
    finally:
        made.stop()


def _allow_leases(client: Client) -> None:
    """Let Metacontroller write Leases and Events in NAMESPACE."""
    client.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
    role = {"apiVersion": f"{_RBAC}/v1", "metadata": {"name": "leases", "namespace": NAMESPACE}}
    rule = {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["get", "create", "update"]}
    client.apply({**role, "kind": "Role", "rules": [rule]})
    reference = {"apiGroup": _RBAC, "kind": "Role", "name": "leases"}
    subject = {"kind": "User", "apiGroup": _RBAC, "name": METACONTROLLER}
    client.apply({**role, "kind": "RoleBinding", "roleRef": reference, "subjects": [subject]})


@pytest.fixture(name="pair")
def _pair(cluster: Cluster, tmp_path: Path) -> Iterator[list[Process]]:
    """Return two running Metacontrollers."""
    options = ["--leader-election", f"--leader-election-namespace={NAMESPACE}"]
    processes = [cluster.metacontroller("dynamic-apply") for _ in range(2)]
    try:
        for number, process in enumerate(processes):
            process.command += options
            process.log = tmp_path / f"metacontroller-{number}.log"
            process.start()
        yield processes
    finally:
        for process in processes:
            process.stop()


def test_one_of_two_metacontrollers_syncs_and_the_other_takes_over(cluster: Cluster, pair: list[Process]) -> None:
    there = Foreign(cluster, "leaders")
    try:
        there.start(ignoreStatusChanges=True)
        (leader,) = (each for each in pair if LEADS in each.text())
        (other,) = (each for each in pair if each is not leader)
        there.put(note())
        there.eventually(lambda: there.word("Note") == "a")
        there.settle()
        holder = there.client.get("Lease", NAMESPACE, "metacontroller")

        leader.stop(signal.SIGKILL)
        there.change_word("b")
        there.eventually(lambda: there.word("Note") == "b")
        successor = there.client.get("Lease", NAMESPACE, "metacontroller")
    finally:
        there.close()

    assert LEADS in other.text()
    assert holder
    assert successor
    assert holder["spec"]["holderIdentity"] != successor["spec"]["holderIdentity"]
