"""Containers: the fields that all share, and what init containers and sidecars have besides; their ports.

Init containers run before the application, one after the other to its end, or as sidecars until the Pod stops. The user
and the security profile are those of the application. All containers of a Pod share its network, so spec.ports, from
which the Service follows, can name a port on which a sidecar listens.
"""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from app.api.model import Docs, InContainer, ListMap, Model, Omitted, Rule, exactly_one
from app.api.names import CONTAINER
from app.api.probes import Hook, Lifecycle, Probe, ReadinessProbe, RestartProbe
from app.api.resources import MemoryLimit, Quantity, Resources
from app.api.scalars import (
    KEY,
    MAX_TEXT,
    SHORT_PREFIX,
    TEXT,
    ConfigKey,
    EnvName,
    Image,
    LabelName,
    MountPath,
    ObjectName,
    PortName,
    RelativePath,
    matches,
)


class SidecarPort(Model):
    """A port that a sidecar listens on."""

    name: PortName | None = None
    """Name that its probes and hooks can refer to."""
    container_port: Annotated[int, Field(ge=1, le=65535)]
    """Port number, 1 to 65535."""
    protocol: Literal["TCP", "UDP", "SCTP"] = "TCP"
    """Protocol; default TCP."""


class Port(SidecarPort):
    """A port that the application listens on."""

    name: (
        Annotated[
            PortName,
            Rule(
                "must not look like the name that an unnamed port gets in the Service, such as tcp-80",
                lambda name: not matches("(tcp|udp|sctp)-[0-9]+", name),
                cel="!self.matches('^(tcp|udp|sctp)-[0-9]+$')",
            ),
        ]
        | None
    ) = None
    """Name that probes can refer to; also the name of the port in the Service."""
    service_port: Annotated[int, Field(ge=1, le=65535)] | None = None
    """Port of the Service that leads to containerPort, 1 to 65535; default containerPort."""

    @property
    def in_service(self) -> int:
        """The port of the Service that leads to this one."""
        return self.service_port or self.container_port


def _unique(values: list[object]) -> bool:
    return len(set(values)) == len(values)


def _in_service(port: str) -> str:
    """Return what the CEL variable *port* is in the Service."""
    return f"(has({port}.servicePort) ? {port}.servicePort : {port}.containerPort)"


_KEYS = ListMap(("containerPort", "protocol"))
_NAMES = Rule(
    "port names must be unique",
    lambda ports: _unique([port.name for port in ports if port.name]),
    cel="self.all(a, !has(a.name) || self.exists_one(b, has(b.name) && a.name == b.name))",
)
_NUMBERS = Rule(
    "each containerPort must be unique, even across protocols: "
    "Metacontroller's dynamic-apply would merge the two ports",
    lambda ports: _unique([port.container_port for port in ports]),
    cel="self.all(a, self.exists_one(b, a.containerPort == b.containerPort))",
)

SidecarPorts = Annotated[list[SidecarPort], Field(max_length=32), _KEYS, _NAMES, _NUMBERS, Omitted]
Ports = Annotated[
    list[Port],
    Field(max_length=32),
    _KEYS,
    _NAMES,
    _NUMBERS,
    Rule(
        "each port of the Service (servicePort, or else containerPort) must be unique, even across protocols",
        lambda ports: _unique([port.in_service for port in ports]),
        cel=f"self.all(a, self.exists_one(b, {_in_service('a')} == {_in_service('b')}))",
    ),
    Omitted,
]


