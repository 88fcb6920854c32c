"""The catalogue of reasons: why a MyResource is Ready or not, each with its message, its causes and what to do.

A table, and the only one. ``myresource explain`` prints it. :mod:`app.core.readiness` decides when each holds,
and :mod:`app.core.diagnosis` when those hold that Pods give. A message is fixed for each cause: no counts, no
names of nodes or Pods, nothing that changes while the cause stays the same.
"""

import re
from collections.abc import Iterable, Mapping
from enum import Enum
from functools import cached_property

from msgspec import Struct, field


class Outlook(Enum):
    """Whether to wait or to act, as ``myresource explain`` prints it. Source: kstatus."""

    READY = "Ready is True"
    RECONCILING = "Ready is False; no action is needed yet (Reconciling)"
    STALLED = "Ready is False; action is needed (Stalled)"
    FOLLOWS_ROLLOUT = "Ready is False; Reconciling until progressDeadlineSeconds pass without progress, then Stalled"
    SUSPENDED = "Ready is Unknown; nothing is changed until the MyResource is resumed"
    TERMINATING = "Ready is False; the MyResource is being deleted"


# Each reason exists once, so reasons are compared by identity and not by their texts.
class Reason(Struct, frozen=True, eq=False, dict=True):
    """A reason of Ready. Words of an explanation and of :mod:`app.core.status.conditions.ready` fill its message."""

    name: str
    outlook: Outlook
    message: str
    cause: str
    remedy: str
    example_words: Mapping[str, str] = field(default_factory=dict)
    """The words of its example that no other has."""

    @cached_property
    def words(self) -> list[str]:
        """The names of the words in its message."""
        return _WORD.findall(self.message)

    def explained(self, **words: str) -> "Explanation":
        """Return this reason with *words* for its message."""
        return Explanation(self, words)

    def example(self) -> str:
        """Return a message as a user sees it, for ``myresource explain`` and the pages."""
        return example(self.message, self.example_words)


class Explanation(Struct, frozen=True):
    """A ``reason`` that Pods give, and the ``words`` for its message: ``who`` is the container, as the subject."""

    reason: Reason
    words: Mapping[str, str]


_WORD = re.compile(r"{(\w+)}")

MOST = 700
"""Characters of a list. A message may have 1024, and its remedy must not be cut off."""

AND_OTHERS = "and others"


def example(message: str, words: Mapping[str, str]) -> str:
    """Return the template *message* with *words*, and those that a MyResource called web has."""
    return message.format_map({**_EXAMPLE, **words})


_PAGE = re.compile(r"(?<!/)\bdocs/(?=[a-z/-]+\.md)")


def linked(text: str, docs_url: str) -> str:
    """Return *text* with the pages that it names, such as docs/clusters/operate.md, at *docs_url*; addresses stay."""
    return _PAGE.sub(lambda _: f"{docs_url}/", text)


def listing(things: Iterable[object], separator: str = ", ", most: int = MOST) -> str:
    """Return *things* in their order, each once; those that do not fit are ``and others``. The first always fits."""
    texts: list[str] = []
    length = 0
    for text in dict.fromkeys(map(str, things)):
        length += len(text) + len(separator)
        if texts and length > most:
            return separator.join([*texts, AND_OTHERS])
        texts.append(text)
    return separator.join(texts)


_EXAMPLE = {
    "child": "web-deployment",
    "dependencies": "mybackups/web does not exist",
    "holder": "Service web",
    "kind": "Deployment",
    "name": "web",
    "namespace": "default",
    "occupant": "service web",
    "resource": "ingress",
    "route": "Ingress web",
    "who": "Container main",
}
"""Words of the examples of messages."""


