"""MyResourceSpec: what a user writes. Read this first; the other modules of the package define its parts.

The names and the meanings of fields are those of Kubernetes. deployment.py and pod_template.py in app/core/desired
show where each field goes.
"""

from typing import Annotated, Literal

from pydantic import Field

from app.api.affinity import Affinity
from app.api.autoscaling import Autoscaling
from app.api.container import Env, EnvFrom, Ports, VolumeMounts
from app.api.dependencies import ConfigReload, Dependencies
from app.api.labels import Labels
from app.api.lifecycle import DEFAULT_GRACE_PERIOD, Hook, Lifecycle
from app.api.model import Model, Omitted, Rule
from app.api.name_resolution import DnsConfig, HostAliases
from app.api.pod import Id, PodMetadata, PullSecrets
from app.api.probe import Probe, ReadinessProbe, RestartProbe
from app.api.quantity import MemoryLimit, Quantity
from app.api.resources import Resources
from app.api.rollout import DEFAULT_DEADLINE, Deadline, Strategy
from app.api.scalar import TEXT, Image, ObjectName, Timestamp
from app.api.scheduling import Spreads, Tolerations
from app.api.service import ServiceSettings
from app.api.volume import Volumes

Argument = Annotated[str, Field(pattern=TEXT, max_length=8192)]


def _port_rule(probe: str) -> Rule:
    """Return the rule that spec.ports has the port which *probe* names."""
    return Rule(
        f"the port name in {probe} must be the name of a port in spec.ports",
        lambda spec: _has_port(spec, spec.probes()[probe]),
        cel=f"!has(self.{probe}) || {_has_port_cel(f'{probe}.httpGet')} && {_has_port_cel(f'{probe}.tcpSocket')}",
    )


def _has_port(spec: "MyResourceSpec", asked: Probe | Hook | None) -> bool:
    return asked is None or asked.named_port in {None, *(port.name for port in spec.ports or [])}


def _has_port_cel(handler: str) -> str:
    port = f"self.{handler}.port"
    return (
        f"(!has(self.{handler}) || type({port}) == int "
        f"|| has(self.ports) && self.ports.exists(p, has(p.name) && p.name == {port}))"
    )


def _hook_rules(hook: str) -> tuple[Rule, Rule]:
    """Return the rules for a lifecycle *hook* beside other fields: its port is there, and the Pod outlives its sleep.

    The API server refuses a Deployment whose Pods would stop during a sleep, also during that of postStart.
    """
    path = f"lifecycle.{hook}"
    grace = f"(has(self.terminationGracePeriodSeconds) ? self.terminationGracePeriodSeconds : {DEFAULT_GRACE_PERIOD})"

    def sleeps_in_time(spec: "MyResourceSpec") -> bool:
        sleep = (found := spec.hooks()[hook]) and found.sleep
        given = spec.termination_grace_period_seconds
        return not sleep or sleep.seconds < (DEFAULT_GRACE_PERIOD if given is None else given)

    return (
        Rule(
            f"the port name in {path} must be the name of a port in spec.ports",
            lambda spec: _has_port(spec, spec.hooks()[hook]),
            cel=f"!has(self.lifecycle) || !has(self.{path}) || {_has_port_cel(f'{path}.httpGet')}",
        ),
        Rule(
            f"{path}.sleep.seconds must be less than terminationGracePeriodSeconds (default {DEFAULT_GRACE_PERIOD})",
            sleeps_in_time,
            cel=f"!has(self.lifecycle) || !has(self.{path}) || !has(self.{path}.sleep) "
            f"|| self.{path}.sleep.seconds < {grace}",
        ),
    )


def _mounts_exist(spec: "MyResourceSpec") -> bool:
    volumes = {volume.name for volume in spec.volumes or []}
    return all(mount.name in volumes for mount in spec.volume_mounts or [])


def _cpu_once(spec: "MyResourceSpec") -> bool:
    resources = spec.resources or Resources()
    return spec.cpu is None or "cpu" not in {**(resources.requests or {}), **(resources.limits or {})}


