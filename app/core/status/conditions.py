"""The conditions: their types, and what those besides Ready say, in a fixed sentence, or a template.

``myresource explain`` prints all of it. A new condition is a type and its constants here; which of them holds is in
:mod:`app.core.status.parent_status`, or in a module of its own, such as :mod:`app.core.status.exposed`. If that depends
on ``now``, ``Facts.timers`` has the time of its next change.
"""

from dataclasses import dataclass

from app.core.reasons import example
from metahook import InstallationProblem


@dataclass(frozen=True)
class ParentCondition:
    """What a condition of the parent says: its status, its reason and its message."""

    type: str
    status: str
    reason: str
    message: str

    def example(self) -> str:
        """Return a message as a user sees it, for ``myresource explain`` and the pages."""
        return example(self.reason, self.message)


ACT = "Check the reason of Ready: kubectl get myresource NAME -o wide. Then run: myresource explain REASON"
WAIT = "Wait. The message of Ready says what it is waiting for: kubectl get myresource NAME -o wide"
_KSTATUS = "kstatus, which Flux and `kpt` use"


@dataclass(frozen=True)
class ConditionType:
    """A type of condition: what it means, what to do, and who reads it."""

    name: str
    meaning: str
    remedy: str
    readers: str


CONDITION_TYPES = (
    ConditionType(
        "Ready",
        "True if the Deployment is fully rolled out for the current generation and all Pods are available. Wait for "
        "this condition: kubectl wait --for=condition=Ready myresource/NAME",
        ACT,
        "`kubectl wait`, health checks, other operators, MyResources that [depend](../apps/dependencies.md) on it",
    ),
    ConditionType(
        "Available",
        "True if enough Pods are available, including Pods of an older spec: during a failing rollout the old Pods "
        "keep serving.",
        "If it is False, the application may not respond: check the reason of Ready.",
        "alerts: whether the application is served at all",
    ),
    ConditionType(
        "Progressing",
        "True if the rollout of the Deployment is in progress or complete, False if it failed, Unknown if it is paused "
        "or has not started.",
        "If it is False, check the reason of Ready.",
        "people",
    ),
    ConditionType(
        "DependenciesReady",
        "True if all dependencies in spec.dependencies are met. Present only if the spec has dependencies.",
        "If it is False, its message names the dependencies that are not met.",
        "people",
    ),
    ConditionType(
        "AutoscalingActive",
        "True if the HorizontalPodAutoscaler chooses the number of Pods, False if it can't, Unknown if it has not "
        "reported anything yet. Present only if the spec has autoscaling.",
        "If it is False, do what its message says: kubectl describe myresource NAME",
        "people, alerts: whether the number of Pods follows the load",
    ),
    ConditionType(
        "Exposed",
        "True if the Ingress has an address, or the Gateway accepts the HTTPRoute, so that requests from outside of "
        "the cluster can arrive. Present only if the spec has expose. Ready does not depend on it.",
        "If it is not True, do what its message says: kubectl describe myresource NAME",
        "people, `kubectl wait`",
    ),
    ConditionType(
        "Reconciling",
        "Present, and True, while Ready is False and no action is needed yet.",
        WAIT,
        _KSTATUS,
    ),
    ConditionType(
        "Stalled",
        "Present, and True, while Ready is False and action is needed. It has the same reason as Ready.",
        ACT,
        f"{_KSTATUS}; alerts: whether action is needed",
    ),
    ConditionType(
        "ForeignFields",
        "Present, and True, while another user or controller sets fields of a child that the "
        "spec does not set, such as with kubectl edit. The fields are kept, and no other condition changes.",
        "Do what its message says: kubectl describe myresource NAME. Expected managers of fields, such as a controller "
        "that adds a sidecar, are a setting of the operator: --expected-manager, or expectedManagers of the chart.",
        "people, security reviews",
    ),
    ConditionType(
        "OperatorMisconfigured",
        "Present, and True, while the operator is not installed as this version requires. It is not about the spec of "
        "the MyResource, and changes no other condition.",
        "Ask the cluster administrator to do what its message says: kubectl describe myresource NAME",
        "cluster administrators; alerts",
    ),
)

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
    for finding in InstallationProblem
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