TERMINATING = Reason(
    "Terminating",
    Outlook.TERMINATING,
    "The MyResource is being deleted.",
    "The MyResource was deleted. Its children are deleted with it.",
    "Wait. If it stays, find out what should remove its finalizers: kubectl get myresource NAME -o yaml",
)
INVALID_SPEC = Reason(
    "InvalidSpec",
    Outlook.STALLED,
    "{problem}. Existing objects are left unchanged.",
    "The spec is not valid. The API server accepted it because the CRD can't express the rule, such as which "
    "annotations this cluster allows, or did not have the rule yet when the object was stored.",
    "Correct the field that the message names. Until then, existing objects are left unchanged.",
    {"problem": "spec.image: must be an image reference such as nginx:1.27"},
)
SUSPENDED = Reason(
    "Suspended",
    Outlook.SUSPENDED,
    "The MyResource is suspended: no object is created, changed or deleted, and Ready is not determined. To resume: "
    """kubectl patch myresource {name} -n {namespace} --type=merge -p '{{"spec":{{"suspend":false}}}}'""",
    "spec.suspend is true. Existing objects are left unchanged, also if others change them, and a deleted one is not "
    "recreated. A MyResource that is created suspended has no objects. Running Pods are not affected.",
    "Resume it when you have finished your work: "
    """kubectl patch myresource NAME --type=merge -p '{"spec":{"suspend":false}}'""",
)
CHILD_TERMINATING = Reason(
    "ChildTerminating",
    Outlook.RECONCILING,
    "{holder} is being deleted. It is recreated once {until}.",
    "A child was deleted, and the object still exists: it has a finalizer, such as that of a load balancer, or its "
    "Pods are deleted first. Or the object belongs to an earlier MyResource of the same name.",
    "Wait. If it stays, find out which controllers should remove the finalizers that the message names, and why they "
    "do not.",
    {"until": "its finalizers are removed: service.kubernetes.io/load-balancer-cleanup"},
)
NAME_CONFLICT = Reason(
    "NameConflict",
    Outlook.STALLED,
    "{holder} exists and is not controlled by this MyResource, so it is left unchanged. Rename one of the two, "
    "{way_out}, or let this MyResource adopt it: "
    "kubectl label --overwrite {occupant} -n {namespace} controller-uid={uid}",
    "A Service, PodDisruptionBudget, HorizontalPodAutoscaler, Ingress or HTTPRoute with the name of the MyResource "
    "exists, and the MyResource does not control it. Or a Deployment of an earlier MyResource of the same name was not "
    "deleted, and its Pods still run.",
    "Rename one of the two, set spec.service.mode or spec.podDisruptionBudget to Disabled or remove spec.autoscaling "
    "or spec.expose, delete the object if it is not needed, or let the MyResource adopt it with the command in the "
    "message (this has no effect if another controller owns the object). "
    "If the message names a Deployment that does not exist, its ReplicaSets still exist: delete them.",
    {
        "way_out": "set spec.service.mode to Disabled",
        "uid": "b848bea7-865d-4a1f-bf45-a10293c59ffe",
    },
)
KIND_NOT_MANAGED = Reason(
    "KindNotManaged",
    Outlook.STALLED,
    "The CompositeController of the operator does not list kind {unmanaged}, so the operator creates none. Ask the "
    "cluster administrator to install the operator's chart in the version of its image.",
    "The spec uses a field for which the operator creates an object of another kind, and the CompositeController is of "
    "an earlier release, as after helm rollback.",
    "Install the chart in the version of the operator's image, or remove the field from the spec. The other objects of "
    "the MyResource are created and updated as usual.",
    {"unmanaged": "HorizontalPodAutoscaler"},
)
DEPENDENCY_NOT_FOLLOWED = Reason(
    "DependencyNotFollowed",
    Outlook.STALLED,
    "{dependencies}. The application does not start until all dependencies are met: remove the dependency on that "
    "kind, or ask the cluster administrator to let the operator watch the kind.",
    "spec.dependencies names a kind that the operator is not set up to watch, so the dependency is never met.",
    "Remove the dependency, or add its kind to the settings of the operator: docs/apps/dependencies.md. Remove a "
    "ConfigMap or a Secret: Pods wait for each one that the spec uses, without a dependency. Pods and Services can't "
    "be dependencies.",
    {"dependencies": "mybackups/web is of a kind that the operator does not watch"},
)
WAITING_FOR_DEPENDENCIES = Reason(
    "WaitingForDependencies",
    Outlook.RECONCILING,
    "Waiting for dependencies: {dependencies}.",
    "Objects in spec.dependencies do not exist, or their condition is not True. The application has never started.",
    "Wait, or check the objects that the message names. If two MyResources wait for each other, remove one of the "
    "dependencies. An application that has started is never stopped because of a dependency.",
)
NOT_APPLIED = Reason(
    "NotApplied",
    Outlook.STALLED,
    "{kind} {child} could not be {write} within a minute: {obstacle}. See: kubectl describe {described} -n {namespace}",
    "Metacontroller could not create, update or delete the child. Either another object has its name; or the API "
    "server, a quota or an admission policy rejected it; or Metacontroller does not have permission; or the child is "
    "to be deleted and has finalizers.",
    "Read the SyncError events: kubectl describe myresource NAME. If there are none, another object has the name: "
    "check its owner references, and rename one of the two. If the message names finalizers, find out which "
    "controllers should remove them, and why they do not.",
    {
        "write": "created",
        "obstacle": "another object has its name, or a quota or an admission policy rejects it, or Metacontroller "
        "lacks the permission",
        "described": "myresource web",
    },
)
OVERRIDDEN = Reason(
    "Overridden",
    Outlook.STALLED,
    "{override}",
    "Another user or controller, such as an autoscaler, an admission policy or a GitOps tool, keeps changing a child. "
    "Either the operator reverted three changes, each within ten minutes of the one before, or a field still has "
    "another value after a minute although it was sent again. From then on the operator reverts the change only once "
    "every ten minutes, and leaves the child as it is in between. With dynamic-apply it can also be env: "
    "Metacontroller keeps the old order of variables, in which a variable may come before one that it uses.",
    "If an autoscaler scales the Deployment, use spec.autoscaling, or set its scaleTargetRef to the MyResource. "
    "Otherwise, set the value in the "
    "spec, or stop the other user or controller from changing the field. If the field is env, rename the variable that "
    "uses another one. Ready becomes True a minute after the operator has reverted the last change. To revert it "
    "immediately, change the spec.",
    {
        "override": "Field manager kubectl-edit has changed a field of Service web, and the operator now reverts such "
        "changes only once every ten minutes. Set the same value in this spec, or stop it from changing the field: "
        "spec.type"
    },
)
LEFTOVER_FIELDS = Reason(
    "LeftoverFields",
    Outlook.STALLED,
    "{kind} {child} still has fields that this MyResource no longer sets: {fields}. Remove them: {command}",
    "Metacontroller's --apply-strategy was changed, and fields that it had applied before were removed from the spec; "
    "or kubectl rollout undo restored them under server-side-apply. Metacontroller does not remove such fields.",
    "Run the command in the message, with permission to change the child. If the message then shows a different "
    "command, run that one, too. To prevent this, change the apply strategy as "
    "docs/clusters/scale.md#change-the-apply-strategy describes, and change the spec instead of using kubectl rollout "
    "undo.",
    {
        "fields": "spec.template.spec.nodeSelector",
        "command": """kubectl patch deployment web-deployment -n default --field-manager=metacontroller -p """
        """'{"spec":{"template":{"spec":{"nodeSelector":null}}}}'""",
    },
)
BUILDING = Reason(
    "Building",
    Outlook.RECONCILING,
    "Waiting for {awaited}.",
    "The spec is new or was changed, or the child was changed or deleted, and Metacontroller has not written it yet. "
    "Or the Deployment was written less than a minute ago, and kube-controller-manager has not observed it yet. Or the "
    "child is to be deleted, and still exists.",
    "Wait a few seconds. If this lasts longer than a minute, the reason changes to NotApplied, Overridden, "
    "LeftoverFields or NameConflict.",
    {"awaited": "Deployment web-deployment to be created and observed"},
)
ROLLED_BACK = Reason(
    "RolledBack",
    Outlook.STALLED,
    "Image {image} failed ({failure}), so the Pods use the last image that was Ready: {ready_image}. Other fields, "
    "such as ports, are those of the spec. To end the rollback, correct the spec; a change of suspend or of the number "
    "of Pods does not end it.",
    "The rollout of the image in the spec made no progress within progressDeadlineSeconds, and spec.rollback.mode is "
    "LastReady. The spec stays as it is.",
    "Run myresource explain with the reason in the message, and correct the spec. To try the same image again, set "
    "spec.restartedAt. If the Available condition is False, the last image fails, too.",
    {"image": "nginx:1.28", "failure": "CrashLooping", "ready_image": "nginx:1.27"},
)
ROLLING_OUT = Reason(
    "RollingOut",
    Outlook.RECONCILING,
    "The Deployment is starting or replacing Pods.",
    "The Deployment has this spec, and not all of its Pods are updated and available yet.",
    "Wait. To watch the rollout: kubectl rollout status deployment NAME-deployment",
)
CONFIG_NOT_FOUND = Reason(
    "ConfigNotFound",
    Outlook.FOLLOWS_ROLLOUT,
    "Missing: {missing}. Create what is missing, or mark its use in the spec as optional. Running Pods are not "
    "affected.",
    "The spec uses a ConfigMap or Secret, or a key of one, that does not exist. Running Pods are not affected. New "
    "Pods can't start. The MyResource is Stalled after progressDeadlineSeconds.",
    "Create what the message names, or set optional: true where the spec uses it.",
    {"missing": "ConfigMap settings"},
)
PROGRESS_DEADLINE_EXCEEDED = Reason(
    "ProgressDeadlineExceeded",
    Outlook.STALLED,
    "New Pods did not become available within progressDeadlineSeconds. "
    "See: kubectl describe pods -l myresource={name} -n {namespace}",
    "The image can't be pulled, the application exits or never becomes ready, or no node fits the Pods.",
    "Check the Pods: kubectl describe pods -l myresource=NAME. Old Pods, if there are any, keep serving until new ones "
    "are available, unless spec.strategy.type is Recreate.",
)
REPLICA_FAILURE = Reason(
    "ReplicaFailure",
    Outlook.FOLLOWS_ROLLOUT,
    "Pods can't be created: {refusal}. See: kubectl describe replicasets -l myresource={name} -n {namespace}",
    "A quota, a LimitRange, Pod Security or another admission policy rejects the Pods, or their ServiceAccount or "
    "PriorityClass does not exist. If only the extra Pods of a rolling update exceed a quota, the rollout completes "
    "without your action, unless maxUnavailable allows no Pod: its default of 25% allows none below 4 replicas.",
    "Check the ReplicaSets: kubectl describe replicasets -l myresource=NAME. Raise the quota or change the spec.",
    {"refusal": "a quota of the namespace is exceeded: lower the requests, or raise the quota"},
)
PAUSED = Reason(
    "Paused",
    Outlook.STALLED,
    "The Deployment is paused. To resume it: kubectl rollout resume deployment {name}-deployment -n {namespace}",
    "The Deployment was paused with kubectl rollout pause before its rollout was complete.",
    "Resume the rollout: kubectl rollout resume deployment NAME-deployment",
)
REPLICAS_UNAVAILABLE = Reason(
    "ReplicasUnavailable",
    Outlook.FOLLOWS_ROLLOUT,
    "Some Pods became unavailable. See: kubectl describe pods -l myresource={name} -n {namespace}",
    "The rollout was complete. Since then, Pods have crashed, been evicted, or failed their readiness probe.",
    "Check the Pods: kubectl describe pods -l myresource=NAME",
)

