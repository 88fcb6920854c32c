"""Terms: the states and the conditions of a status, in the words that ``myresource explain`` prints."""

from dataclasses import dataclass

from app.core.status.conditions import OBSERVATIONS

_ASK = "Look at the reason of Ready: kubectl get myresource NAME -o wide. Then run: myresource explain REASON"
_WAIT = "Wait. For what it waits is in the reason of Ready: kubectl get myresource NAME -o wide"


@dataclass(frozen=True)
class Term:
    """A word in a status that is no reason. Its ``kind`` is state or condition."""

    name: str
    kind: str
    meaning: str
    remedy: str

    @property
    def reasons(self) -> list[str]:
        """The reasons that a condition besides those of Ready can have."""
        return [seen.reason for seen in OBSERVATIONS if (seen.condition, self.kind) == (self.name, "condition")]


TERMS = (
    Term("Building", "state", "A rollout is in progress, or this generation has not been Ready yet.", _WAIT),
    Term("Ready", "state", "The condition Ready is True.", "Nothing to do."),
    Term(
        "Degraded",
        "state",
        "Ready was True in this generation, and is no longer, and no rollout is in progress: Pods were lost or keep "
        "failing, or something that the application needs is gone.",
        _ASK,
    ),
    Term("Failed", "state", "The MyResource does not become Ready by itself: the condition Stalled is True.", _ASK),
    Term("Terminating", "state", "The MyResource is being deleted.", "Wait. Its children are deleted with it."),
    Term(
        "Ready",
        "condition",
        "True if the Deployment of this generation is fully rolled out and all Pods are available. Depend on this one.",
        _ASK,
    ),
    Term(
        "Available",
        "condition",
        "True if enough Pods are available to serve, old ones too: during a bad rollout the old Pods may serve.",
        "If it is False, nobody may answer: look at the reason of Ready.",
    ),
    Term(
        "Progressing",
        "condition",
        "What the Deployment reports of its rollout: True while it is in progress or complete, False if it failed.",
        "If it is False, look at the reason of Ready.",
    ),
    Term(
        "DependenciesReady",
        "condition",
        "True if all dependencies in spec.dependencies are met. It is there only with spec.dependencies.",
        "If it is False, its message names the objects that are not ready.",
    ),
    Term("Reconciling", "condition", "There, and True, while Ready is False and the operator is working on it.", _WAIT),
    Term(
        "Stalled",
        "condition",
        "There, and True, while Ready is False and somebody must act. Its reason is that of Ready.",
        _ASK,
    ),
)
"""The states of a MyResource, and its conditions."""
