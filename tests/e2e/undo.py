"""``kubectl rollout undo``, as kubectl sends it.

Source: Kubernetes, staging/src/k8s.io/kubectl/pkg/polymorphichelpers/rollback.go, ``DeploymentRollbacker``.
"""

from metahook.envtest.client import JSON_PATCH, Client
from metahook.simulator.objects import Json

_REVISION = "deployment.kubernetes.io/revision"
_KEPT = (_REVISION, "kubectl.kubernetes.io/last-applied-configuration", "deployment.kubernetes.io/revision-history")
_NOT_COPIED = (*_KEPT, "deployment.kubernetes.io/desired-replicas", "deployment.kubernetes.io/max-replicas")
_HASH = "pod-template-hash"


def undo(client: Client, namespace: str, name: str, revision: int) -> None:
    """Roll a Deployment back to *revision*: its Pod template and its annotations."""
    live = client.get("Deployment", namespace, name) or {}
    old = next(item for item in client.all("ReplicaSet", namespace) if _is(item, name, revision))
    copied = {key: value for key, value in old["metadata"]["annotations"].items() if key not in _NOT_COPIED}
    kept = {key: value for key, value in live["metadata"]["annotations"].items() if key in _KEPT}
    template: Json = old["spec"]["template"]
    labels = {key: value for key, value in template["metadata"]["labels"].items() if key != _HASH}
    before = {**template, "metadata": {**template["metadata"], "labels": labels}}
    change: list[Json] = [
        {"op": "replace", "path": "/spec/template", "value": before},
        {"op": "replace", "path": "/metadata/annotations", "value": {**kept, **copied}},
    ]
    client.change("Deployment", namespace, name, change, how=JSON_PATCH, manager="kubectl")


def _is(item: Json, deployment: str, revision: int) -> bool:
    metadata = item["metadata"]
    return (metadata["ownerReferences"][0]["name"], metadata["annotations"][_REVISION]) == (deployment, str(revision))
