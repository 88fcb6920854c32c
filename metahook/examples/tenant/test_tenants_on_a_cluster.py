"""The hook of tenants on a real control plane: its Namespace really takes a while to go."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from msgspec.structs import replace
from tenants import TENANTS

from metahook import FinalizeResponse, SyncRequest
from metahook.envtest import Cluster, Refused, missing_binaries

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(bool(missing_binaries()), reason=missing_binaries())]

HERE = Path(__file__).parent
LIMITS = ("ResourceQuota", "RoleBinding", "NetworkPolicy")


def finalize(request: SyncRequest, now: datetime) -> FinalizeResponse:
    """Answer as the hook does, except for the Tenant of the negative control: that one never waits."""
    if request.parent.name == "careless":
        return FinalizeResponse({"namespace": "tenant-careless"}, finalized=True)
    return (TENANTS.finalize or finalize)(request, now)


@pytest.fixture(name="cluster", scope="module", params=["dynamic-apply", "server-side-apply"])
def _cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with Cluster(tmp_path_factory.mktemp("tenant"), apply_strategy=request.param) as cluster:
        cluster.install(replace(TENANTS, finalize=finalize), HERE / "crd.yaml", HERE / "controller.yaml")
        yield cluster


def create(cluster: Cluster, name: str, **spec: object) -> None:
    spec = {"groups": ["acme-developers"], **spec}
    cluster.apply({"apiVersion": "example.com/v1", "kind": "Tenant", "metadata": {"name": name}, "spec": spec})


def wait_for(cluster: Cluster, name: str, reason: str) -> None:
    """Wait until Ready has the *reason*, for the newest spec."""

    def holds() -> bool:
        tenant = cluster.get("Tenant", name) or {"metadata": {}}
        conditions = tenant.get("status", {}).get("conditions", [])
        return [(each["reason"], each["observedGeneration"]) for each in conditions] == [
            (reason, tenant["metadata"]["generation"])
        ]

    cluster.wait_for(holds, f"Ready of {name} is {reason}")


def create_claim(cluster: Cluster, namespace: str) -> None:
    metadata = {"name": "data", "namespace": namespace}
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    cluster.apply({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec})
    # The controller that would remove its finalizer does not run here.
    cluster.patch("PersistentVolumeClaim", "data", {"metadata": {"finalizers": None}}, namespace)


def test_a_tenant_gets_a_namespace_with_limits(cluster: Cluster) -> None:
    create(cluster, "new", pods=5)

    wait_for(cluster, "new", "UpToDate")

    quota, binding, policy = (cluster.get(kind, "tenant", "tenant-new") or {} for kind in LIMITS)
    assert quota["spec"]["hard"] == {"pods": "5", "requests.cpu": "10"}
    assert [each["name"] for each in binding["subjects"]] == ["acme-developers"]
    assert policy["spec"]["ingress"] == [{"from": [{"podSelector": {}}]}]


def test_limits_that_are_edited_by_hand_are_restored(cluster: Cluster) -> None:
    create(cluster, "drifted")
    wait_for(cluster, "drifted", "UpToDate")

    cluster.patch("ResourceQuota", "tenant", {"spec": {"hard": {"pods": "99"}}}, "tenant-drifted")
    cluster.patch("RoleBinding", "tenant", {"subjects": None}, "tenant-drifted")

    def holds() -> bool:
        quota, binding = (cluster.get(kind, "tenant", "tenant-drifted") or {} for kind in LIMITS[:2])
        return quota["spec"]["hard"]["pods"] == "50" and bool(binding.get("subjects"))

    cluster.wait_for(holds, "the limits")


def test_a_tenant_with_data_is_deleted_once_the_data_is(cluster: Cluster) -> None:
    create(cluster, "full")
    wait_for(cluster, "full", "UpToDate")
    create_claim(cluster, "tenant-full")

    cluster.delete("Tenant", "full", "")
    wait_for(cluster, "full", "HasData")
    assert "deletionTimestamp" not in (cluster.get("Namespace", "tenant-full") or {})["metadata"]
    cluster.delete("PersistentVolumeClaim", "data", "tenant-full")

    cluster.wait_for(lambda: cluster.get("Tenant", "full", "") is None, "the Tenant is gone")
    cluster.wait_for(lambda: cluster.get("Namespace", "tenant-full", "") is None, "its Namespace is gone")


def test_a_finalize_that_does_not_wait_is_noticed(cluster: Cluster) -> None:
    create(cluster, "careless")
    wait_for(cluster, "careless", "UpToDate")
    create_claim(cluster, "tenant-careless")

    cluster.delete("Tenant", "careless", "")

    cluster.wait_for(lambda: not cluster.get("PersistentVolumeClaim", "data", "tenant-careless"), "the data are lost")


def test_a_namespace_that_is_deleted_by_hand_comes_back(cluster: Cluster) -> None:
    create(cluster, "again")
    wait_for(cluster, "again", "UpToDate")
    before = (cluster.get("Namespace", "tenant-again") or {})["metadata"]["uid"]

    cluster.delete("Namespace", "tenant-again", "")

    def is_another() -> bool:
        found = cluster.get("Namespace", "tenant-again")
        return found is not None and found["metadata"]["uid"] != before

    cluster.wait_for(is_another, "another Namespace")
    cluster.wait_for(lambda: cluster.get("NetworkPolicy", "tenant", "tenant-again"), "its limits")
    wait_for(cluster, "again", "UpToDate")


def test_the_crd_refuses_what_an_api_server_would_store_in_another_way(cluster: Cluster) -> None:
    with pytest.raises(Refused, match=r"spec\.pods"):
        create(cluster, "wrong", pods=1000)