Divisor = Literal["1", "1m", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"]


class KeyRef(Model):
    """One key of a ConfigMap or Secret in the same namespace."""

    name: ObjectName
    """Name of the ConfigMap or Secret."""
    key: ConfigKey
    """Key whose value is used."""
    optional: bool | None = None
    """Whether the container can start without the ConfigMap or Secret, or its key."""


class EnvFieldRef(Model):
    """A field of the Pod."""

    field_path: Annotated[
        str,
        Field(
            pattern=rf"^(metadata[.](name|namespace|uid|(labels|annotations)\['{KEY}'\])"
            "|spec[.](nodeName|serviceAccountName)|status[.](hostIPs?|podIPs?))$",
            max_length=300,
        ),
        SHORT_PREFIX,
    ]
    """Path of the field, such as metadata.name or status.podIP."""


class ResourceFieldRef(Model):
    """A resource request or limit of the container."""

    resource: Literal[
        "limits.cpu",
        "limits.memory",
        "limits.ephemeral-storage",
        "requests.cpu",
        "requests.memory",
        "requests.ephemeral-storage",
    ]
    """The request or limit."""
    divisor: Divisor | None = None
    """Unit of the value: 1 or 1m for CPU; 1, 1k to 1E or 1Ki to 1Ei for memory and storage."""

    rules = (
        Rule(
            "divisor must be 1 or 1m for CPU, and must not be 1m for memory and storage",
            lambda ref: ref.divisor in (None, "1") or (ref.resource.endswith("cpu") == (ref.divisor == "1m")),
            cel="!has(self.divisor) || self.divisor == '1' || self.resource.endsWith('cpu') == (self.divisor == '1m')",
        ),
    )


class EnvSource(Model):
    """Source of the value of an environment variable. Exactly one of its fields must be set."""

    config_map_key_ref: KeyRef | None = None
    """A key of a ConfigMap."""
    secret_key_ref: KeyRef | None = None
    """A key of a Secret."""
    field_ref: EnvFieldRef | None = None
    """A field of the Pod."""
    resource_field_ref: ResourceFieldRef | None = None
    """A resource request or limit of the container."""

    rules = (exactly_one("configMapKeyRef", "secretKeyRef", "fieldRef", "resourceFieldRef"),)


class EnvVar(Model):
    """An environment variable of the container."""

    name: EnvName
    """Name of the variable."""
    value: Annotated[str, Field(pattern=TEXT, max_length=MAX_TEXT), Omitted] | None = None
    """Value. $(OTHER) is replaced with the value of the variable OTHER if that precedes this one in the list."""
    value_from: EnvSource | None = None
    """Source of the value; must not be set together with value."""

    rules = (
        Rule(
            "value and valueFrom must not both be set",
            lambda var: not (var.value and var.value_from),
            cel="!(has(self.value) && self.value != '' && has(self.valueFrom))",
        ),
    )


class EnvFromRef(Model):
    """A ConfigMap or Secret in the same namespace."""

    name: ObjectName
    """Name of the ConfigMap or Secret."""
    optional: bool | None = None
    """Whether the container can start without the ConfigMap or Secret."""


class EnvFrom(Model):
    """A ConfigMap or Secret whose keys become environment variables."""

    prefix: EnvName | None = None
    """Prefix of the name of each variable."""
    config_map_ref: EnvFromRef | None = None
    """The ConfigMap."""
    secret_ref: EnvFromRef | None = None
    """The Secret."""

    rules = (exactly_one("configMapRef", "secretRef"),)


class VolumeMount(Model):
    """Where a volume is mounted in the container."""

    name: LabelName
    """Name of the volume in spec.volumes."""
    mount_path: MountPath
    """Absolute path in the container."""
    sub_path: RelativePath | None = None
    """Path within the volume to mount, instead of its root."""
    read_only: Annotated[bool, Omitted] | None = None
    """Whether the volume is mounted read-only; default false."""


Env = Annotated[
    list[EnvVar],
    Field(max_length=256),
    ListMap(("name",)),
    Rule(
        "all values together must have at most 65536 characters",
        lambda env: sum(len(var.value or "") for var in env) <= MAX_TEXT,
        cel=f"self.map(e, has(e.value) ? e.value.size() : 0).sum() <= {MAX_TEXT}",
    ),
    Omitted,
]


class Capabilities(Model):
    """Linux capabilities."""

    add: Annotated[list[Literal["NET_BIND_SERVICE"]], Field(max_length=1), Omitted] | None = None
    """NET_BIND_SERVICE: listen on ports below 1024."""


VolumeMounts = Annotated[list[VolumeMount], Field(max_length=64), ListMap(("mountPath",)), Omitted]

Argument = Annotated[str, Field(pattern=TEXT, max_length=8192)]


Command = Annotated[
    list[Argument],
    Field(max_length=256),
    Rule(
        "the first item must not be empty",
        lambda command: not command or command[0] != "",
        cel="self.size() == 0 || self[0] != ''",
    ),
    Omitted,
]


class Container(Model):
    """What a container runs, and with what."""

    image: Annotated[Image, InContainer(docs="containers")]
    """Container image, such as nginx:1.27."""
    memory: Annotated[MemoryLimit, Docs("containers")] = "128Mi"
    """Memory request and limit of the container; ignored if resources sets memory. Quantity; default 128Mi."""
    cpu: Annotated[Quantity | None, Docs("containers")] = None
    """CPU request of the container; there is no CPU limit. Quantity, such as 500m."""
    resources: Annotated[Resources | None, Omitted, Docs("containers")] = None
    """Requests and limits by resource. If it sets memory, the field memory is ignored."""

    command: Annotated[Command | None, InContainer(docs="containers")] = None
    """Program and arguments to run instead of the image's entrypoint."""
    args: Annotated[list[Argument] | None, Field(max_length=256), Omitted, InContainer(docs="containers")] = None
    """Arguments to use instead of the image's."""
    env: Annotated[Env | None, InContainer(docs="containers")] = None
    """Environment variables of the container."""
    env_from: Annotated[list[EnvFrom] | None, Field(max_length=32), Omitted, InContainer(docs="containers")] = None
    """ConfigMaps and Secrets whose keys become environment variables."""
    liveness_probe: Annotated[RestartProbe | None, InContainer(docs="containers")] = None
    """Checks whether the container is alive; if it fails, the container is restarted."""
    readiness_probe: Annotated[ReadinessProbe | None, InContainer(docs="containers")] = None
    """Checks whether the container is ready for traffic."""
    startup_probe: Annotated[RestartProbe | None, InContainer(docs="containers")] = None
    """Checks whether the container has started; the other probes start after it succeeds."""
    lifecycle: Annotated[Lifecycle | None, Omitted, InContainer(docs="containers")] = None
    """What is done right after the container has started (postStart), and before it gets SIGTERM (preStop)."""
    image_pull_policy: Annotated[Literal["Always", "IfNotPresent", "Never"] | None, InContainer(docs="containers")] = (
        None
    )
    """When to pull. Default: Always if the tag is latest, or if there is neither tag nor digest; else IfNotPresent."""
    volume_mounts: Annotated[VolumeMounts | None, InContainer(docs="security")] = None
    """Where volumes are mounted."""
    read_only_root_filesystem: Annotated[
        bool | None, Omitted, InContainer("securityContext.readOnlyRootFilesystem", docs="security")
    ] = None
    """Whether the container can write only to its volumes; default false."""
    capabilities: Annotated[Capabilities | None, Omitted, Docs("security")] = None
    """Linux capabilities that the container has in addition to those that securityProfile leaves it."""

    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(
            "CPU must not be set in both cpu and resources",
            lambda container: container.cpu is None or not container.is_in_resources("cpu"),
            cel="!has(self.cpu) || !has(self.resources) "
            "|| !(has(self.resources.requests) && 'cpu' in self.resources.requests) "
            "&& !(has(self.resources.limits) && 'cpu' in self.resources.limits)",
        ),
    )

    def is_in_resources(self, name: str) -> bool:
        given = self.resources
        return given is not None and (name in (given.requests or {}) or name in (given.limits or {}))

    def probes(self) -> dict[str, Probe | None]:
        """Return the three probes by their names on the wire."""
        return {
            "livenessProbe": self.liveness_probe,
            "readinessProbe": self.readiness_probe,
            "startupProbe": self.startup_probe,
        }

    def hooks(self) -> dict[str, Hook | None]:
        """Return the lifecycle hooks by their names on the wire."""
        given = self.lifecycle
        start, stop = (given.post_start, given.pre_stop) if given else (None, None)
        return {"postStart": start, "preStop": stop}


