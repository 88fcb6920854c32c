"""Advice: what is wrong with a Pod or a container of it, and what to change.

For the containers of the MyResource, a remedy names fields of the spec, and only those that can be the cause in *this*
spec. Other containers are added to the Pods by a sidecar injector or an admission policy: the message names them, and
says that they are not part of the MyResource.
"""

import re
from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

from app.api.containers import Container
from app.api.names import CONTAINER
from app.api.probes import Probe
from app.api.spec import MyResourceSpec
from app.core import reasons
from app.core.desired.valid_spec import Reference, references
from app.core.reasons import Explanation
from metahook import ContainerStatus

_FOREIGN_REMEDY = "check the sidecar injector or policy that adds this container"

_HINTS = {
    0: "it completed",
    126: "its command can't be executed",
    127: "its command was not found",
    137: "killed by SIGKILL",
    139: "segmentation fault",
    143: "stopped by SIGTERM",
}
"""What exit codes mean. From 129 on a code is 128 and the number of a signal."""

_EXITS_BY_CHECK = {
    0: "it completed, or {} failed",
    137: "killed by SIGKILL, perhaps because {} failed",
    143: "stopped by SIGTERM, perhaps because {} failed",
}
"""What those codes mean if the spec has a probe or hook whose failure makes the kubelet stop the container."""

_NO_OBJECT = re.compile(r'(?P<kind>configmap|secret) "(?P<name>[^"]+)" not found')
_NO_KEY = re.compile(
    r"couldn't find key (?P<key>\S+) in (?P<kind>ConfigMap|Secret) (?P<namespace>[^/\s]+)/(?P<name>\S+)"
)
_AS_ROOT = re.compile("container has runAsNonRoot")
"""Messages of the kubelet. Source: Kubernetes, pkg/kubelet/kubelet_pods.go and kuberuntime/security_context.go."""

_PERIOD, _FAILURES = 10, 3
"""Seconds between two probes, and failures that count, by default. Source: Kubernetes, Probe."""


class OwnContainer(NamedTuple):
    """A container that a spec asks for, and the path of its fields there."""

    path: str
    fields: Container


def own_container(spec: MyResourceSpec, name: str) -> OwnContainer | None:
    """Return the container called *name* that *spec* asks for; None if it is another's."""
    if name == CONTAINER:
        return OwnContainer("spec", spec)
    init = next((container for container in spec.init_containers or [] if container.name == name), None)
    return OwnContainer(f"spec.initContainers[{name}]", init) if init else None


