"""MyResourceSpec: what a user writes. Read this first; the other modules of the package define its parts.

The names and the meanings of fields are those of Kubernetes. A field that the Deployment, its Pods or a container have
as it is says so: InDeployment, InPod or InContainer. Where all others go is in app/core/desired, mostly deployment.py.
"""

from typing import Annotated, Literal

from pydantic import Field

from app.api.containers import Container, InitContainers, Ports
from app.api.model import Docs, InDeployment, InPod, Model, Omitted, Rule
from app.api.network import Expose, ServiceSettings, exposed_port
from app.api.pods import DnsConfig, HostAliases, Id, PodMetadata, PullSecrets
from app.api.probes import DEFAULT_GRACE_PERIOD, Hook, Probe
from app.api.rollouts import DEFAULT_DEADLINE, ConfigReload, Deadline, Dependencies, Rollback, Strategy
from app.api.scalars import ANNOTATION_KEYS, LABEL_KEYS, MAX_KEY, NOT_THE_PODS, Labels, ObjectName, Timestamp
from app.api.scaling import Autoscaling, Schedule
from app.api.scheduling import Affinity, Spreads, Tolerations
from app.api.volumes import Volumes

_Keys = Annotated[list[Annotated[str, Field(max_length=MAX_KEY)]], Field(max_length=16)]


class Propagate(Model):
    """Keys of the MyResource's own metadata."""

    labels: Annotated[_Keys, LABEL_KEYS, NOT_THE_PODS, Omitted] | None = None
    """Keys of the labels to copy."""
    annotations: Annotated[_Keys, ANNOTATION_KEYS, NOT_THE_PODS, Omitted] | None = None
    """Keys of the annotations to copy, but not to an Ingress or HTTPRoute."""


def _keeps_cluster_ip(specs: "tuple[MyResourceSpec, MyResourceSpec]") -> bool:
    has_service = all(spec.ports and spec.service.mode == "Auto" for spec in specs)
    return not has_service or len({spec.service.cluster_ip for spec in specs}) == 1


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
    return (
        Rule(
            f"the port name in {path} must be the name of a port in spec.ports",
            lambda spec: _has_port(spec, spec.hooks()[hook]),
            cel=f"!has(self.lifecycle) || !has(self.{path}) || {_has_port_cel(f'{path}.httpGet')}",
        ),
        Rule(
            f"{path}.sleep.seconds must be less than terminationGracePeriodSeconds (default {DEFAULT_GRACE_PERIOD})",
            lambda spec: _sleeps_in_time(spec, spec.hooks()[hook]),
            cel=_sleeps_in_time_cel(f"self.{path}"),
        ),
    )


def _sleeps_in_time(spec: "MyResourceSpec", hook: Hook | None) -> bool:
    given = spec.termination_grace_period_seconds
    return not (hook and hook.sleep) or hook.sleep.seconds < (DEFAULT_GRACE_PERIOD if given is None else given)


def _sleeps_in_time_cel(hook: str) -> str:
    lifecycle = hook.rpartition(".")[0]
    grace = f"(has(self.terminationGracePeriodSeconds) ? self.terminationGracePeriodSeconds : {DEFAULT_GRACE_PERIOD})"
    return f"!has({lifecycle}) || !has({hook}) || !has({hook}.sleep) || {hook}.sleep.seconds < {grace}"


def _mounts_exist(spec: "MyResourceSpec", container: Container) -> bool:
    volumes = {volume.name for volume in spec.volumes or []}
    return all(mount.name in volumes for mount in container.volume_mounts or [])


def _mounts_exist_cel(container: str) -> str:
    mounts = f"{container}.volumeMounts"
    return f"!has({mounts}) || {mounts}.all(m, has(self.volumes) && self.volumes.exists(v, v.name == m.name))"


def _has_exposed_port(spec: "MyResourceSpec") -> bool:
    return spec.expose is None or exposed_port(spec.expose, spec.ports or []) is not None


def _init_container_sleep_rule(hook: str) -> Rule:
    in_time = _sleeps_in_time_cel(f"c.lifecycle.{hook}")
    return Rule(
        f"lifecycle.{hook}.sleep.seconds of an init container must be less than terminationGracePeriodSeconds "
        f"(default {DEFAULT_GRACE_PERIOD})",
        lambda spec: all(_sleeps_in_time(spec, container.hooks()[hook]) for container in spec.init_containers or []),
        cel=f"!has(self.initContainers) || self.initContainers.all(c, {in_time})",
    )


