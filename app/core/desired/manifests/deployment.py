"""The desired Deployment. It sets only the fields that the operator owns; all others belong to other controllers."""

from collections.abc import Mapping
from typing import Any

from app.api.names import CONTAINER
from app.api.rollouts import Strategy
from app.api.spec import MyResourceSpec
from app.core.child_metadata import manifest_of, selector
from app.core.desired.manifests.pod_template import pod_template, present, pull_policy
from app.core.desired.replicas import Replicas
from app.core.desired.rollback import Rollback
from metahook import Deployment, Manifest, Parent, with_annotations

_DEFAULT_STEP = "25%"


def deployment(parent: Parent, spec: MyResourceSpec, config_hashes: Mapping[str, str], replicas: Replicas) -> Manifest:
    """Return the desired Deployment of *replicas* Pods, with *config_hashes* as annotations (see config_hash)."""
    fields = {
        "replicas": None if replicas.is_left_out else replicas.desired,
        "minReadySeconds": spec.min_ready_seconds,
        "progressDeadlineSeconds": spec.progress_deadline_seconds,
        "revisionHistoryLimit": spec.revision_history_limit,
        "selector": {"matchLabels": selector(parent)},
        "strategy": _strategy(spec.strategy or Strategy()),
        "template": pod_template(parent, spec, config_hashes),
    }
    return manifest_of(Deployment, parent, present(fields), annotations=replicas.annotations)


def with_rollback(child: Manifest, spec: MyResourceSpec, rollback: Rollback) -> Manifest:
    """Return the Deployment *child* with what it is to remember, and with the image that comes back, if one does."""
    child = with_annotations(child, rollback.annotations)
    if rollback.image is None:
        return child
    image = {"image": rollback.image, "imagePullPolicy": spec.image_pull_policy or pull_policy(rollback.image)}
    template = child["spec"]["template"]
    containers = [{**each, **image} if each["name"] == CONTAINER else each for each in template["spec"]["containers"]]
    template = {**template, "spec": {**template["spec"], "containers": containers}}
    return {**child, "spec": {**child["spec"], "template": template}}


def _strategy(strategy: Strategy) -> dict[str, Any]:
    """Return the strategy in full.

    A rollingUpdate that the API server set by default would stay beside a later type Recreate, and the API server
    refuses both together.
    """
    if strategy.type == "Recreate":
        return {"type": "Recreate"}
    rolling_update = strategy.rolling_update.as_json() if strategy.rolling_update else {}
    step = {"maxSurge": _DEFAULT_STEP, "maxUnavailable": _DEFAULT_STEP, **rolling_update}
    return {"type": "RollingUpdate", "rollingUpdate": step}
