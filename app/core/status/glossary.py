"""The states and conditions of a MyResource, as ``myresource explain`` prints them."""

from dataclasses import dataclass

from app.core.status.conditions import OTHER_CONDITIONS

_ACT = "Check the reason of Ready: kubectl get myresource NAME -o wide. Then run: myresource explain REASON"
_WAIT = "Wait. The message of Ready says what it is waiting for: kubectl get myresource NAME -o wide"


@dataclass(frozen=True)
class Term:
    """A word in a status other than a reason. Its ``kind`` is state or condition."""

    name: str
    kind: str
    meaning: str
    remedy: str

    @property
    def reasons(self) -> list[str]:
        """The reasons that a condition besides those of Ready can have."""
        own = [condition for condition in OTHER_CONDITIONS if condition.type == self.name]
        return [condition.reason for condition in own if self.kind == "condition"]


TERMS = (
    Term("Building", "state", "A rollout is in progress, or this generation has not been Ready yet.", _WAIT),
    Term("Ready", "state", "The Ready condition is True.", "No action is needed."),
    Term(
        "Sleeping",
        "state",
        "The Ready condition is True, and spec.schedule keeps the Pods stopped, or fewer of them running.",
        "No action is needed. It wakes up at this time: kubectl get myresource NAME "
        "-o jsonpath='{.status.schedule.nextTransition}'",
    ),
    Term(
        "Degraded",
        "state",
        "The MyResource was Ready at this generation but no longer is, and no rollout is in progress: Pods were lost "
        "or keep failing, a ConfigMap or Secret that they use does not exist, or a child was deleted.",
        _ACT,
    ),
    Term("Failed", "state", "The MyResource can't become Ready without action. The Stalled condition is True.", _ACT),
    Term(
        "Suspended",
        "state",
        "spec.suspend is true: no object is created, changed or deleted, and Ready is Unknown.",
        'Resume it: kubectl patch myresource NAME --type=merge -p \'{"spec":{"suspend":false}}\'',
    ),
    Term("Terminating", "state", "The MyResource is being deleted.", "Wait. Its children are deleted with it."),
    Term(
        "Ready",
        "condition",
        "True if the Deployment is fully rolled out for the current generation and all Pods are available. Wait for "
        "this condition: kubectl wait --for=condition=Ready myresource/NAME",
        _ACT,
    ),
    Term(
        "Available",
        "condition",
        "True if enough Pods are available, including Pods of an older spec: during a failing rollout the old Pods "
        "keep serving.",
        "If it is False, the application may not respond: check the reason of Ready.",
    ),
    Term(
        "Progressing",
        "condition",
        "True if the rollout of the Deployment is in progress or complete, False if it failed, Unknown if it is paused "
        "or has not started.",
        "If it is False, check the reason of Ready.",
    ),
    Term(
        "DependenciesReady",
        "condition",
        "True if all dependencies in spec.dependencies are met. Present only if the spec has dependencies.",
        "If it is False, its message names the dependencies that are not met.",
    ),
    Term(
        "AutoscalingActive",
        "condition",
        "True if the HorizontalPodAutoscaler chooses the number of Pods, False if it can't, Unknown if it has not "
        "reported anything yet. Present only if the spec has autoscaling.",
        "If it is False, do what its message says: kubectl describe myresource NAME",
    ),
    Term(
        "Exposed",
        "condition",
        "True if the Ingress has an address, or the Gateway accepts the HTTPRoute, so that requests from outside of "
        "the cluster can arrive. Present only if the spec has expose. Ready does not depend on it.",
        "If it is not True, do what its message says: kubectl describe myresource NAME",
    ),
    Term("Reconciling", "condition", "Present, and True, while Ready is False and no action is needed yet.", _WAIT),
    Term(
        "Stalled",
        "condition",
        "Present, and True, while Ready is False and action is needed. It has the same reason as Ready.",
        _ACT,
    ),
    Term(
        "ForeignFields",
        "condition",
        "Present, and True, while another user or controller sets fields of a child that the "
        "spec does not set, such as with kubectl edit. The fields are kept, and no other condition changes.",
        "Do what its message says: kubectl describe myresource NAME. Expected managers of fields, such as a controller "
        "that adds a sidecar, are a setting of the operator: --expected-manager, or expectedManagers of the chart.",
    ),
    Term(
        "OperatorMisconfigured",
        "condition",
        "Present, and True, while the operator is not installed as this version requires. It is not about the spec of "
        "the MyResource, and changes no other condition.",
        "Ask the cluster administrator to do what its message says: kubectl describe myresource NAME",
    ),
)
"""The states of a MyResource, and its conditions."""
