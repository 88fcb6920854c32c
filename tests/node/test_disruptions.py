"""What an administrator does to the cluster: evictions, upgrades of the operator, Pod Security."""

from collections.abc import Iterator

import pytest

from metahook.envtest.client import Refused
from metahook.simulator.controllers.pod_status import is_ready
from metahook.simulator.objects import Json
from tests.e2e.namespace import Place
from tests.node.conftest import new_place
from tests.node.images import APP
from tests.node.shell import Shell
from tests.node.test_hook import OPERATOR, hooks
from tests.own.own_cluster import OwnCluster

pytestmark = pytest.mark.tools

RESTRICTED = "pod-security.kubernetes.io/enforce"
UPGRADE = (
    "helm upgrade myresource-operator charts/myresource-operator --namespace myresource-operator"
    " --reset-then-reuse-values --wait --set podLabels.upgraded=once"
)


def evict(node: OwnCluster, pod: Json) -> None:
    """Evict *pod* by the API that ``kubectl drain`` uses; raise Refused."""
    name = pod["metadata"]["name"]
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": OPERATOR}}
    response = node.client.http.post(f"/api/v1/namespaces/{OPERATOR}/pods/{name}/eviction", json=body)
    if response.is_error:
        raise Refused(response.status_code, response.json()["message"])


def test_the_second_hook_is_not_evicted_before_the_first_is_replaced(node: OwnCluster) -> None:
    first, second = hooks(node)

    evict(node, first)
    with pytest.raises(Refused, match="disruption budget") as refused:
        evict(node, second)

    assert refused.value.status == 429
    assert node.record.until(lambda: sum(map(is_ready, hooks(node))) == 2, 90)
    evict(node, second)
    assert node.record.until(lambda: sum(map(is_ready, hooks(node))) == 2, 90)


def test_an_upgrade_of_the_operator_changes_no_pod_of_a_myresource(node: OwnCluster, here: Place, shell: Shell) -> None:
    here.ready(image=f"{APP}:1", replicas=2)
    pods, old = here.pods(), {pod["metadata"]["name"] for pod in hooks(node)}

    shell.run(UPGRADE)

    assert node.record.until(lambda: not old & {pod["metadata"]["name"] for pod in hooks(node)}, 90)
    here.wait_until_quiet(3)
    assert here.pods() == pods
    assert here.state_and_reason() == ("Ready", "Available")


def test_the_operators_namespace_can_enforce_restricted(node: OwnCluster, shell: Shell) -> None:
    shell.run(f"kubectl label namespace {OPERATOR} {RESTRICTED}=restricted")
    try:
        shell.run(f"kubectl -n {OPERATOR} rollout restart deployment/{OPERATOR}")
        shell.run(f"kubectl -n {OPERATOR} rollout status deployment/{OPERATOR} --timeout=120s")
    finally:
        shell.run(f"kubectl label namespace {OPERATOR} {RESTRICTED}-")

    assert sum(map(is_ready, hooks(node))) == 2


@pytest.fixture(scope="module")
def restricted(node: OwnCluster) -> Iterator[Place]:
    """Return a namespace that enforces the Pod Security Standard restricted."""
    made = new_place(node, {RESTRICTED: "restricted"})
    yield made
    made.close()


def test_a_restricted_namespace_accepts_the_restricted_profile(restricted: Place) -> None:
    restricted.make("good", image=f"{APP}:1", securityProfile="Restricted")

    restricted.wait_for_status("Ready", "Available", "good")


def test_a_restricted_namespace_refuses_the_baseline_profile_and_the_status_names_it(restricted: Place) -> None:
    restricted.make("bad", image=f"{APP}:1")

    restricted.wait_for_status("Building", "ReplicaFailure", "bad")
    assert "set spec.securityProfile to Restricted" in restricted.message("bad")
    assert restricted.pods("bad") == set()
