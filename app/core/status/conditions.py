"""What the conditions besides Ready say, in a fixed sentence, or a template.

``myresource explain`` prints these, too.
"""

from dataclasses import dataclass

from app.core.reasons import outline
from metahook import Finding


@dataclass(frozen=True)
class ParentCondition:
    """What one of the other conditions says: its status, its reason and its message."""

    type: str
    status: str
    reason: str
    message: str

    def outlined(self) -> str:
        """Return the message as ``myresource explain`` prints it."""
        return outline(self.message)


AVAILABLE_NOW = ParentCondition("Available", "True", "MinimumReplicasAvailable", "Enough Pods are available.")
NOT_AVAILABLE = ParentCondition("Available", "False", "MinimumReplicasUnavailable", "Not enough Pods are available.")
NOT_YET_OBSERVED = ParentCondition(
    "Progressing", "Unknown", "NotYetSeen", "The Deployment has not been updated to this spec yet."
)
OF_ANOTHER_SPEC = ParentCondition(
    "Progressing", "Unknown", "DeploymentDiffers", "The Deployment differs from this spec."
)
ROLLOUT_IN_PROGRESS = ParentCondition("Progressing", "True", "RollingOut", "The rollout is in progress.")
ROLLED_OUT = ParentCondition("Progressing", "True", "RolledOut", "The last rollout is complete.")
ROLLOUT_LATE = ParentCondition(
    "Progressing", "False", "ProgressDeadlineExceeded", "The rollout exceeded progressDeadlineSeconds."
)
ROLLOUT_PAUSED = ParentCondition("Progressing", "Unknown", "DeploymentPaused", "The Deployment is paused.")
ROLLOUT_REFUSED = ParentCondition("Progressing", "False", "ReplicaSetCreateError", "The ReplicaSet can't be created.")

DEPENDENCIES_MET = ParentCondition("DependenciesReady", "True", "DependenciesMet", "All dependencies are met.")
DEPENDENCIES_UNMET = ParentCondition("DependenciesReady", "False", "DependenciesNotMet", "{dependencies}.")
DEPENDENCIES_UNKNOWN = ParentCondition(
    "DependenciesReady", "Unknown", "DependenciesNotYetSeen", "The dependencies have not been observed yet."
)

AUTOSCALING = ParentCondition(
    "AutoscalingActive", "True", "ScalingActive", "The HorizontalPodAutoscaler chooses the number of Pods."
)
AUTOSCALER_NOT_YET_OBSERVED = ParentCondition(
    "AutoscalingActive", "Unknown", "AutoscalerNotYetSeen", "The HorizontalPodAutoscaler has not reported anything yet."
)
TWO_AUTOSCALERS = ParentCondition(
    "AutoscalingActive",
    "False",
    "AmbiguousSelector",
    "Another HorizontalPodAutoscaler scales the same Pods, so neither of them acts. Delete the other one, or remove "
    "spec.autoscaling. To find it: kubectl get hpa -n {namespace}",
)
METRICS_UNAVAILABLE = ParentCondition(
    "AutoscalingActive",
    "False",
    "MetricsUnavailable",
    "The HorizontalPodAutoscaler can't read the use of the resources in spec.autoscaling, so the number of Pods stays "
    "as it is. New Pods have metrics after about a minute. If this lasts longer, ask the cluster administrator whether "
    "metrics-server runs. See: kubectl describe hpa {name} -n {namespace}",
)
SCALING_FAILED = ParentCondition(
    "AutoscalingActive",
    "False",
    "ScalingFailed",
    "The HorizontalPodAutoscaler can't scale the Deployment. See: kubectl describe hpa {name} -n {namespace}",
)
NOT_AUTOSCALING = ParentCondition(
    "AutoscalingActive",
    "False",
    "ScalingInactive",
    "The HorizontalPodAutoscaler does not scale. See: kubectl describe hpa {name} -n {namespace}",
)

ROUTE_ACCEPTED = ParentCondition("Exposed", "True", "RouteAccepted", "{route} is accepted.")
ROUTE_NOT_APPLIED = ParentCondition(
    "Exposed",
    "Unknown",
    "RouteNotApplied",
    "{route} has not been created or updated to this spec yet. If this lasts, the message of Ready says why.",
)
ROUTE_NOT_ADMITTED = ParentCondition(
    "Exposed",
    "Unknown",
    "NotYetAdmitted",
    "No controller has accepted {route} yet. If this lasts, check {choice}, and run: "
    "kubectl describe {resource} {name}",
)
ROUTE_NOT_ACCEPTED = ParentCondition(
    "Exposed",
    "False",
    "NotAccepted",
    "Gateway {gateway} does not accept {route}: {why}. Check spec.expose, and run: kubectl describe {resource} {name}",
)
HOST_CLAIMED = ParentCondition(
    "Exposed",
    "False",
    "HostClaimed",
    "{holder} already has this host and path, so {route} does not get them. Change spec.expose of one of the two.",
)
ROUTE_NOT_ENABLED = ParentCondition(
    "Exposed",
    "False",
    "NotEnabled",
    "The operator creates no {kind} in this cluster. Ask the cluster administrator to set {value} of the operator's "
    "chart to true, or remove {unwanted}.",
)

OPERATOR_MISCONFIGURED = {
    finding: ParentCondition(
        "OperatorMisconfigured", "True", finding.name, f"{finding.message} See docs/apps/troubleshoot.md."
    )
    for finding in Finding
}
"""What is wrong with the installation of the operator; it is not about the spec of a MyResource."""

FOREIGN_FIELDS = ParentCondition(
    "ForeignFields",
    "True",
    "SetByOthers",
    "Other users or controllers set fields that this spec does not set, and they are kept: {fields}. Set them in the "
    "spec, if it has such fields; or ask the cluster administrator to list their manager in expectedManagers; or "
    "remove them, beginning with: {command}",
)

OTHER_CONDITIONS = (
    *(constant for constant in tuple(vars().values()) if isinstance(constant, ParentCondition)),
    *OPERATOR_MISCONFIGURED.values(),
)
"""What the conditions besides Ready, Reconciling and Stalled can say: all constants above."""