# The reasons that Pods give. They replace RollingOut, ReplicasUnavailable, ReplicaFailure and
# ProgressDeadlineExceeded, and keep the outlook of these.

_DESCRIBE = "See: kubectl describe pods -l myresource={name} -n {namespace}"

IMAGE_PULL_FAILED = Reason(
    "ImagePullFailed",
    Outlook.FOLLOWS_ROLLOUT,
    "{who} {problem}: {remedy}.",
    "The image or its tag does not exist, its registry denies access or can't be reached, or imagePullPolicy is Never "
    "and the node does not have the image.",
    "Correct spec.image, or add a Secret for its registry to spec.imagePullSecrets. For the full error: "
    "kubectl describe pods -l myresource=NAME",
    {
        "problem": "can't pull its image",
        "remedy": "check spec.image, and set spec.imagePullSecrets if the registry is private",
    },
)
CONTAINER_CONFIG_ERROR = Reason(
    "ContainerConfigError",
    Outlook.FOLLOWS_ROLLOUT,
    f"{{who}} can't be created: {{why}}. {_DESCRIBE}",
    "A ConfigMap or Secret with environment variables does not exist or lacks a key; the image runs as root or as "
    "a user without a numeric ID, which securityProfile Restricted does not allow; or the node can't create the "
    "container.",
    "Create what the message names, or mark its use in the spec as optional; set spec.runAsUser to the ID "
    "of a user that is not root, or spec.securityProfile to Baseline. For the full error: "
    "kubectl describe pods -l myresource=NAME",
    {
        "why": "Secret db does not exist: create it, or mark its use in the spec as optional",
    },
)
RUN_CONTAINER_ERROR = Reason(
    "RunContainerError",
    Outlook.FOLLOWS_ROLLOUT,
    f"{{who}} can't be started: {{remedy}}. {_DESCRIBE}",
    "The command is not in the image or is not executable, or the image is for another CPU architecture. The "
    "application never ran, so it has no logs.",
    "Correct spec.command or the entrypoint of the image, or use an image for the CPU architecture of the nodes. For "
    "the full error: kubectl describe pods -l myresource=NAME",
    {"remedy": "check spec.command"},
)
OOM_KILLED = Reason(
    "OOMKilled",
    Outlook.FOLLOWS_ROLLOUT,
    "{who} was OOMKilled{where}: {remedy}.",
    "The application used more memory than its limit allows, or the node ran out of memory.",
    "Raise the field that the message names, or reduce the memory use of the application.",
    {"where": " at its 128Mi limit", "remedy": "raise spec.memory"},
)
CRASH_LOOPING = Reason(
    "CrashLooping",
    Outlook.FOLLOWS_ROLLOUT,
    "{who} keeps exiting with code {code}{hint}. See: kubectl {command} -l myresource={name} -n {namespace}{options}",
    "The application exits soon after it starts, or its liveness probe, startup probe or postStart hook fails and the "
    "kubelet restarts it. The container counts as recovered once it has run for ten minutes.",
    "Read its logs: kubectl logs -l myresource=NAME -c main --previous --ignore-errors. If they show no error, check "
    "the liveness and startup probes and the postStart hook: kubectl describe pods -l myresource=NAME",
    {
        "code": "127",
        "hint": " (its command was not found)",
        "command": "logs",
        "options": " -c main --previous --ignore-errors",
    },
)
EVICTED = Reason(
    "Evicted",
    Outlook.FOLLOWS_ROLLOUT,
    "A Pod was evicted because {why}: {remedy}.",
    "The kubelet evicted a Pod because the Pod exceeded a storage limit, or because its node ran out of memory, disk "
    "space, inodes or process IDs; or the node was shut down, or has a taint that the Pod does not tolerate; or the "
    "Pod was evicted through the API, such as by kubectl drain. If a replacement is evicted, too, the next one "
    "counts as available only after ten minutes without another eviction.",
    "Do what the message says. For the full error: kubectl describe pods -l myresource=NAME",
    {"why": "its node is low on memory", "remedy": "free up memory on the node, or add nodes"},
)
PREEMPTED = Reason(
    "Preempted",
    Outlook.FOLLOWS_ROLLOUT,
    "A Pod was preempted to make room for Pods of a higher priority: {remedy}.",
    "The scheduler or the kubelet removed the Pod because Pods of a higher priority needed its resources.",
    "Give the Pods a higher priority with spec.priorityClassName, or add nodes.",
    {"remedy": "set spec.priorityClassName, or add nodes"},
)
POD_REJECTED = Reason(
    "PodRejected",
    Outlook.FOLLOWS_ROLLOUT,
    f"A node rejected a Pod: {{why}}. {_DESCRIBE}",
    "When the Pod arrived, the node no longer had enough CPU, memory or devices, or had too many Pods (OutOfcpu, "
    "OutOfmemory, OutOfpods), or its labels or devices had changed.",
    "Add nodes, or lower the requests. For the full error: kubectl describe pods -l myresource=NAME",
    {"why": "the node does not have enough free resources"},
)
NODE_LOST = Reason(
    "NodeLost",
    Outlook.FOLLOWS_ROLLOUT,
    "A node that runs a Pod does not respond; the Pod is replaced after a few minutes. See: kubectl get nodes",
    "The kubelet of the node stopped, or the network between the node and the API server is broken. The Pod may still "
    "run there. Kubernetes replaces it after five minutes, or after the tolerationSeconds of spec.tolerations.",
    "Repair the node, or wait: kubectl get nodes",
)
UNSCHEDULABLE = Reason(
    "Unschedulable",
    Outlook.FOLLOWS_ROLLOUT,
    "No node fits: not enough free CPU or memory for {requests}{constraints}{claims}, or nodes have taints that the "
    f"Pods do not tolerate. {_DESCRIBE}",
    "All nodes are full or too small, or no node meets the constraints of the Pods.",
    "Lower the requests, relax the constraints, or add nodes. For the number of nodes that do not fit, and why: "
    "kubectl describe pods -l myresource=NAME",
    {"requests": "spec.memory", "constraints": ", no node matches spec.nodeSelector", "claims": ""},
)
PROBE_FAILING = Reason(
    "ProbeFailing",
    Outlook.FOLLOWS_ROLLOUT,
    "{who} is running, but its readiness probe is failing: {remedy}.",
    "The probe checks the wrong port or path, or the application takes longer to become ready than its startup and "
    "readiness probes allow. Each probe allows initialDelaySeconds, plus periodSeconds (or timeoutSeconds if longer) "
    "times failureThreshold (or successThreshold if larger).",
    "Correct spec.readinessProbe, or find out what the application waits for: kubectl logs -l myresource=NAME -c main",
    {"remedy": "check spec.readinessProbe, and how the application answers it"},
)

