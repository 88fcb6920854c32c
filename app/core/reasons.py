"""The catalogue of reasons: one word for each state of a MyResource, with its message, its causes and the way out.

A table, and the only one. ``myresource explain`` prints it. :mod:`app.core.status.readiness` says when each holds, and
:mod:`app.core.diagnosis.causes` when those hold that Pods give. A message is fixed: no counts, no names of nodes or
Pods, nothing that moves by itself.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


class Outlook(Enum):
    """What a reason means for somebody who waits. Source: kstatus."""

    READY = "Ready is True"
    RECONCILING = "Ready is False; it goes on by itself (Reconciling)"
    STALLED = "Ready is False; somebody must act (Stalled)"
    AS_THE_ROLLOUT = "Ready is False; Reconciling until the rollout's deadline, Stalled after it"
    LEAVING = "Ready is False; the object is going away"


@dataclass(frozen=True)
class Reason:
    """A reason of the condition Ready. Its message is filled with those of :mod:`app.core.status.words`."""

    name: str
    outlook: Outlook
    message: str
    cause: str
    remedy: str

    def filled(self, words: Mapping[str, str]) -> str:
        """Return the message with *words* in their places."""
        return self.message.format_map(words)

    def outlined(self) -> str:
        """Return the message with its places marked, as in ``<name>``."""
        return re.sub(r"{(\w+)}", r"<\1>", self.message)


TERMINATING = Reason(
    "Terminating",
    Outlook.LEAVING,
    "The MyResource is being deleted.",
    "The MyResource was deleted; its children go with it.",
    "Wait. If it stays, look for a finalizer of somebody else's: kubectl get myresource NAME -o yaml",
)
INVALID_SPEC = Reason(
    "InvalidSpec",
    Outlook.STALLED,
    "{problem}. Children that run are kept as they are.",
    "The spec asks for something that can't be, and the API server could not tell, or stored it before it could.",
    "Change the field that the message names. Until then nothing that runs is changed.",
)
CHILD_TERMINATING = Reason(
    "ChildTerminating",
    Outlook.RECONCILING,
    "{holder} is being deleted. It is created again as soon as {until}.",
    "A child was deleted and is still there: something holds it by a finalizer, such as a load balancer that is being "
    "removed, or its Pods are deleted first. Or it belongs to an earlier MyResource of the same name.",
    "Wait. If it stays, find out who removes the finalizers that the message names, and why it does not.",
)
NAME_CONFLICT = Reason(
    "NameConflict",
    Outlook.STALLED,
    "{holder} belongs to another owner and is left unchanged. Rename one of the two, or {others}, or hand it over: "
    "kubectl label --overwrite {handover} -n {namespace} controller-uid={uid}",
    "A Service of the MyResource's name exists, and this MyResource does not control it; or a Deployment that an "
    "earlier MyResource of this name left behind still runs, as its Pods show.",
    "Rename one of the two, set spec.service.mode to Disabled, delete what is no longer needed, or hand the object "
    "over with the command in the message (not if another controller owns it: it would keep it). If a Deployment is "
    "named that does not exist, its ReplicaSets were left behind: delete them.",
)
DEPENDENCY_NOT_FOLLOWED = Reason(
    "DependencyNotFollowed",
    Outlook.STALLED,
    "{waits}. Nothing is started before all dependencies are met: remove the one of that kind, or ask whoever runs the "
    "operator to follow it.",
    "spec.dependencies names a kind that the operator was not set up to follow, so it can't tell when it is met.",
    "Remove the dependency, or have its kind added to the operator's settings, which take all but Pods, Services, "
    "ConfigMaps and Secrets: docs/dependencies.md.",
)
WAITING_FOR_DEPENDENCIES = Reason(
    "WaitingForDependencies",
    Outlook.RECONCILING,
    "Waiting for dependencies: {waits}.",
    "Objects in spec.dependencies do not exist, or their condition is not True. The application was never started.",
    "Wait, or look at the objects that the message names. If two MyResources wait for one another, remove one of the "
    "dependencies. What has run once is never stopped because of a dependency.",
)
NOT_APPLIED = Reason(
    "NotApplied",
    Outlook.STALLED,
    "{kind} {child} could not be {write} within a minute: {refusers}an admission policy refuses it. "
    "See: kubectl describe myresource {name} -n {namespace}",
    "Metacontroller could not create or update the child: another object has its name, or a quota, an admission policy "
    "or the API server refuses it, or Metacontroller may not write it.",
    "Read the SyncError events: kubectl describe myresource NAME. Without events the name is taken: look at the owner "
    "of the object that has it, and rename one of the two.",
)
OVERRIDDEN = Reason(
    "Overridden",
    Outlook.STALLED,
    "{kind} {child} keeps another value than this MyResource asks for at {path}: another user or controller sets it.",
    "The child is updated, and for a minute a field has had another value: an admission policy, an autoscaler or "
    "another controller sets it. (Under dynamic-apply also: variables that use one another were reordered.)",
    "Ask for that value in the spec, or make the other one leave the field alone.",
)
LEFTOVER_FIELDS = Reason(
    "LeftoverFields",
    Outlook.STALLED,
    "{kind} {child} still has fields that this MyResource no longer asks for: {fields}. Remove them: {command}",
    "Metacontroller's --apply-strategy was changed, and fields that it applied before have been removed from the spec; "
    "or kubectl rollout undo brought them back under server-side-apply. Metacontroller does not remove such fields.",
    "Run the command in the message, as somebody who may change the child. If the message has another command after "
    "that, run that one, too. To prevent it, change the apply strategy as docs/operate.md says, and change the spec "
    "instead of kubectl rollout undo.",
)
BUILDING = Reason(
    "Building",
    Outlook.RECONCILING,
    "Waiting for {kind} {child} to carry this spec.",
    "The spec is new or was changed, and the child does not carry it yet.",
    "Wait; it takes seconds. After a minute the reason becomes NotApplied or Overridden.",
)
ROLLING_OUT = Reason(
    "RollingOut",
    Outlook.RECONCILING,
    "The Deployment is starting or replacing Pods.",
    "The Deployment carries the spec, and not all Pods are updated and available yet.",
    "Wait. To watch: kubectl rollout status deployment NAME-deployment",
)
CONFIG_NOT_FOUND = Reason(
    "ConfigNotFound",
    Outlook.AS_THE_ROLLOUT,
    "Missing: {missing}. Create what is missing, or mark its use in the spec as optional. Pods that run go on running.",
    "The spec uses a ConfigMap or Secret, or a key of one, that is not there. Pods that run are left as they are; new "
    "ones can't start, and a rollout that needs them is Stalled after its deadline.",
    "Create what the message names, or set optional: true where the spec uses it.",
)
PROGRESS_DEADLINE_EXCEEDED = Reason(
    "ProgressDeadlineExceeded",
    Outlook.STALLED,
    "New Pods did not become available within progressDeadlineSeconds. "
    "See: kubectl describe pods -l myresource={name} -n {namespace}",
    "The image can't be pulled, the application ends or never becomes ready, or no node has room.",
    "Look at the Pods: kubectl describe pods -l myresource=NAME. Old Pods go on serving until new ones are available.",
)
REPLICA_FAILURE = Reason(
    "ReplicaFailure",
    Outlook.AS_THE_ROLLOUT,
    "Pods can't be created: {refusal}. See: kubectl describe replicasets -l myresource={name} -n {namespace}",
    "A quota, a LimitRange, Pod Security or another admission policy refuses the Pods, or their ServiceAccount or "
    "PriorityClass does not exist. A surge over a quota ends by itself.",
    "Look at the ReplicaSets: kubectl describe replicasets -l myresource=NAME. Raise the quota or change the spec.",
)
PAUSED = Reason(
    "Paused",
    Outlook.STALLED,
    "Somebody paused the Deployment. To go on: kubectl rollout resume deployment {name}-deployment -n {namespace}",
    "The Deployment was paused with kubectl rollout pause before its rollout was complete.",
    "kubectl rollout resume deployment NAME-deployment",
)
REPLICAS_UNAVAILABLE = Reason(
    "ReplicasUnavailable",
    Outlook.AS_THE_ROLLOUT,
    "Some Pods became unavailable. See: kubectl describe pods -l myresource={name} -n {namespace}",
    "The rollout was complete; since then Pods crashed, were evicted, or fail their readiness probe.",
    "Look at the Pods: kubectl describe pods -l myresource=NAME",
)
SCALED_TO_ZERO = Reason(
    "ScaledToZero",
    Outlook.READY,
    "No Pods are asked for, and none run.",
    "spec.replicas is 0.",
    "Nothing to do. To start it again: kubectl scale myresource NAME --replicas=1",
)
AVAILABLE = Reason(
    "Available",
    Outlook.READY,
    "All Pods are updated and available.",
    "The Deployment of this generation is fully rolled out.",
    "Nothing to do.",
)

# The reasons that Pods give. They take the place of RollingOut, ReplicasUnavailable, ReplicaFailure and
# ProgressDeadlineExceeded, and keep the outlook of these.

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

REASONS = {
    reason.name: reason
    for reason in (
        TERMINATING,
        INVALID_SPEC,
        CHILD_TERMINATING,
        NAME_CONFLICT,
        DEPENDENCY_NOT_FOLLOWED,
        WAITING_FOR_DEPENDENCIES,
        NOT_APPLIED,
        OVERRIDDEN,
        LEFTOVER_FIELDS,
        BUILDING,
        ROLLING_OUT,
        CONFIG_NOT_FOUND,
        PROGRESS_DEADLINE_EXCEEDED,
        REPLICA_FAILURE,
        PAUSED,
        REPLICAS_UNAVAILABLE,
        *POD_REASONS,
        SCALED_TO_ZERO,
        AVAILABLE,
    )
}