PriorityClassName = Annotated[
    ObjectName,
    Rule("must not start with system-", lambda name: not name.startswith("system-"), cel="!self.startsWith('system-')"),
]


class MyResourceSpec(Container):
    """The application, and how it runs. Only image is required."""

    replicas: Annotated[int, Field(ge=0, le=1000), InDeployment(docs="scaling")] = 1
    """Number of Pods; default 1."""
    autoscaling: Annotated[Autoscaling | None, Docs("scaling")] = None
    """Lets a HorizontalPodAutoscaler choose the number of Pods, in place of replicas."""
    ports: Annotated[Ports | None, Docs("network")] = None
    """Ports that the container listens on. If there are any, a Service with the name of the MyResource is created."""
    init_containers: Annotated[InitContainers | None, Docs("containers")] = None
    """Containers that start, one after the other, before that of the application: init containers and sidecars."""
    image_pull_secrets: Annotated[PullSecrets | None, InPod(docs="containers")] = None
    """Secrets with credentials for the registry of the image."""
    volumes: Annotated[Volumes | None, Docs("security")] = None
    """Volumes that volumeMounts can mount."""

    service: Annotated[ServiceSettings, Docs("network")] = Field(
        default=ServiceSettings.model_construct(), json_schema_extra={"default": {}}
    )
    """The Service that is created if ports is not empty."""
    expose: Annotated[Expose | None, Docs("network")] = None
    """Address outside of the cluster. The operator must be set up to create Ingresses or HTTPRoutes."""

    config_reload: Annotated[ConfigReload, Docs("rollouts")] = Field(
        default=ConfigReload.model_construct(), json_schema_extra={"default": {}}
    )
    """Whether the Pods are replaced when a used ConfigMap changes, or a Secret if the operator watches Secrets."""
    dependencies: Annotated[Dependencies | None, Docs("rollouts")] = None
    """Objects in the same namespace that must be ready before the application starts for the first time."""

    node_selector: Annotated[Labels | None, InPod(docs="placement")] = None
    """Labels that a node must have to run the Pods."""
    tolerations: Annotated[Tolerations | None, InPod(docs="placement")] = None
    """Taints that the Pods tolerate."""
    affinity: Annotated[Affinity | None, Omitted, InPod(docs="placement")] = None
    """Nodes and other Pods that the Pods prefer, require or avoid."""
    topology_spread_constraints: Annotated[Spreads | None, InPod(docs="placement")] = None
    """How evenly the Pods are spread over zones, nodes or other topology domains."""
    priority_class_name: Annotated[PriorityClassName | None, InPod(docs="placement")] = None
    """Name of the PriorityClass of the Pods."""
    service_account_name: Annotated[ObjectName | None, InPod(docs="security")] = None
    """Name of the ServiceAccount of the Pods; its token is not mounted."""

    strategy: Annotated[Strategy | None, InDeployment(docs="rollouts")] = None
    """How Pods are replaced when the Pod template changes."""
    min_ready_seconds: Annotated[int | None, Field(ge=0, le=3600), Omitted, InDeployment(docs="rollouts")] = None
    """Seconds that a Pod must be ready before it counts as available; default 0."""
    progress_deadline_seconds: Annotated[Deadline | None, InDeployment(docs="rollouts")] = None
    """Seconds without progress after which a rollout counts as failed; default 600."""
    rollback: Annotated[Rollback | None, Docs("rollouts")] = None
    """What happens when a rollout has failed; by default, nothing."""
    revision_history_limit: Annotated[int | None, Field(ge=0, le=100), InDeployment(docs="rollouts")] = None
    """Number of old ReplicaSets to keep for a rollback; default 10."""
    termination_grace_period_seconds: Annotated[int | None, Field(ge=0, le=3600), InPod(docs="rollouts")] = None
    """Seconds that a Pod gets to stop; default 30."""
    pod_disruption_budget: Annotated[Literal["Auto", "Disabled"] | None, Docs("scaling")] = None
    """Auto: with more than one replica, drains of nodes evict one Pod at a time. Default Disabled."""
    dns_config: Annotated[DnsConfig | None, Omitted, InPod(docs="network")] = None
    """DNS settings of the Pods, in addition to those of the cluster."""
    host_aliases: Annotated[HostAliases | None, InPod(docs="network")] = None
    """Entries to add to the hosts file of the Pods."""
    pod_metadata: Annotated[PodMetadata | None, Docs("placement")] = None
    """Additional labels and annotations of the Pods."""
    propagate: Annotated[Propagate | None, Omitted, Docs("placement")] = None
    """Labels and annotations of the MyResource to copy to its children, such as the Deployment; not to the Pods."""
    restarted_at: Annotated[Timestamp | None, Docs("rollouts")] = None
    """Date and time. A new value replaces all Pods, as kubectl rollout restart does."""
    suspend: Annotated[bool | None, Docs("scaling")] = None
    """If true, the operator creates, changes and deletes nothing; default false."""
    schedule: Annotated[Schedule | None, Docs("scaling")] = None
    """When the application sleeps, with fewer Pods or none."""

    security_profile: Annotated[Literal["Baseline", "Restricted"], Docs("security")] = "Baseline"
    """Security settings of the Pods: Baseline (default), or Restricted if the application does not run as root."""
    run_as_user: Annotated[Id | None, InPod("securityContext.runAsUser", docs="security")] = None
    """ID of the user that runs the application, not 0 (root). Default: the user of the image."""
    run_as_group: Annotated[Id | None, InPod("securityContext.runAsGroup", docs="security")] = None
    """ID of the primary group of the application, not 0 (root). Default: that of the user in the image, or 0."""
    fs_group: Annotated[Id | None, InPod("securityContext.fsGroup", docs="security")] = None
    """ID of a group for the files of most volumes, to which the application also belongs, not 0 (root)."""

    rules = (
        *Container.rules,
        Rule(
            "replicas must not be set beside autoscaling, which chooses the number of Pods: omit it (default 1)",
            lambda spec: spec.autoscaling is None or spec.replicas == 1,
            cel="!has(self.autoscaling) || self.replicas == 1",
        ),
        Rule(
            "targetCPUUtilizationPercentage requires cpu, which it is a percentage of",
            lambda spec: (
                not (spec.autoscaling and spec.autoscaling.target_cpu)
                or spec.cpu is not None
                or spec.is_in_resources("cpu")
            ),
            cel="!has(self.autoscaling) || !has(self.autoscaling.targetCPUUtilizationPercentage) || has(self.cpu) "
            "|| has(self.resources) && (has(self.resources.requests) && 'cpu' in self.resources.requests "
            "|| has(self.resources.limits) && 'cpu' in self.resources.limits)",
        ),
        Rule(
            "each name in volumeMounts must be the name of a volume in spec.volumes",
            lambda spec: _mounts_exist(spec, spec),
            cel=_mounts_exist_cel("self"),
        ),
        Rule(
            "each name in volumeMounts of an init container must be the name of a volume in spec.volumes",
            lambda spec: all(_mounts_exist(spec, container) for container in spec.init_containers or []),
            cel=f"!has(self.initContainers) || self.initContainers.all(c, {_mounts_exist_cel('c')})",
        ),
        _port_rule("livenessProbe"),
        _port_rule("readinessProbe"),
        _port_rule("startupProbe"),
        *_hook_rules("postStart"),
        *_hook_rules("preStop"),
        _init_container_sleep_rule("postStart"),
        _init_container_sleep_rule("preStop"),
        Rule(
            "service.clusterIP must not change while there is a Service: set service.mode to Disabled, and to Auto "
            "again once the Service is deleted",
            _keeps_cluster_ip,
            cel="!has(self.ports) || !has(oldSelf.ports) || 'Disabled' in [self.service.mode, oldSelf.service.mode] "
            "|| has(self.service.clusterIP) == has(oldSelf.service.clusterIP)",
            judges="changes",
        ),
        Rule(
            f"minReadySeconds must be less than progressDeadlineSeconds (default {DEFAULT_DEADLINE})",
            lambda spec: (spec.min_ready_seconds or 0) < (spec.progress_deadline_seconds or DEFAULT_DEADLINE),
            cel="!has(self.minReadySeconds) || self.minReadySeconds "
            f"< (has(self.progressDeadlineSeconds) ? self.progressDeadlineSeconds : {DEFAULT_DEADLINE})",
        ),
        Rule(
            "expose needs a TCP port in spec.ports: the one that expose.port names, or any",
            _has_exposed_port,
            cel="!has(self.expose) || has(self.ports) && self.ports.exists(p, p.protocol == 'TCP' "
            "&& (!has(self.expose.port) || has(p.name) && p.name == self.expose.port))",
        ),
        Rule(
            "expose needs the Service: service.mode must not be Disabled",
            lambda spec: spec.expose is None or spec.service.mode == "Auto",
            cel="!has(self.expose) || self.service.mode == 'Auto'",
        ),
    )
