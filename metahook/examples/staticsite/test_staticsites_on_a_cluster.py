"""The hook of static sites on a real control plane. No node runs the Pods, so they never become ready."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from staticsites import SITES

from metahook.envtest import Cluster, Refused, missing_binaries

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(bool(missing_binaries()), reason=missing_binaries())]

HERE = Path(__file__).parent
KINDS = ("ConfigMap", "Deployment", "Service", "Ingress")


@pytest.fixture(name="cluster", scope="module", params=["dynamic-apply", "server-side-apply"])
def _cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with Cluster(tmp_path_factory.mktemp("staticsite"), apply_strategy=request.param) as cluster:
        cluster.install(SITES, HERE / "crd.yaml", HERE / "controller.yaml")
        yield cluster


def create(cluster: Cluster, name: str, **spec: object) -> None:
    spec = {"host": "www.example.com", "html": "hello", **spec}
    cluster.apply({"apiVersion": "example.com/v1", "kind": "StaticSite", "metadata": {"name": name}, "spec": spec})


def wait_for(cluster: Cluster, name: str, reason: str) -> None:
    """Wait until Ready has the *reason*, for the newest spec."""

    def holds() -> bool:
        site = cluster.get("StaticSite", name) or {"metadata": {}}
        ready = [each for each in site.get("status", {}).get("conditions", []) if each["type"] == "Ready"]
        return [(each["reason"], each["observedGeneration"]) for each in ready] == [
            (reason, site["metadata"]["generation"])
        ]

    cluster.wait_for(holds, f"Ready of {name} is {reason}")


def test_a_site_is_ready_once_all_its_pods_are_and_not_before(cluster: Cluster) -> None:
    create(cluster, "new", replicas=1)
    wait_for(cluster, "new", "RollingOut")

    cluster.patch("StaticSite", "new", {"spec": {"replicas": 0}})

    wait_for(cluster, "new", "RolledOut")
    assert all(cluster.get(kind, "new") for kind in KINDS)


def test_a_new_page_and_a_new_host_get_into_the_children(cluster: Cluster) -> None:
    create(cluster, "edited", replicas=0)
    wait_for(cluster, "edited", "RolledOut")

    cluster.patch("StaticSite", "edited", {"spec": {"html": "bye", "host": "other.example.com"}})

    wait_for(cluster, "edited", "RolledOut")
    assert (cluster.get("ConfigMap", "edited") or {})["data"] == {"index.html": "bye"}
    (rule,) = (cluster.get("Ingress", "edited") or {})["spec"]["rules"]
    assert rule["host"] == "other.example.com"


def test_an_ingress_that_is_edited_by_hand_is_restored(cluster: Cluster) -> None:
    create(cluster, "drifted", replicas=0)
    wait_for(cluster, "drifted", "RolledOut")

    cluster.patch("Ingress", "drifted", {"spec": {"rules": [{"host": "mine.example.com"}]}})

    cluster.wait_for(
        lambda: (cluster.get("Ingress", "drifted") or {})["spec"]["rules"][0]["host"] == "www.example.com", "the host"
    )


def test_a_site_that_is_ready_is_not_written_again(cluster: Cluster) -> None:
    create(cluster, "quiet", replicas=0)
    wait_for(cluster, "quiet", "RolledOut")
    before = [cluster.get(kind, "quiet") for kind in ("StaticSite", *KINDS)]

    cluster.patch("StaticSite", "quiet", {"metadata": {"annotations": {"a": "b"}}})
    create(cluster, "later", replicas=0)
    wait_for(cluster, "later", "RolledOut")

    after = [cluster.get(kind, "quiet") for kind in KINDS]
    assert after == before[1:]
    assert (cluster.get("StaticSite", "quiet") or {})["status"] == (before[0] or {})["status"]


def test_with_the_site_all_that_it_has_is_deleted(cluster: Cluster) -> None:
    create(cluster, "deleted", replicas=0)
    wait_for(cluster, "deleted", "RolledOut")

    cluster.delete("StaticSite", "deleted")

    cluster.wait_for(lambda: not any(cluster.get(kind, "deleted") for kind in KINDS), "all children are gone")


def test_a_name_that_no_service_can_have_is_reported(cluster: Cluster) -> None:
    create(cluster, "www.example.com")

    wait_for(cluster, "www.example.com", "InvalidSpec")


def test_the_crd_refuses_a_host_that_is_none(cluster: Cluster) -> None:
    with pytest.raises(Refused, match=r"spec\.host"):
        create(cluster, "wrong", host="not a host")
