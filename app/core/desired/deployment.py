"""The Deployment that a spec asks for. Only fields that the operator owns: everything else is left to others."""

from collections.abc import Mapping
from typing import Any

from app.api.rollout import Strategy
from app.api.spec import MyResourceSpec
from app.core.child_metadata import APPLIED, applied, deployment_name, labels, selector
from app.core.desired.pod_template import chosen, pod_template
from metahook import Manifest, Parent

_FIELDS = ("replicas", "minReadySeconds", "progressDeadlineSeconds", "revisionHistoryLimit")
_KUBERNETES_STEP = "25%"


def deployment(parent: Parent, spec: MyResourceSpec, marks: Mapping[str, str]) -> Manifest:
    """Return the Deployment that *spec* asks for; *marks* are annotations of its Pods (see config_hash)."""
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": deployment_name(parent),
            "namespace": parent.namespace,
            "labels": labels(parent),
            "annotations": {APPLIED: applied(parent)},
        },
        "spec": {
            **chosen(spec.wire(), _FIELDS),
            "selector": {"matchLabels": selector(parent)},
            "strategy": _strategy(spec.strategy or Strategy()),
            "template": pod_template(parent, spec, marks),
        },
    }


def _strategy(strategy: Strategy) -> dict[str, Any]:
    """Return the strategy in full.

    Always: a rollingUpdate that only the API server's defaults made would stay beside a later type Recreate, which the
    API server then refuses for ever.
    """
    if strategy.type == "Recreate":
        return {"type": "Recreate"}
    asked = strategy.rolling_update.wire() if strategy.rolling_update else {}
    step = {"maxSurge": _KUBERNETES_STEP, "maxUnavailable": _KUBERNETES_STEP, **asked}
    return {"type": "RollingUpdate", "rollingUpdate": step}
