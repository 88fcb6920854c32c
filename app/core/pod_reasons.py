"""The reasons that Pods give: what keeps a rollout from its end. :mod:`app.core.causes` says when each holds.

They take the place of RollingOut, ReplicasUnavailable, ReplicaFailure and ProgressDeadlineExceeded, and keep the
outlook of these.
"""

from app.core.reason import Outlook, Reason

_DESCRIBE = "See: kubectl describe pods -l myresource={name} -n {namespace}"

IMAGE_PULL_FAILED = Reason(
    "ImagePullFailed",
    Outlook.AS_THE_ROLLOUT,
    "{who} has an image that {problem}: {remedy}.",
    "There is no such image or tag, its registry refuses the cluster or can't be reached, or imagePullPolicy is Never "
    "and the node does not have the image.",
    "Correct spec.image, or name a Secret for its registry in spec.imagePullSecrets. The registry's own words: "
    "kubectl describe pods -l myresource=NAME",
)
CONTAINER_CONFIG_ERROR = Reason(
    "ContainerConfigError",
    Outlook.AS_THE_ROLLOUT,
    f"{{who}} can't be created: {{why}}. {_DESCRIBE}",
    "A ConfigMap or Secret that it takes variables from is not there, or lacks a key; the image runs as root, which "
    "securityProfile Restricted refuses; or the node can't create the container.",
    "Create what the message names, or mark its use in the spec as optional; give the image a user, by number, or set "
    "securityProfile to Baseline. In the node's own words: kubectl describe pods -l myresource=NAME",
)
RUN_CONTAINER_ERROR = Reason(
    "RunContainerError",
    Outlook.AS_THE_ROLLOUT,
    f"{{who}} can't be started: {{remedy}}. {_DESCRIBE}",
    "The command is not in the image or is not executable, or the image is for another kind of processor. The "
    "application never ran, so it has no logs.",
    "Correct spec.command, or the command of the image. In the node's own words: "
    "kubectl describe pods -l myresource=NAME",
)
OOM_KILLED = Reason(
    "OOMKilled",
    Outlook.AS_THE_ROLLOUT,
    "{who} was OOMKilled{where}: {remedy}.",
    "The application took more memory than its limit allows, and was killed for it; or the node ran out of memory.",
    "Raise the field that the message names, or let the application take less.",
)
CRASH_LOOPING = Reason(
    "CrashLooping",
    Outlook.AS_THE_ROLLOUT,
    "{who} keeps exiting with code {code}{hint}. See: kubectl {command} -l myresource={name} -n {namespace}{options}",
    "The application exits soon after it starts, or its liveness or startup probe fails and the kubelet stops it. It "
    "counts as running again once it has run for ten minutes.",
    "Read its logs: kubectl logs -l myresource=NAME -c main --previous --ignore-errors. If they show no error, check "
    "the liveness and startup probes: kubectl describe pods -l myresource=NAME",
)
EVICTED = Reason(
    "Evicted",
    Outlook.AS_THE_ROLLOUT,
    "A Pod was evicted because {why}: {remedy}.",
    "The kubelet evicted a Pod that exceeded a storage limit, or because its node ran out of memory, disk space, "
    "inodes or process IDs; or the Pod was evicted through the API, as kubectl drain does. If a replacement is "
    "evicted, too, the next one counts as running once ten minutes have passed without another eviction.",
    "Do what the message says. The kubelet's own words: kubectl describe pods -l myresource=NAME",
)
PREEMPTED = Reason(
    "Preempted",
    Outlook.AS_THE_ROLLOUT,
    "A Pod was preempted to make room for Pods of a higher priority: {remedy}.",
    "The scheduler, or the kubelet, removed the Pod because Pods of a higher priority needed its place.",
    "Give the Pods a higher priority with spec.priorityClassName, or add nodes.",
)
POD_REJECTED = Reason(
    "PodRejected",
    Outlook.AS_THE_ROLLOUT,
    f"A node rejected a Pod: {{why}}. {_DESCRIBE}",
    "The node no longer had enough CPU, memory, devices or room for Pods when the Pod arrived there (OutOfcpu, "
    "OutOfmemory, OutOfpods), or its labels or devices had changed.",
    "Add nodes, or ask for less. The kubelet's own words: kubectl describe pods -l myresource=NAME",
)
NODE_LOST = Reason(
    "NodeLost",
    Outlook.AS_THE_ROLLOUT,
    "The node of a Pod does not respond; its Pods are replaced after some minutes. See: kubectl get nodes",
    "The kubelet of the node stopped, or the network between the node and the API server is broken. The Pod may still "
    "run there. Kubernetes replaces it after five minutes, or after the tolerationSeconds of spec.tolerations.",
    "Repair the node, or wait: kubectl get nodes",
)
UNSCHEDULABLE = Reason(
    "Unschedulable",
    Outlook.AS_THE_ROLLOUT,
    "No node fits: not enough free CPU or memory for {requests}{constraints}{claims}, or nodes have taints that the "
    f"Pods do not tolerate. {_DESCRIBE}",
    "All nodes are full, or too small, or none matches the Pod's constraints.",
    "Ask for less, or add nodes, or demand less of a node. How many nodes fail for which reason: "
    "kubectl describe pods -l myresource=NAME",
)
PROBE_FAILING = Reason(
    "ProbeFailing",
    Outlook.AS_THE_ROLLOUT,
    "{who} runs, but its readiness probe is failing: {remedy}.",
    "The probe asks the wrong port or path, or the application is not ready for longer than its probes allow: the "
    "startup probe, then initialDelaySeconds and failureThreshold (or successThreshold) times periodSeconds (or "
    "timeoutSeconds), whichever is longer.",
    "Correct spec.readinessProbe, or look what the application waits for: kubectl logs -l myresource=NAME -c main",
)

POD_REASONS = (
    IMAGE_PULL_FAILED,
    CONTAINER_CONFIG_ERROR,
    RUN_CONTAINER_ERROR,
    OOM_KILLED,
    CRASH_LOOPING,
    EVICTED,
    PREEMPTED,
    POD_REJECTED,
    NODE_LOST,
    UNSCHEDULABLE,
    PROBE_FAILING,
)
"""The first of them that holds for any Pod is reported, as it is most likely what keeps the others waiting, too;
causes that a container has recovered from rank last."""
