"""AutoscalingActive: what a HorizontalPodAutoscaler reports about itself.

Source: Kubernetes, horizontal.go, ``setCondition``.
"""

from operator import attrgetter

from msgspec.structs import replace

from app.core.facts import Facts
from app.core.readiness import Decision
from app.core.status.condition_type import ConditionType, ParentCondition
from metahook import Conditions, HorizontalPodAutoscaler

TYPE = ConditionType(
    "AutoscalingActive",
    "True if the HorizontalPodAutoscaler chooses the number of Pods, False if it can't, Unknown if it has not "
    "reported anything yet. Present only if the spec has autoscaling.",
    "If it is False, do what its message says: kubectl describe myresource NAME",
    "people, alerts: whether the number of Pods follows the load",
    is_about=attrgetter("desired.replicas.is_autoscaled"),
)

AUTOSCALING = TYPE.says("True", "ScalingActive", "The HorizontalPodAutoscaler chooses the number of Pods.")
AUTOSCALER_NOT_YET_OBSERVED = TYPE.says(
    "Unknown", "AutoscalerNotYetSeen", "The HorizontalPodAutoscaler has not reported anything yet."
)
TWO_AUTOSCALERS = TYPE.says(
    "False",
    "AmbiguousSelector",
    "Another HorizontalPodAutoscaler scales the same Pods, so neither of them acts. Delete the other one, or remove "
    "spec.autoscaling. To find it: kubectl get hpa -n {namespace}",
)
METRICS_UNAVAILABLE = TYPE.says(
    "False",
    "MetricsUnavailable",
    "The HorizontalPodAutoscaler can't read the use of the resources in spec.autoscaling, so the number of Pods stays "
    "as it is. New Pods have metrics after about a minute. If this lasts longer, ask the cluster administrator whether "
    "metrics-server runs. See: kubectl describe hpa {name} -n {namespace}",
)
SCALING_FAILED = TYPE.says(
    "False",
    "ScalingFailed",
    "The HorizontalPodAutoscaler can't scale the Deployment. See: kubectl describe hpa {name} -n {namespace}",
)
NOT_AUTOSCALING = TYPE.says(
    "False",
    "ScalingInactive",
    "The HorizontalPodAutoscaler does not scale. See: kubectl describe hpa {name} -n {namespace}",
)


def decide(facts: Facts, _: Decision) -> ParentCondition:
    """Return whether the autoscaler can choose the number of Pods, as it reports."""
    reported = _reported(facts.children.get(HorizontalPodAutoscaler, facts.parent.name))
    return replace(reported, message=reported.message.format(name=facts.parent.name, namespace=facts.parent.namespace))


def _reported(autoscaler: HorizontalPodAutoscaler | None) -> ParentCondition:
    status = (autoscaler and autoscaler.status) or Conditions()
    able, active = status.condition("AbleToScale"), status.condition("ScalingActive")
    if able and able.status == "False":
        return SCALING_FAILED
    if active is None:
        return AUTOSCALER_NOT_YET_OBSERVED
    if active.status == "True":
        return AUTOSCALING
    reason = active.reason or ""
    if reason == "AmbiguousSelector":
        return TWO_AUTOSCALERS
    return METRICS_UNAVAILABLE if reason.startswith("FailedGet") else NOT_AUTOSCALING
