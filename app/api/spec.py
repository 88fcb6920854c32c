"""MyResourceSpec: what a user asks for. Read this first; every other module of the package is a part of it.

Field names are Kubernetes' own, and so are their meanings. Where each goes: deployment.py and pod_template.py in
app/core/desired.
"""

from typing import Annotated, Literal

from pydantic import Field

from app.api.affinity import Affinity
from app.api.container import Env, EnvFrom, Ports, VolumeMounts
from app.api.dependencies import ConfigReload, Dependencies
from app.api.labels import Labels
from app.api.model import Model, Omitted, Rule
from app.api.pod import PodMetadata, PullSecrets
from app.api.probe import Probe, ReadinessProbe, RestartProbe
from app.api.quantity import MemoryLimit, Quantity
from app.api.resources import Resources
from app.api.rollout import DEFAULT_DEADLINE, Deadline, Strategy
from app.api.scalar import TEXT, Image, ObjectName, Timestamp
from app.api.scheduling import Spreads, Tolerations
from app.api.service import Service
from app.api.volume import Volumes

Argument = Annotated[str, Field(pattern=TEXT, max_length=8192)]


def _port_rule(probe: str) -> Rule:
    """Return the rule that the port which *probe* names is there."""

    def holds(spec: "MyResourceSpec") -> bool:
        asked = spec.probes()[probe]
        return asked is None or asked.named_port in {None, *(port.name for port in spec.ports or [])}

    def there(handler: str) -> str:
        port = f"self.{probe}.{handler}.port"
        return (
            f"(!has(self.{probe}.{handler}) || type({port}) == int "
            f"|| has(self.ports) && self.ports.exists(p, has(p.name) && p.name == {port}))"
        )

    return Rule(
        f"{probe} names a port that spec.ports does not have",
        holds,
        cel=f"!has(self.{probe}) || {there('httpGet')} && {there('tcpSocket')}",
    )


def _mounts_exist(spec: "MyResourceSpec") -> bool:
    volumes = {volume.name for volume in spec.volumes or []}
    return all(mount.name in volumes for mount in spec.volume_mounts or [])


def _cpu_once(spec: "MyResourceSpec") -> bool:
    resources = spec.resources or Resources()
    return spec.cpu is None or "cpu" not in {**(resources.requests or {}), **(resources.limits or {})}


