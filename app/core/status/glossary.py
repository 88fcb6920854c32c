"""The states and conditions of a MyResource, as ``myresource explain`` prints them."""

from dataclasses import dataclass

from app.core.status.conditions import ACT, CONDITION_TYPES, OTHER_CONDITIONS, WAIT


@dataclass(frozen=True)
class Term:
    """A word in a status other than a reason. Its ``kind`` is state or condition."""

    name: str
    kind: str
    meaning: str
    remedy: str
    use: str
    """When a state starts, or who reads a condition."""

    @property
    def reasons(self) -> list[str]:
        """The reasons that a condition besides those of Ready can have."""
        own = [condition for condition in OTHER_CONDITIONS if condition.type == self.name]
        return [condition.reason for condition in own if self.kind == "condition"]


TERMS = (
    Term(
        "Building",
        "state",
        "A rollout is in progress, or this generation has not been Ready yet.",
        WAIT,
        "it is created, its spec or its configuration changes, or its Deployment is changed back to the spec",
    ),
    Term(
        "Ready",
        "state",
        "The Ready condition is True.",
        "No action is needed.",
        "the rollout is complete, or lost Pods are replaced",
    ),
    Term(
        "Sleeping",
        "state",
        "The Ready condition is True, and spec.schedule keeps the Pods stopped, or fewer of them running.",
        "No action is needed. It wakes up at this time: kubectl get myresource NAME "
        "-o jsonpath='{.status.schedule.nextTransition}'",
        "a window of its [schedule](../apps/schedule.md) has begun, and all Pods above its number are deleted",
    ),
    Term(
        "Degraded",
        "state",
        "The MyResource was Ready at this generation but no longer is, and no rollout is in progress: Pods were lost "
        "or keep failing, a ConfigMap or Secret that they use does not exist, or a child was deleted.",
        ACT,
        "a Pod, a child, or a ConfigMap or Secret that it uses is lost while the state is Ready",
    ),
    Term(
        "Failed",
        "state",
        "The MyResource can't become Ready without action. The Stalled condition is True.",
        ACT,
        "a reason that needs action holds: InvalidSpec immediately, NotApplied after a minute, others after "
        "`progressDeadlineSeconds`",
    ),
    Term(
        "Suspended",
        "state",
        "spec.suspend is true: no object is created, changed or deleted, and Ready is Unknown.",
        'Resume it: kubectl patch myresource NAME --type=merge -p \'{"spec":{"suspend":false}}\'',
        "`suspend` becomes true; it ends once `suspend` is removed or false",
    ),
    Term(
        "Terminating",
        "state",
        "The MyResource is being deleted.",
        "Wait. Its children are deleted with it.",
        "it is deleted; a finalizer can keep it in this state",
    ),
    *(Term(each.name, "condition", each.meaning, each.remedy, each.readers) for each in CONDITION_TYPES),
)
"""The states of a MyResource, and its conditions."""
