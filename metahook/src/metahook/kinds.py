"""Kinds: the objects that most hooks have as children or related objects, as observed.

A struct has the fields that a hook reads, and no others; msgspec skips the rest. For a kind of your own, write a
subclass of :class:`metahook.Object` in your own project.

A request may hold a thousand Pods, so only the fields of one are read that show why it is not ready. Its spec is not
decoded: Pods of one ReplicaSet come from one template, and one spec is enough for all.

Source of the defaults: Kubernetes, defaults.go in pkg/apis/apps/v1, pkg/apis/core/v1 and pkg/apis/autoscaling/v2.
"""

from typing import Any, ClassVar

import msgspec

from metahook.protocol.bodies import try_read
from metahook.protocol.objects import Conditions, Defaults, Int64, Kind, Object, Observed

_PROBE = {"failureThreshold": 3, "periodSeconds": 10, "successThreshold": 1, "timeoutSeconds": 1}
_PERCENT = {"periodSeconds": 15, "type": "Percent", "value": 100}
_SCALE_UP = {
    "policies": [{"periodSeconds": 15, "type": "Pods", "value": 4}, _PERCENT],
    "selectPolicy": "Max",
    "stabilizationWindowSeconds": 0,
}
_SCALE_DOWN = {"policies": [_PERCENT], "selectPolicy": "Max"}
_CONTAINER = {
    "resources": {},
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
}
_VALUES: dict[str, dict[str, Any]] = {
    "spec": {
        "dnsPolicy": "ClusterFirst",
        "externalTrafficPolicy": "Cluster",
        "internalTrafficPolicy": "Cluster",
        "minReplicas": 1,
        "progressDeadlineSeconds": 600,
        "replicas": 1,
        "restartPolicy": "Always",
        "revisionHistoryLimit": 10,
        "schedulerName": "default-scheduler",
        "securityContext": {},
        "sessionAffinity": "None",
        "strategy": {"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}, "type": "RollingUpdate"},
        "terminationGracePeriodSeconds": 30,
        "type": "ClusterIP",
    },
    "containers": _CONTAINER,
    "initContainers": _CONTAINER,
    "livenessProbe": _PROBE,
    "readinessProbe": _PROBE,
    "startupProbe": _PROBE,
    "httpGet": {"path": "/", "scheme": "HTTP"},
    "grpc": {"service": ""},
    "configMap": {"defaultMode": 0o644},
    "secret": {"defaultMode": 0o644},
    "projected": {"defaultMode": 0o644},
    "fieldRef": {"apiVersion": "v1"},
    "resourceFieldRef": {"divisor": "0"},
    "ports": {"protocol": "TCP"},
    "behavior": {"scaleDown": _SCALE_DOWN, "scaleUp": _SCALE_UP},
    "scaleDown": _SCALE_DOWN,
    "scaleUp": _SCALE_UP,
}
"""Defaults by name, and by the name of the field that they are in."""

_ASSIGNED = {
    "allocateLoadBalancerNodePorts",
    "clusterIP",
    "clusterIPs",
    "healthCheckNodePort",
    "imagePullPolicy",
    "ipFamilies",
    "ipFamilyPolicy",
    "nodePort",
    "targetPort",
}
"""Fields whose value the API server chooses, from its own state or from another field."""

DEFAULTS = Defaults(_VALUES, _ASSIGNED)


class ConfigMap(Object, frozen=True):
    """An observed ConfigMap."""

    KIND: ClassVar[Kind] = Kind("v1", "ConfigMap", "configmaps")

    data: dict[str, str] | None = None
    binary_data: dict[str, str] | None = None


class Secret(Object, frozen=True):
    """An observed Secret. Its values are in Base64, and are not decoded."""

    KIND: ClassVar[Kind] = Kind("v1", "Secret", "secrets")
    DEFAULTS: ClassVar[Defaults] = Defaults({"": {"type": "Opaque"}})

    data: dict[str, str] | None = None


class NamespaceStatus(Conditions, frozen=True, kw_only=True):
    """The status of a Namespace."""

    phase: str | None = None
    """Active, or Terminating."""


class Namespace(Object, frozen=True):
    """A Namespace."""

    KIND: ClassVar[Kind] = Kind("v1", "Namespace", "namespaces", namespaced=False)

    status: NamespaceStatus | None = None


class Waiting(Observed, frozen=True):
    """A container is waiting to start; ``message`` is the kubelet's."""

    reason: str | None = None
    message: str | None = None


class Running(Observed, frozen=True):
    """A container is running."""

    started_at: str | None = None


class Terminated(Observed, frozen=True):
    """A container has terminated. One that could not be started has 1970 as its start."""

    exit_code: int
    reason: str | None = None
    started_at: str | None = None
    finished_at: str | None = None


class ContainerState(Observed, frozen=True):
    """One of the three is set; none means that the state is unknown."""

    waiting: Waiting | None = None
    running: Running | None = None
    terminated: Terminated | None = None


NOTHING_KNOWN = ContainerState()

_NULL = msgspec.Raw(b"null")


class ContainerStatus(Observed, frozen=True):
    """What the kubelet reports of a container; ``started`` tells whether its startup probe, if any, succeeded."""

    name: str
    ready: bool | None = None
    started: bool | None = None
    restart_count: int | None = None
    state: ContainerState | None = None
    last_state: ContainerState | None = None

    @property
    def now(self) -> ContainerState:
        """The current state."""
        return self.state or NOTHING_KNOWN

    @property
    def before(self) -> ContainerState:
        """The state before the last restart."""
        return self.last_state or NOTHING_KNOWN


class PodStatus(Conditions, frozen=True):
    """What scheduler and kubelet report of a Pod; ``reason`` and ``message`` tell why the Pod as a whole failed."""

    phase: str | None = None
    reason: str | None = None
    message: str | None = None
    init_container_statuses: list[ContainerStatus] | None = None
    container_statuses: list[ContainerStatus] | None = None


class Pod(Object, frozen=True):
    """An observed Pod."""

    KIND: ClassVar[Kind] = Kind("v1", "Pod", "pods")

    spec: msgspec.Raw = _NULL
    status: PodStatus | None = None

    def decoded_spec(self) -> dict[str, Any]:
        """Return the spec, decoded; an empty one if it can't be read."""
        return try_read(self.spec, dict[str, Any]) or {}


class DeploymentStatus(Conditions, frozen=True):
    """What the Deployment controller reports; an absent number counts as 0, except ``terminating_replicas``."""

    observed_generation: Int64 | None = None
    replicas: Int64 | None = None
    updated_replicas: Int64 | None = None
    ready_replicas: Int64 | None = None
    available_replicas: Int64 | None = None
    terminating_replicas: Int64 | None = None
    """Pods that are stopping, which the other numbers do not count; reported by Kubernetes 1.35 or later."""


class Deployment(Object, frozen=True):
    """An observed Deployment. ``spec`` is decoded as it is."""

    KIND: ClassVar[Kind] = Kind("apps/v1", "Deployment", "deployments")
    DEFAULTS: ClassVar[Defaults] = DEFAULTS

    spec: dict[str, Any] | None = None
    status: DeploymentStatus | None = None


def rolled_out(deployment: Deployment | None) -> bool:
    """Tell whether all Pods of *deployment* run what its spec says, and are available; False if there is none.

    Source: kubectl, ``rollout status``. A paused Deployment is not rolled out before it goes on.
    """
    if deployment is None or deployment.status is None:
        return False
    status, spec = deployment.status, deployment.spec or {}
    desired, updated = spec.get("replicas", 1), status.updated_replicas or 0
    if (status.observed_generation or 0) < (deployment.metadata.generation or 0):
        return False
    return updated >= desired and (status.replicas or 0) <= updated <= (status.available_replicas or 0)


class Service(Object, frozen=True):
    """An observed Service. ``spec`` is decoded as it is."""

    KIND: ClassVar[Kind] = Kind("v1", "Service", "services")
    DEFAULTS: ClassVar[Defaults] = DEFAULTS

    spec: dict[str, Any] | None = None


class LoadBalancer(Observed, frozen=True):
    """Where an ingress controller serves an Ingress."""

    ingress: list[dict[str, Any]] | None = None
    """The addresses, each with an ``ip`` or a ``hostname``."""


class IngressStatus(Observed, frozen=True):
    """What an ingress controller reports."""

    load_balancer: LoadBalancer | None = None


class Ingress(Object, frozen=True):
    """An observed Ingress. ``spec`` is decoded as it is."""

    KIND: ClassVar[Kind] = Kind("networking.k8s.io/v1", "Ingress", "ingresses")

    spec: dict[str, Any] | None = None
    status: IngressStatus | None = None

    @property
    def is_served(self) -> bool:
        """Whether an ingress controller has given it an address."""
        balancer = self.status and self.status.load_balancer
        return bool(balancer and balancer.ingress)


class ParentReference(Observed, frozen=True):
    """A Gateway, and maybe one of its listeners."""

    name: str
    namespace: str | None = None
    section_name: str | None = None


class RouteParentStatus(Conditions, frozen=True, kw_only=True):
    """What the controller of a Gateway reports about an HTTPRoute."""

    parent_ref: ParentReference


class HTTPRouteStatus(Observed, frozen=True):
    """What the controllers of all its Gateways report."""

    parents: list[RouteParentStatus] | None = None


class HTTPRoute(Object, frozen=True):
    """An observed HTTPRoute. ``spec`` is decoded as it is."""

    KIND: ClassVar[Kind] = Kind("gateway.networking.k8s.io/v1", "HTTPRoute", "httproutes")

    spec: dict[str, Any] | None = None
    status: HTTPRouteStatus | None = None


class PodDisruptionBudget(Object, frozen=True):
    """An observed PodDisruptionBudget. ``spec`` is decoded as it is."""

    KIND: ClassVar[Kind] = Kind("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets")

    spec: dict[str, Any] | None = None


class HorizontalPodAutoscalerStatus(Conditions, frozen=True):
    """What the controller of HorizontalPodAutoscalers reports."""

    desired_replicas: int | None = None
    """The number of Pods that it chose last."""
    last_scale_time: str | None = None
    """When it last changed the number."""


class HorizontalPodAutoscaler(Object, frozen=True):
    """An observed HorizontalPodAutoscaler. ``spec`` is decoded as it is."""

    KIND: ClassVar[Kind] = Kind("autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers")
    DEFAULTS: ClassVar[Defaults] = DEFAULTS

    spec: dict[str, Any] | None = None
    status: HorizontalPodAutoscalerStatus | None = None