def _requests_cpu(spec: "MyResourceSpec") -> bool:
    resources = spec.resources or Resources()
    return spec.cpu is not None or "cpu" in {**(resources.requests or {}), **(resources.limits or {})}


class MyResourceSpec(Model):
    """The application, and how it runs. Only image is required."""

    image: Image
    """Container image of the application, such as nginx:1.27."""
    memory: MemoryLimit = "128Mi"
    """Memory request and limit of each Pod; ignored if resources sets memory. Quantity; default 128Mi."""
    cpu: Quantity | None = None
    """CPU request of each Pod; there is no CPU limit. Quantity, such as 500m."""
    resources: Annotated[Resources, Omitted] | None = None
    """Requests and limits by resource. If it sets memory, the field memory is ignored."""
    replicas: Annotated[int, Field(ge=0, le=1000)] = 1
    """Number of Pods; default 1."""
    autoscaling: Autoscaling | None = None
    """Lets a HorizontalPodAutoscaler choose the number of Pods, in place of replicas."""

    command: (
        Annotated[
            list[Argument],
            Field(max_length=256),
            Rule(
                "the first item must not be empty",
                lambda command: not command or command[0] != "",
                cel="self.size() == 0 || self[0] != ''",
            ),
            Omitted,
        ]
        | None
    ) = None
    """Program and arguments to run instead of the image's entrypoint."""
    args: Annotated[list[Argument], Field(max_length=256), Omitted] | None = None
    """Arguments to use instead of the image's."""
    env: Env | None = None
    """Environment variables of the container."""
    env_from: Annotated[list[EnvFrom], Field(max_length=32), Omitted] | None = None
    """ConfigMaps and Secrets whose keys become environment variables."""
    ports: Ports | None = None
    """Ports that the container listens on. If there are any, a Service with the name of the MyResource is created."""
    liveness_probe: RestartProbe | None = None
    """Checks whether the container is alive; if it fails, the container is restarted."""
    readiness_probe: ReadinessProbe | None = None
    """Checks whether the container is ready for traffic."""
    startup_probe: RestartProbe | None = None
    """Checks whether the container has started; the other probes start after it succeeds."""
    lifecycle: Annotated[Lifecycle, Omitted] | None = None
    """What is done right after the container has started (postStart), and before it gets SIGTERM (preStop)."""
    image_pull_policy: Literal["Always", "IfNotPresent", "Never"] | None = None
    """When to pull. Default: Always if the tag is latest, or if there is neither tag nor digest; else IfNotPresent."""
    image_pull_secrets: PullSecrets | None = None
    """Secrets with credentials for the registry of the image."""
    volumes: Volumes | None = None
    """Volumes that volumeMounts can mount."""
    volume_mounts: VolumeMounts | None = None
    """Where volumes are mounted."""

    service: ServiceSettings = Field(default=ServiceSettings(), json_schema_extra={"default": {}})
    """The Service that is created if ports is not empty."""

    config_reload: ConfigReload = Field(default=ConfigReload(), json_schema_extra={"default": {}})
    """Whether the Pods are replaced when a used ConfigMap changes, or a Secret if the operator watches Secrets."""
    dependencies: Dependencies | None = None
    """Objects in the same namespace that must be ready before the application starts for the first time."""

    node_selector: Labels | None = None
    """Labels that a node must have to run the Pods."""
    tolerations: Tolerations | None = None
    """Taints that the Pods tolerate."""
    affinity: Annotated[Affinity, Omitted] | None = None
    """Nodes and other Pods that the Pods prefer, require or avoid."""
    topology_spread_constraints: Spreads | None = None
    """How evenly the Pods are spread over zones, nodes or other topology domains."""
    priority_class_name: (
        Annotated[
            ObjectName,
            Rule(
                "must not start with system-",
                lambda name: not name.startswith("system-"),
                cel="!self.startsWith('system-')",
            ),
        ]
        | None
    ) = None
    """Name of the PriorityClass of the Pods."""
    service_account_name: ObjectName | None = None
    """Name of the ServiceAccount of the Pods; its token is not mounted."""

    strategy: Strategy | None = None
    """How Pods are replaced when the Pod template changes."""
    min_ready_seconds: Annotated[int, Field(ge=0, le=3600), Omitted] | None = None
    """Seconds that a Pod must be ready before it counts as available; default 0."""
    progress_deadline_seconds: Deadline | None = None
    """Seconds without progress after which a rollout counts as failed; default 600."""
    revision_history_limit: Annotated[int, Field(ge=0, le=100)] | None = None
    """Number of old ReplicaSets to keep for a rollback; default 10."""
    termination_grace_period_seconds: Annotated[int, Field(ge=0, le=3600)] | None = None
    """Seconds that a Pod gets to stop; default 30."""
    pod_disruption_budget: Literal["Auto", "Disabled"] | None = None
    """Auto: with more than one replica, drains of nodes evict one Pod at a time. Default Disabled."""
    dns_config: Annotated[DnsConfig, Omitted] | None = None
    """DNS settings of the Pods, in addition to those of the cluster."""
    host_aliases: HostAliases | None = None
    """Entries to add to the hosts file of the Pods."""
    pod_metadata: PodMetadata | None = None
    """Additional labels and annotations of the Pods."""
    restarted_at: Timestamp | None = None
    """Date and time. A new value replaces all Pods, as kubectl rollout restart does."""
    suspend: bool | None = None
    """If true, the operator creates, changes and deletes nothing; default false."""

    security_profile: Literal["Baseline", "Restricted"] = "Baseline"
    """Security settings of the Pods: Baseline (default), or Restricted if the application does not run as root."""
    run_as_user: Id | None = None
    """ID of the user that runs the application, not 0 (root). Default: the user of the image."""
    run_as_group: Id | None = None
    """ID of the primary group of the application, not 0 (root). Default: that of the user in the image, or 0."""
    fs_group: Id | None = None
    """ID of a group for the files of most volumes, to which the application also belongs, not 0 (root)."""

    rules = (
        Rule(
            "CPU must not be set in both cpu and resources",
            _cpu_once,
            cel="!has(self.cpu) || !has(self.resources) "
            "|| !(has(self.resources.requests) && 'cpu' in self.resources.requests) "
            "&& !(has(self.resources.limits) && 'cpu' in self.resources.limits)",
        ),
        Rule(
            "replicas must not be set beside autoscaling, which chooses the number of Pods: omit it (default 1)",
            lambda spec: spec.autoscaling is None or spec.replicas == 1,
            cel="!has(self.autoscaling) || self.replicas == 1",
        ),
        Rule(
            "targetCPUUtilizationPercentage requires cpu, which it is a percentage of",
            lambda spec: not (spec.autoscaling and spec.autoscaling.target_cpu) or _requests_cpu(spec),
            cel="!has(self.autoscaling) || !has(self.autoscaling.targetCPUUtilizationPercentage) || has(self.cpu) "
            "|| has(self.resources) && (has(self.resources.requests) && 'cpu' in self.resources.requests "
            "|| has(self.resources.limits) && 'cpu' in self.resources.limits)",
        ),
        Rule(
            "each name in volumeMounts must be the name of a volume in spec.volumes",
            _mounts_exist,
            cel="!has(self.volumeMounts) "
            "|| self.volumeMounts.all(m, has(self.volumes) && self.volumes.exists(v, v.name == m.name))",
        ),
        _port_rule("livenessProbe"),
        _port_rule("readinessProbe"),
        _port_rule("startupProbe"),
        *_hook_rules("postStart"),
        *_hook_rules("preStop"),
        Rule(
            f"minReadySeconds must be less than progressDeadlineSeconds (default {DEFAULT_DEADLINE})",
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

    def hooks(self) -> dict[str, Hook | None]:
        """Return the lifecycle hooks by their names on the wire."""
        lifecycle = self.lifecycle or Lifecycle()
        return {"postStart": lifecycle.post_start, "preStop": lifecycle.pre_stop}
