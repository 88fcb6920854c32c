"""Deployments, and what is beside them, as users have them."""

from typing import Any

from app.cli.importing.conversion import Imported, imported
from tests.requests.builders import Json


def deployment(*containers: Json, name: str = "shop", labels: Json | None = None, pod: Json | None = None) -> Json:
    """Return a Deployment of *containers*, by default one, with more fields of its Pods."""
    labels = {"app": "shop"} if labels is None else labels
    spec = {"containers": list(containers) or [container()], **(pod or {})}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": spec}},
    }


def container(name: str = "shop", **fields: Any) -> Json:
    """Return a container with the default memory of a MyResource, so that nothing is said about it."""
    memory = {"memory": "128Mi"}
    return {"name": name, "image": f"{name}:1", "resources": {"requests": memory, "limits": memory}, **fields}


def with_spec(manifest: Json, **fields: Any) -> Json:
    """Return *manifest* with other *fields* in its spec."""
    return {**manifest, "spec": {**manifest["spec"], **fields}}


def service(name: str = "shop", *ports: Json, uid: str = "", **spec: Any) -> Json:
    """Return a Service that selects the Pods, with a *uid* if it is from a cluster."""
    fields = {"selector": {"app": "shop"}, "ports": list(ports) or [{"port": 80}], **spec}
    metadata = {"name": name, **({"uid": uid} if uid else {})}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": fields}


def spec_of(manifest: Json, *others: Json, container: str = "") -> Json:
    """Return the spec of the MyResource for *manifest*, without the labels of its Pods."""
    result = result_of(manifest, *others, container=container)
    assert result.my_resource is not None, result
    return {name: value for name, value in result.my_resource["spec"].items() if name != "podMetadata"}


def result_of(manifest: Json, *others: Json, container: str = "") -> Imported:
    """Return what becomes of *manifest*."""
    return imported(manifest, list(others), (container,))
