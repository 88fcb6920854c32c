"""Controllers of other shapes on a real control plane: cluster-scoped parents, decorators, and finalize."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
import yaml

from metahook.envtest import Cluster, missing_binaries
from toolkit.hooks.service_per_object import LABEL, SERVICES, stateful_set
from toolkit.hooks.tenant import TENANTS, tenant

MISSING = missing_binaries()
pytestmark = [pytest.mark.e2e, pytest.mark.skipif(bool(MISSING), reason=MISSING)]

OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "tenants.example.com"},
    "spec": {
        "group": "example.com",
        "names": {"kind": "Tenant", "plural": "tenants", "singular": "tenant"},
        "scope": "Cluster",
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": OPEN, "status": OPEN}}},
            }
        ],
    },
}


def controller(kind: str, name: str, version: str, **spec: Any) -> dict[str, Any]:
    def hook(at: str) -> dict[str, Any]:
        url = f"http://hooks.default.svc/{name}/{at}"
        return {"version": version, "webhook": {"url": url, "timeout": "10s", "responseUnMarshallMode": "strict"}}

    hooks = {at: hook(at) for at in ("sync", "customize", "finalize")}
    return {
        "apiVersion": "metacontroller.k8s.io/v1alpha1",
        "kind": kind,
        "metadata": {"name": name},
        "spec": {"hooks": hooks, **spec},
    }


def child(resource: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "resource": resource, "updateStrategy": {"method": "InPlace"}}


@pytest.fixture(
    name="cluster",
    scope="module",
    params=[("dynamic-apply", "v2"), ("server-side-apply", "v1")],
    ids=["dynamic-apply with v2", "server-side-apply with v1"],
)
def _cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    strategy: Literal["dynamic-apply", "server-side-apply"]
    strategy, version = request.param
    tenants = controller(
        "CompositeController",
        "tenants",
        version,
        generateSelector=True,
        parentResource={"apiVersion": "example.com/v1", "resource": "tenants"},
        childResources=[child("namespaces"), child("configmaps")],
    )
    services = controller(
        "DecoratorController",
        "services",
        version,
        resources=[{"apiVersion": "apps/v1", "resource": "statefulsets"}],
        attachments=[child("services")],
    )
    file = tmp_path_factory.mktemp("manifests") / "all.yaml"
    file.write_text(yaml.safe_dump_all([CRD, tenants, services]))
    with Cluster(tmp_path_factory.mktemp("cluster"), apply_strategy=strategy) as cluster:
        cluster.install({"/tenants": TENANTS, "/services": SERVICES}, Path(file))
        yield cluster


def test_a_cluster_scoped_parent_has_children_in_its_namespaces_until_finalize_lets_it_go(cluster: Cluster) -> None:
    made = tenant("acme", "blue", "green")
    cluster.apply({**made, "metadata": {"name": "acme"}})
    cluster.wait_for(lambda: cluster.get("ConfigMap", "settings", "green"), "the ConfigMap in green")
    cluster.wait_for(
        lambda: (cluster.get("Tenant", "acme", "") or {}).get("status", {}).get("namespaces") == 2, "both are observed"
    )

    cluster.delete("Tenant", "acme", "")

    cluster.wait_for(lambda: cluster.get("Tenant", "acme", "") is None, "the Tenant is gone")


def test_a_decorator_adds_a_service_and_a_label_until_finalize_removes_the_label(cluster: Cluster) -> None:
    spec = {
        "selector": {"matchLabels": {"app": "db"}},
        "serviceName": "db",
        "template": {
            "metadata": {"labels": {"app": "db"}},
            "spec": {"containers": [{"name": "main", "image": "nginx:1.27"}]},
        },
    }
    made = stateful_set("db")
    cluster.apply({**made, "metadata": {"name": "db"}, "spec": spec})

    def labels() -> dict[str, str]:
        found: dict[str, str] = (cluster.get("StatefulSet", "db") or {}).get("metadata", {}).get("labels", {})
        return found

    cluster.wait_for(lambda: cluster.get("Service", "db"), "the Service")
    cluster.wait_for(lambda: labels().get(LABEL) == "true", "the label")

    cluster.delete("StatefulSet", "db")

    cluster.wait_for(lambda: cluster.get("StatefulSet", "db") is None, "the StatefulSet is gone")