# The reasons of a MyResource that is Ready.

SLEEPING = Reason(
    "Sleeping",
    Outlook.READY,
    "The MyResource sleeps as scheduled{pods}.",
    "A window of spec.schedule.sleep has begun, or spec.schedule.overrideState is Asleep. The number of Pods is that "
    "of the window. Pods that are still stopping do not count.",
    "No action is needed: it wakes up at the time in status.schedule.nextTransition. To wake it up earlier: "
    """kubectl patch myresource NAME --type=merge -p """
    """'{"spec":{"schedule":{"overrideUntil":"2026-01-31T18:00:00Z","overrideState":"Awake"}}}'""",
    {"pods": ". Pods that are still stopping are not counted"},
)
SCALED_TO_ZERO = Reason(
    "ScaledToZero",
    Outlook.READY,
    "The MyResource is scaled to zero{pods}.",
    "spec.replicas is 0. Pods that are still stopping do not count.",
    "No action is needed. To start it again: kubectl scale myresource NAME --replicas=1",
    {"pods": ", and no Pods are running"},
)
AVAILABLE = Reason(
    "Available",
    Outlook.READY,
    "All Pods are updated and available.",
    "The Deployment is fully rolled out for the current generation of the MyResource. Old Pods that are still stopping "
    "do not count, as for kubectl rollout status.",
    "No action is needed.",
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
"""The first of them that holds for any Pod is reported: it most likely keeps the other Pods waiting, too. Causes that a
container has recovered from rank last."""

REASONS = {reason.name: reason for reason in tuple(vars().values()) if isinstance(reason, Reason)}
"""All of them by name, in the order of their definitions."""