class Advice:
    """Advice for the Pods of one *spec*. Make one for a sync: it reads the spec only once."""

    def __init__(self, spec: MyResourceSpec) -> None:
        self._spec = spec

    @property
    def min_ready_seconds(self) -> int:
        """Seconds that a Pod is ready before it counts as available."""
        return self._spec.min_ready_seconds or 0

    def image(self, container: ContainerStatus) -> Explanation:
        """Explain that an image can't be pulled."""
        own = self._own(container)
        remedy = self._pull(own) if own else _FOREIGN_REMEDY
        return reasons.IMAGE_PULL_FAILED.explained(
            who=self._who(container), problem="can't pull its image", remedy=remedy
        )

    def absent_image(self, container: ContainerStatus) -> Explanation:
        """Explain that an image is not on the node, and that the pull policy keeps it from being pulled."""
        own = self._own(container)
        problem = "needs an image that is not on its node, and its imagePullPolicy is Never"
        remedy = _FOREIGN_REMEDY
        if own:
            remedy = f"load the image onto every node, or set {own.path}.imagePullPolicy to IfNotPresent"
        return reasons.IMAGE_PULL_FAILED.explained(who=self._who(container), problem=problem, remedy=remedy)

    def _pull(self, own: OwnContainer) -> str:
        if self._spec.image_pull_secrets:
            return f"check {own.path}.image, and the Secrets in spec.imagePullSecrets"
        return f"check {own.path}.image, and set spec.imagePullSecrets if the registry is private"

    def config(self, container: ContainerStatus, message: str) -> Explanation:
        """Explain that a container can't be created; *message* is the kubelet's."""
        why = self._why(message) if self.is_own(container) else None
        return reasons.CONTAINER_CONFIG_ERROR.explained(
            who=self._who(container), why=why or "the node refuses its configuration"
        )

    def start(self, container: ContainerStatus) -> Explanation:
        """Explain that the command of a container can't be started."""
        own = self._own(container)
        remedy = _FOREIGN_REMEDY
        if own:
            field = f"{own.path}.command"
            remedy = f"check {field}" if own.fields.command else f"its image has no working command: set {field}"
        return reasons.RUN_CONTAINER_ERROR.explained(who=self._who(container), remedy=remedy)

    def memory(self, container: ContainerStatus) -> Explanation:
        """Explain that a container took too much memory."""
        own = self._own(container)
        limits = (own and own.fields.resources and own.fields.resources.limits) or {}
        if own is None:
            where, remedy = "", _FOREIGN_REMEDY
        elif not own.fields.is_in_resources("memory"):
            where, remedy = f" at its {own.fields.memory} limit", f"raise {own.path}.memory"
        elif "memory" not in limits:
            where, remedy = " without a memory limit", f"set {own.path}.resources.limits.memory"
        else:
            where, remedy = f" at its {limits['memory']} limit", f"raise {own.path}.resources.limits.memory"
        return reasons.OOM_KILLED.explained(who=self._who(container), where=where, remedy=remedy)

    def crash(self, container: ContainerStatus, code: int) -> Explanation:
        """Explain that a container keeps exiting with this *code*.

        A failed probe or hook is in the events of the Pod, and not in the logs.
        """
        own = self._own(container)
        checks = _restarting_checks(own) if own and code in _EXITS_BY_CHECK else ""
        meaning = _EXITS_BY_CHECK[code].format(checks) if checks else _HINTS.get(code, _write_hint(own))
        return reasons.CRASH_LOOPING.explained(
            who=self._who(container),
            code=str(code),
            hint=f" ({meaning})" if meaning else "",
            command="describe pods" if checks else "logs",
            options="" if checks else f" -c {container.name} --previous --ignore-errors",
        )

    def probe(self, container: ContainerStatus) -> Explanation:
        """Explain that a container runs and is not ready."""
        own = self._own(container)
        what = "the application" if container.name == CONTAINER else "the container"
        remedy = f"check {own.path}.readinessProbe, and how {what} answers it" if own else _FOREIGN_REMEDY
        return reasons.PROBE_FAILING.explained(who=self._who(container), remedy=remedy)

    def scheduling(self) -> Explanation:
        """Explain that a Pod fits no node."""
        spec = self._spec
        requests = {
            "spec.cpu": spec.cpu,
            "spec.memory": not spec.is_in_resources("memory"),
            "spec.resources": spec.resources,
            "spec.initContainers": spec.init_containers,
        }
        constraints = {
            "spec.nodeSelector": spec.node_selector,
            "spec.affinity": spec.affinity,
            "spec.topologySpreadConstraints": spec.topology_spread_constraints,
        }
        unmatched = [field for field, value in constraints.items() if value]
        claims = any(volume.persistent_volume_claim for volume in spec.volumes or [])
        return reasons.UNSCHEDULABLE.explained(
            requests=_listed([field for field, value in requests.items() if value]),
            constraints=f", no node matches {_listed(unmatched)}" if unmatched else "",
            claims=", no node can mount the claims in spec.volumes" if claims else "",
        )

    def probe_takes(self, container: ContainerStatus) -> int | None:
        """Return how many seconds after its start a container is ready at the latest; None if no probe says so.

        The probes of other containers are not known, so the defaults of Kubernetes apply.
        """
        own = self._own(container)
        if own is None:
            return _PERIOD * _FAILURES
        readiness = own.fields.readiness_probe
        if readiness is None:
            return None
        return _takes(own.fields.startup_probe) + _takes(readiness, readiness.success_threshold or 1)

    def is_own(self, container: ContainerStatus) -> bool:
        """Tell whether a container is one that the MyResource asks for."""
        return self._own(container) is not None

    def _own(self, container: ContainerStatus) -> OwnContainer | None:
        return own_container(self._spec, container.name)

    def _who(self, container: ContainerStatus) -> str:
        foreign = "" if self.is_own(container) else ", which is not part of this MyResource,"
        return f"Container {container.name}{foreign}"

    def _why(self, message: str) -> str | None:
        """Return the cause that the kubelet's *message* names; None if it is not about the spec."""
        if _AS_ROOT.search(message) and self._spec.security_profile == "Restricted":
            return (
                "its image runs as root or as a user without a numeric ID: set spec.runAsUser to the ID of another "
                "user, or spec.securityProfile to Baseline"
            )
        missing = self._missing(message)
        return f"{missing} does not exist: create it, or mark its use in the spec as optional" if missing else None

    def _missing(self, message: str) -> Reference | None:
        """Return the object of the spec, or the key of one, that the kubelet's *message* reports as missing."""
        match = _NO_KEY.search(message) or _NO_OBJECT.search(message)
        if match is None:
            return None
        parts = {"key": None, **match.groupdict()}
        return self._required.get((str(parts["kind"]).lower(), str(parts["name"]), parts["key"]))

    @cached_property
    def _required(self) -> dict[tuple[str, str, str | None], Reference]:
        """All that the spec can't do without: each object, and each key of one."""
        needed = [use for use in references(self._spec) if not use.optional]
        uses = [*(use.of_object() for use in needed), *(use for use in needed if use.key is not None)]
        return {(use.kind.KIND.kind.lower(), use.name, use.key): use for use in uses}


