"""The decorator of StatefulSets on a real control plane, whose StatefulSet controller writes to them, too."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from stateful_set_services import ADDRESS, LABEL, PORT, PROBLEM, SERVICES

from metahook.envtest import Cluster, missing_binaries

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(bool(missing_binaries()), reason=missing_binaries())]

HERE = Path(__file__).parent


@pytest.fixture(name="cluster", scope="module", params=["dynamic-apply", "server-side-apply"])
def _cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with Cluster(tmp_path_factory.mktemp("services"), apply_strategy=request.param) as cluster:
        cluster.install(SERVICES, HERE / "controller.yaml")
        yield cluster


def create(cluster: Cluster, name: str, port: str = "5432") -> None:
    metadata = {"name": name, "labels": {"team": "a"}, "annotations": {PORT: port}}
    container = {"name": "main", "image": "postgres:18"}
    spec = {
        "serviceName": name,
        "selector": {"matchLabels": {"app": name}},
        "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": [container]}},
    }
    cluster.apply({"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": metadata, "spec": spec})


def metadata(cluster: Cluster, name: str) -> dict[str, Any]:
    found: dict[str, Any] = (cluster.get("StatefulSet", name) or {})["metadata"]
    return found


def wait_for_address(cluster: Cluster, name: str, port: str = "5432") -> None:
    def holds() -> bool:
        found = metadata(cluster, name)
        annotations = {ADDRESS: f"{name}-client.default.svc:{port}", PORT: port}
        return (found["labels"], found["annotations"]) == ({"team": "a", LABEL: "true"}, annotations)

    cluster.wait_for(holds, f"the address of {name}")


def test_an_annotation_brings_a_service_and_its_address(cluster: Cluster) -> None:
    create(cluster, "new")

    wait_for_address(cluster, "new")

    assert (cluster.get("Service", "new-client") or {})["spec"]["selector"] == {"app": "new"}


def test_another_port_changes_the_service_and_none_removes_it(cluster: Cluster) -> None:
    create(cluster, "edited")
    wait_for_address(cluster, "edited")

    cluster.patch("StatefulSet", "edited", {"metadata": {"annotations": {PORT: "6432"}}})
    wait_for_address(cluster, "edited", "6432")
    cluster.patch("StatefulSet", "edited", {"metadata": {"annotations": {PORT: None}}})

    cluster.wait_for(lambda: cluster.get("Service", "edited-client") is None, "the Service is gone")
    cluster.wait_for(
        lambda: (
            (metadata(cluster, "edited")["labels"], metadata(cluster, "edited").get("annotations"))
            == ({"team": "a"}, None)
        ),
        "nothing is told",
    )


def test_a_service_that_is_edited_by_hand_is_restored(cluster: Cluster) -> None:
    create(cluster, "drifted")
    wait_for_address(cluster, "drifted")

    cluster.patch("Service", "drifted-client", {"spec": {"selector": {"app": "other"}}})

    cluster.wait_for(
        lambda: (cluster.get("Service", "drifted-client") or {})["spec"]["selector"] == {"app": "drifted"},
        "the selector",
    )


def test_a_mistake_is_told_on_the_stateful_set(cluster: Cluster) -> None:
    create(cluster, "wrong", port="http")

    cluster.wait_for(lambda: metadata(cluster, "wrong")["annotations"].get(PROBLEM), "the problem")

    assert cluster.get("Service", "wrong-client") is None


def test_the_service_is_deleted_with_its_stateful_set(cluster: Cluster) -> None:
    create(cluster, "deleted")
    wait_for_address(cluster, "deleted")

    cluster.delete("StatefulSet", "deleted")

    cluster.wait_for(lambda: cluster.get("Service", "deleted-client") is None, "the Service is gone")
