"""The reasons: one word for each state of a MyResource, with its message, its causes and the way out.

The only table of them, with that of :mod:`app.core.pod_reasons`. ``myresource explain`` prints it;
:mod:`app.core.readiness` says when each holds. A message is fixed: no counts, no names of nodes or Pods, nothing that
moves by itself.
"""

from app.core.pod_reasons import POD_REASONS
from app.core.reason import Outlook, Reason

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
DEPENDENCY_NOT_FOUND = Reason(
    "DependencyNotFound",
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
        DEPENDENCY_NOT_FOUND,
        PROGRESS_DEADLINE_EXCEEDED,
        REPLICA_FAILURE,
        PAUSED,
        REPLICAS_UNAVAILABLE,
        *POD_REASONS,
        SCALED_TO_ZERO,
        AVAILABLE,
    )
}