_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_CALLS = (
    *(f"{probe}.{check}" for probe in _PROBES for check in ("httpGet", "tcpSocket")),
    *(f"lifecycle.{hook}.httpGet" for hook in ("postStart", "preStop")),
)
"""What may name a port."""


def _has_cel(path: str) -> str:
    """Return the condition in CEL that *path* and all that it is in are set."""
    steps = path.split(".")
    return " && ".join(f"has(self.{'.'.join(steps[: count + 1])})" for count in range(len(steps)))


def _has_ports(container: "InitContainer") -> bool:
    calls = [*container.probes().values(), *container.hooks().values()]
    names = {None, *(port.name for port in container.ports or [])}
    return all(call is None or call.named_port in names for call in calls)


def _has_own_port_cel(call: str) -> str:
    port = f"self.{call}.port"
    return (
        f"(!({_has_cel(call)}) || type({port}) == int "
        f"|| has(self.ports) && self.ports.exists(p, has(p.name) && p.name == {port}))"
    )


class InitContainer(Container):
    """A container that starts before that of the application."""

    name: Annotated[
        LabelName, Rule(f"must not be {CONTAINER}", lambda name: name != CONTAINER, cel=f"self != '{CONTAINER}'")
    ]
    """Name of the container, for kubectl logs and messages."""
    restart_policy: Annotated[Literal["Always"] | None, InContainer()] = None
    """Always makes it a sidecar, which keeps running. Otherwise the next container starts once it has completed."""

    ports: SidecarPorts | None = None
    """Ports that a sidecar listens on. For the Service, list them in spec.ports instead."""

    rules = (
        *Container.rules,
        Rule(
            "probes, lifecycle and ports require restartPolicy Always",
            lambda container: (
                container.restart_policy == "Always"
                or not any([*container.probes().values(), container.lifecycle, container.ports])
            ),
            cel="has(self.restartPolicy) || !("
            + " || ".join(f"has(self.{field})" for field in _PROBES)
            + " || has(self.lifecycle) && (has(self.lifecycle.postStart) || has(self.lifecycle.preStop))"
            + " || has(self.ports) && self.ports.size() > 0)",
        ),
        Rule(
            "the port name in a probe or hook of an init container must be the name of one of its ports",
            _has_ports,
            cel=" && ".join(map(_has_own_port_cel, _CALLS)),
        ),
    )


InitContainers = Annotated[list[InitContainer], Field(max_length=8), ListMap(("name",)), Omitted]