class MyResourceSpec(Model):
    """What the application is, and how it shall run. Only image is required."""

    image: Image
    """Image of the application, such as nginx:1.27."""
    memory: MemoryLimit = "128Mi"
    """Memory of each Pod, as request and limit; not used when resources names memory. Quantity, default 128Mi."""
    cpu: Quantity | None = None
    """CPU that is set aside for each Pod (request, no limit). Quantity, such as 500m."""
    resources: Annotated[Resources, Omitted] | None = None
    """Requests and limits in full; what it names, memory and cpu do not set."""
    replicas: Annotated[int, Field(ge=0, le=1000)] = 1
    """How many Pods, default 1."""

    command: (
        Annotated[
            list[Argument],
            Field(max_length=256),
            Rule(
                "must begin with a program",
                lambda command: not command or command[0] != "",
                cel="self.size() == 0 || self[0] != ''",
            ),
            Omitted,
        ]
        | None
    ) = None
    """Program to run instead of the image's entrypoint."""
    args: Annotated[list[Argument], Field(max_length=256), Omitted] | None = None
    """Arguments instead of the image's own."""
    env: Env | None = None
    """Environment variables."""
    env_from: Annotated[list[EnvFrom], Field(max_length=32), Omitted] | None = None
    """ConfigMaps and Secrets whose keys become environment variables."""
    ports: Ports | None = None
    """Ports that the container listens on. With ports there is a Service of the MyResource's name."""
    liveness_probe: RestartProbe | None = None
    """Tells whether the container must be restarted."""
    readiness_probe: ReadinessProbe | None = None
    """Tells whether the container can take traffic."""
    startup_probe: RestartProbe | None = None
    """Tells whether the container has started; the other probes wait for it."""
    image_pull_policy: Literal["Always", "IfNotPresent", "Never"] | None = None
    """When the image is pulled; when absent, Always for the tag latest (or none), otherwise IfNotPresent."""
    image_pull_secrets: PullSecrets | None = None
    """Secrets for the image's registry."""
    volumes: Volumes | None = None
    """Volumes that volumeMounts can name."""
    volume_mounts: VolumeMounts | None = None
    """Where the volumes are in the container."""

    service: Service = Field(default=Service(), json_schema_extra={"default": {}})
    """The Service in front of the Pods."""

    config_reload: ConfigReload = Field(default=ConfigReload(), json_schema_extra={"default": {}})
    """Whether changed configuration replaces the Pods."""
    dependencies: Dependencies | None = None
    """Objects in the same namespace that the first start waits for."""

    node_selector: Labels | None = None
    """Labels that a node must have."""
    tolerations: Tolerations | None = None
    """Taints that do not keep the Pods away."""
    affinity: Annotated[Affinity, Omitted] | None = None
    """Nodes and other Pods to be near to, or far from."""
    topology_spread_constraints: Spreads | None = None
    """How evenly the Pods are spread over zones or nodes."""
    priority_class_name: (
        Annotated[
            ObjectName,
            Rule(
                "must not begin with system-",
                lambda name: not name.startswith("system-"),
                cel="!self.startsWith('system-')",
            ),
        ]
        | None
    ) = None
    """PriorityClass of the Pods."""
    service_account_name: ObjectName | None = None
    """ServiceAccount of the Pods; its token is not mounted."""

    strategy: Strategy | None = None
    """How a new version replaces the old one."""
    min_ready_seconds: Annotated[int, Field(ge=0, le=3600), Omitted] | None = None
    """Seconds that a Pod must be ready before it counts as available; default 0."""
    progress_deadline_seconds: Deadline | None = None
    """Seconds without progress until a rollout counts as failed; Kubernetes takes 600 when it is absent."""
    revision_history_limit: Annotated[int, Field(ge=0, le=100)] | None = None
    """How many old ReplicaSets are kept; Kubernetes takes 10 when it is absent."""
    termination_grace_period_seconds: Annotated[int, Field(ge=0, le=3600)] | None = None
    """Seconds that a Pod gets to stop; Kubernetes takes 30 when it is absent."""
    pod_metadata: PodMetadata | None = None
    """Labels and annotations for the Pods."""
    restarted_at: Timestamp | None = None
    """A date and time; a new value replaces all Pods."""

    security_profile: Literal["Baseline", "Restricted"] = "Baseline"
    """Baseline (the default) or Restricted, which needs an image that does not run as root."""

    rules = (
        Rule(
            "cpu and an entry cpu in resources exclude each other",
            _cpu_once,
            cel="!has(self.cpu) || !has(self.resources) "
            "|| !(has(self.resources.requests) && 'cpu' in self.resources.requests) "
            "&& !(has(self.resources.limits) && 'cpu' in self.resources.limits)",
        ),
        Rule(
            "volumeMounts names a volume that spec.volumes does not have",
            _mounts_exist,
            cel="!has(self.volumeMounts) "
            "|| self.volumeMounts.all(m, has(self.volumes) && self.volumes.exists(v, v.name == m.name))",
        ),
        _port_rule("livenessProbe"),
        _port_rule("readinessProbe"),
        _port_rule("startupProbe"),
        Rule(
            f"minReadySeconds must be less than progressDeadlineSeconds, which is {DEFAULT_DEADLINE} when it is absent",
            lambda spec: (spec.min_ready_seconds or 0) < (spec.progress_deadline_seconds or DEFAULT_DEADLINE),
            cel="!has(self.minReadySeconds) || self.minReadySeconds "
            f"< (has(self.progressDeadlineSeconds) ? self.progressDeadlineSeconds : {DEFAULT_DEADLINE})",
        ),
    )

    def probes(self) -> dict[str, Probe | None]:
        """Return the three probes by their names on the wire."""
        return {
            "livenessProbe": self.liveness_probe,
            "readinessProbe": self.readiness_probe,
            "startupProbe": self.startup_probe,
        }