def _restarting_checks(own: OwnContainer) -> str:
    """Return the fields of the probes and of the hook whose failure restarts the container, if there are any."""
    checks = {
        "livenessProbe": own.fields.liveness_probe,
        "startupProbe": own.fields.startup_probe,
        "lifecycle.postStart": own.fields.hooks()["postStart"],
    }
    return " or ".join(f"{own.path}.{name}" for name, check in checks.items() if check)


def _write_hint(own: OwnContainer | None) -> str:
    if own is None or not own.fields.read_only_root_filesystem:
        return ""
    return f"{own.path}.readOnlyRootFilesystem is true: mount an emptyDir where it writes files"


def _takes(probe: Probe | None, successes: int = 1) -> int:
    """Return how many seconds a probe takes to fail, or to succeed so many times, whichever is longer."""
    if probe is None:
        return 0
    one_probe = max(probe.period_seconds or _PERIOD, probe.timeout_seconds or 1)
    return (probe.initial_delay_seconds or 0) + one_probe * max(probe.failure_threshold or _FAILURES, successes)


def _listed(fields: list[str]) -> str:
    *first, last = fields
    return f"{', '.join(first)} and {last}" if first else last


# Why the API server refuses Pods: the condition ReplicaFailure of the Deployment has its error. Its numbers and names
# change from one try to the next, so a message has none of them: only the kind of error, and what to change.

UNKNOWN = "a quota, a LimitRange or an admission policy rejects them"


def explain_replica_failure(message: str | None, spec: MyResourceSpec | None) -> str:
    """Return why Pods of *spec* are refused, and the remedy; *message* is the API server's."""
    if not message or spec is None:
        return UNKNOWN
    return next((words(spec) for pattern, words in _ERRORS if pattern.search(message)), UNKNOWN)


def _account(spec: MyResourceSpec) -> str:
    if spec.service_account_name is None:
        return "ServiceAccount default does not exist in the namespace: wait until Kubernetes creates it"
    return f"ServiceAccount {spec.service_account_name} does not exist: create it, or change spec.serviceAccountName"


def _priority(spec: MyResourceSpec) -> str:
    if spec.priority_class_name is None:
        return UNKNOWN
    return f"PriorityClass {spec.priority_class_name} does not exist: create it, or change spec.priorityClassName"


def _pod_security(spec: MyResourceSpec) -> str:
    remedy = "" if spec.security_profile == "Restricted" else ": set spec.securityProfile to Restricted"
    return f"the Pod Security level of the namespace does not allow this spec{remedy}"


def _also_init_containers(spec: MyResourceSpec) -> str:
    return ", also in spec.initContainers" if spec.init_containers else ""


_ERRORS: list[tuple[re.Pattern[str], Callable[[MyResourceSpec], str]]] = [
    (re.compile(r"service ?account (?P<name>\S+) not found|looking up service account"), _account),
    (re.compile(r"no PriorityClass with name"), _priority),
    (re.compile(r"violates PodSecurity"), _pod_security),
    (
        re.compile(r"must specify (limits|requests)[.]"),
        lambda spec: (
            "a quota of the namespace requires CPU and memory requests or limits: set them in spec.resources"
            f"{_also_init_containers(spec)}"
        ),
    ),
    (
        re.compile(r"exceeded quota"),
        lambda _: "a quota of the namespace is exceeded: lower the requests, or raise the quota",
    ),
    (
        re.compile(r"usage per (Container|Pod)|limit to request ratio"),
        lambda spec: (
            "a LimitRange of the namespace does not allow these requests and limits: change spec.memory, spec.cpu or "
            f"spec.resources{_also_init_containers(spec)}"
        ),
    ),
    (
        re.compile(r"denied the request|ValidatingAdmissionPolicy|denied request"),
        lambda _: "an admission policy or webhook of the cluster rejects them",
    ),
]
"""The first pattern that is found decides. Source: Kubernetes, plugin/pkg/admission: serviceaccount, priority,
podsecurity, resourcequota, limitranger; staging apiserver, admission/plugin: policy/validating, webhook."""

READ_MESSAGES = (_NO_KEY, _NO_OBJECT, _AS_ROOT, *(pattern for pattern, _ in _ERRORS))
"""What is read of messages: recordings keep this, and nothing else of them."""
