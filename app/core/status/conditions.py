"""What the conditions besides Ready say, each in a fixed sentence. ``myresource explain`` prints these, too."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Observation:
    """What one of the other conditions says: its status, its reason and its message."""

    condition: str
    status: str
    reason: str
    message: str


AVAILABLE_NOW = Observation("Available", "True", "MinimumReplicasAvailable", "Enough Pods are available.")
NOT_AVAILABLE = Observation("Available", "False", "MinimumReplicasUnavailable", "Not enough Pods are available.")
NOT_YET_SEEN = Observation("Progressing", "Unknown", "NotYetSeen", "The Deployment is not updated to this spec yet.")
ROLLOUT_ON = Observation("Progressing", "True", "RollingOut", "The rollout is in progress.")
ROLLED_OUT = Observation("Progressing", "True", "RolledOut", "The last rollout is complete.")
ROLLOUT_LATE = Observation(
    "Progressing", "False", "ProgressDeadlineExceeded", "The rollout exceeded progressDeadlineSeconds."
)
ROLLOUT_PAUSED = Observation("Progressing", "Unknown", "DeploymentPaused", "The Deployment is paused.")
ROLLOUT_REFUSED = Observation("Progressing", "False", "ReplicaSetCreateError", "The ReplicaSet can't be created.")

DEPENDENCIES_MET = Observation("DependenciesReady", "True", "DependenciesMet", "All dependencies are met.")
DEPENDENCIES_UNMET = Observation("DependenciesReady", "False", "DependenciesNotMet", "{waits}.")
DEPENDENCIES_UNKNOWN = Observation(
    "DependenciesReady", "Unknown", "DependenciesNotYetSeen", "The dependencies have not been observed yet."
)

OBSERVATIONS = (
    AVAILABLE_NOW,
    NOT_AVAILABLE,
    NOT_YET_SEEN,
    ROLLOUT_ON,
    ROLLED_OUT,
    ROLLOUT_LATE,
    ROLLOUT_PAUSED,
    ROLLOUT_REFUSED,
    DEPENDENCIES_MET,
    DEPENDENCIES_UNMET,
    DEPENDENCIES_UNKNOWN,
)
"""What the conditions Available, Progressing and DependenciesReady can say."""
