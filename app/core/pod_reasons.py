"""The reasons that Pods give: what keeps a rollout from its end. :mod:`app.core.causes` says when each holds.

They take the place of RollingOut, ReplicasUnavailable and ProgressDeadlineExceeded, and keep the outlook of these.
"""

from app.core.reason import Outlook, Reason

IMAGE_PULL_FAILED = Reason(
    "ImagePullFailed",
    Outlook.AS_THE_ROLLOUT,
    "{who} has an image that can't be pulled: {remedy}.",
    "There is no such image or tag, its registry refuses the cluster or can't be reached, or it is to be there already "
    "and is not (imagePullPolicy Never).",
    "Correct spec.image, or name a Secret for its registry in spec.imagePullSecrets. The registry's own words: "
    "kubectl describe pods -l myresource=NAME",
)
CONTAINER_CONFIG_ERROR = Reason(
    "ContainerConfigError",
    Outlook.AS_THE_ROLLOUT,
    "{who} can't be created: {why}. See: kubectl describe pods -l myresource={name} -n {namespace}",
    "A ConfigMap or Secret that it takes variables from is not there, or lacks a key; the image runs as root, which "
    "securityProfile Restricted refuses; or the node can't create the container.",
    "Create what the message names, or mark its use in the spec as optional; give the image a user, by number, or set "
    "securityProfile to Baseline. In the node's own words: kubectl describe pods -l myresource=NAME",
)
OOM_KILLED = Reason(
    "OOMKilled",
    Outlook.AS_THE_ROLLOUT,
    "OOMKilled {where}: {remedy}.",
    "The application took more memory than its limit allows, and was ended for it; or the node ran out of memory.",
    "Raise the field that the message names, or let the application take less.",
)
CRASH_LOOPING = Reason(
    "CrashLooping",
    Outlook.AS_THE_ROLLOUT,
    "{who} ends again and again, with exit code {code}{hint}. "
    "See: kubectl logs -l myresource={name} -n {namespace} -c {container} --previous",
    "The application ends soon after it starts, or its liveness or startup probe fails and it is ended for that.",
    "Read what it said before it ended: kubectl logs -l myresource=NAME -c main --previous",
)
UNSCHEDULABLE = Reason(
    "Unschedulable",
    Outlook.AS_THE_ROLLOUT,
    "No node takes a Pod: none has free what spec.cpu, spec.memory or spec.resources ask for, or none is as "
    "spec.nodeSelector, affinity, tolerations or volumes demand. "
    "See: kubectl describe pods -l myresource={name} -n {namespace}",
    "All nodes are full, or too small, or none fits the Pod's demands.",
    "Ask for less, or add nodes, or demand less of a node. How many nodes fail for which reason: "
    "kubectl describe pods -l myresource=NAME",
)
PROBE_FAILING = Reason(
    "ProbeFailing",
    Outlook.AS_THE_ROLLOUT,
    "{who} runs, and its readiness probe does not succeed: {remedy}.",
    "The probe asks the wrong port or path, or the application is not ready for longer than its probes allow: the "
    "startup probe, then initialDelaySeconds and failureThreshold (or successThreshold) times periodSeconds (or "
    "timeoutSeconds), whichever is longer.",
    "Correct spec.readinessProbe, or look what the application waits for: kubectl logs -l myresource=NAME -c main",
)

POD_REASONS = (
    IMAGE_PULL_FAILED,
    CONTAINER_CONFIG_ERROR,
    OOM_KILLED,
    CRASH_LOOPING,
    UNSCHEDULABLE,
    PROBE_FAILING,
)
"""The first of them that holds for any Pod is said, as it is most likely what keeps the others waiting, too; before
those of containers that are ready by now, in between two ends."""
