"""``kubectl rollout undo``, as kubectl sends it.

Source: Kubernetes, staging/src/k8s.io/kubectl/pkg/polymorphichelpers/rollback.go, ``DeploymentRollbacker``.
"""

from app.simulator.objects import Json
from tests.e2e.client import JSON_PATCH
from tests.e2e.namespace import Namespace

_REVISION = "deployment.kubernetes.io/revision"
_KEPT = (_REVISION, "kubectl.kubernetes.io/last-applied-configuration", "deployment.kubernetes.io/revision-history")
_NOT_COPIED = (*_KEPT, "deployment.kubernetes.io/desired-replicas", "deployment.kubernetes.io/max-replicas")
_HASH = "pod-template-hash"


def undo(here: Namespace, name: str, revision: int) -> None:
    """Take the Deployment called *name* back to a *revision*: its Pod template, and its annotations."""
    annotations = here.get("Deployment", name)["metadata"]["annotations"]
    old = _replica_set(here, name, revision)
    copied = {key: value for key, value in old["metadata"]["annotations"].items() if key not in _NOT_COPIED}
    kept = {key: value for key, value in annotations.items() if key in _KEPT}
    template = old["spec"]["template"]
    labels = {key: value for key, value in template["metadata"]["labels"].items() if key != _HASH}
    change: list[Json] = [
        {
            "op": "replace",
            "path": "/spec/template",
            "value": {**template, "metadata": {**template["metadata"], "labels": labels}},
        },
        {"op": "replace", "path": "/metadata/annotations", "value": {**kept, **copied}},
    ]
    here.edit("Deployment", change, name, how=JSON_PATCH, manager="kubectl")


def _replica_set(here: Namespace, name: str, revision: int) -> Json:
    every = here.client.all("ReplicaSet", here.name)
    mine = (item for item in every if item["metadata"]["ownerReferences"][0]["name"] == name)
    return next(item for item in mine if item["metadata"]["annotations"][_REVISION] == str(revision))
