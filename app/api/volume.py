"""Volumes: what can be mounted. No host path, no token, no driver of its own."""

from typing import Annotated, Literal

from pydantic import Field

from app.api.container import ResourceFieldRef
from app.api.model import ListMap, Model, Omitted, Rule
from app.api.quantity import Bytes
from app.api.scalar import KEY, SHORT_PREFIX, ConfigKey, ObjectName, RelativePath, VolumeName

Mode = Annotated[int, Field(ge=0, le=0o777)]


class Item(Model):
    """A key as a file."""

    key: ConfigKey
    """The key of the ConfigMap or Secret."""
    path: RelativePath
    """Path of the file in the volume."""
    mode: Mode | None = None
    """Permission bits of the file, as a decimal number: 420 is octal 0644."""


Items = Annotated[list[Item], Field(max_length=64), ListMap(("path",)), Omitted]


class EmptyDir(Model):
    """An empty directory that lives as long as the Pod."""

    medium: Annotated[Literal["", "Memory"], Omitted] | None = None
    """Memory for a directory in memory; otherwise it is on the node's disk."""
    size_limit: Bytes | None = None
    """How large it may become. Quantity, such as 64Mi."""


class ConfigMapVolume(Model):
    """The keys of a ConfigMap as files."""

    name: ObjectName
    """Name of the ConfigMap, in the same namespace."""
    items: Items | None = None
    """Which keys, and as which files; all keys when absent."""
    default_mode: Mode | None = None
    """Permission bits of the files, as a decimal number; Kubernetes takes 420 (octal 0644) when it is absent."""
    optional: bool | None = None
    """Whether the Pod may start without the ConfigMap."""


class SecretVolume(Model):
    """The keys of a Secret as files."""

    secret_name: ObjectName
    """Name of the Secret, in the same namespace."""
    items: Items | None = None
    """Which keys, and as which files; all keys when absent."""
    default_mode: Mode | None = None
    """Permission bits of the files, as a decimal number; Kubernetes takes 420 (octal 0644) when it is absent."""
    optional: bool | None = None
    """Whether the Pod may start without the Secret."""


class ClaimVolume(Model):
    """A PersistentVolumeClaim."""

    claim_name: ObjectName
    """Name of the claim, in the same namespace."""
    read_only: Annotated[bool, Omitted] | None = None
    """Whether it is mounted for reading only; default false."""


class ProjectedKeys(Model):
    """The keys of a ConfigMap or Secret, as a part of a projected volume."""

    name: ObjectName
    """Name of the ConfigMap or Secret, in the same namespace."""
    items: Items | None = None
    """Which keys, and as which files; all keys when absent."""
    optional: bool | None = None
    """Whether the Pod may start without it."""


class PodFieldRef(Model):
    """A field of the Pod, as a file."""

    field_path: Annotated[
        str,
        Field(
            pattern=rf"^metadata[.](name|namespace|uid|labels|annotations|(labels|annotations)\['{KEY}'\])$",
            max_length=300,
        ),
        SHORT_PREFIX,
    ]
    """Path of the field, such as metadata.labels."""


class PodFile(Model):
    """A field of the Pod, or a resource of its container, as a file."""

    path: RelativePath
    """Path of the file in the volume."""
    field_ref: PodFieldRef | None = None
    """The field."""
    resource_field_ref: ResourceFieldRef | None = None
    """The resource request or limit."""
    mode: Mode | None = None
    """Permission bits of the file, as a decimal number: 420 is octal 0644."""

    rules = (
        Rule(
            "exactly one of fieldRef and resourceFieldRef",
            lambda file: (file.field_ref is None) != (file.resource_field_ref is None),
            cel="has(self.fieldRef) != has(self.resourceFieldRef)",
        ),
    )


class PodFiles(Model):
    """Fields of the Pod as files."""

    items: Annotated[list[PodFile], Field(min_length=1, max_length=64), ListMap(("path",))]
    """The files."""


class ProjectedSource(Model):
    """One part of a projected volume: exactly one of the three."""

    config_map: ProjectedKeys | None = None
    """Keys of a ConfigMap."""
    secret: ProjectedKeys | None = None
    """Keys of a Secret."""
    downward_api: PodFiles | None = Field(default=None, alias="downwardAPI")
    """Fields of the Pod."""

    rules = (
        Rule(
            "exactly one of configMap, secret and downwardAPI",
            lambda source: [source.config_map, source.secret, source.downward_api].count(None) == 2,
            cel="[has(self.configMap), has(self.secret), has(self.downwardAPI)].exists_one(x, x)",
        ),
    )

    def paths(self) -> list[str]:
        """Return the paths of the files that this source names itself."""
        part = self.config_map or self.secret or self.downward_api
        return [item.path for item in (part.items or [])] if part else []


class Projected(Model):
    """Several sources in one directory. A service account's token is not among them."""

    sources: Annotated[list[ProjectedSource], Field(min_length=1, max_length=8)]
    """The sources."""
    default_mode: Mode | None = None
    """Permission bits of the files, as a decimal number; Kubernetes takes 420 (octal 0644) when it is absent."""

    rules = (
        Rule(
            "two sources must not make a file of the same path: rename one in its items",
            lambda volume: len(paths := [p for source in volume.sources for p in source.paths()]) == len(set(paths)),
        ),
    )


class Volume(Model):
    """A volume that spec.volumeMounts can name: exactly one of the five sources."""

    name: VolumeName
    """Name of the volume."""
    empty_dir: EmptyDir | None = None
    """An empty directory."""
    config_map: ConfigMapVolume | None = None
    """Keys of a ConfigMap."""
    secret: SecretVolume | None = None
    """Keys of a Secret."""
    persistent_volume_claim: ClaimVolume | None = None
    """A PersistentVolumeClaim."""
    projected: Projected | None = None
    """Several sources in one directory."""

    rules = (
        Rule(
            "exactly one of emptyDir, configMap, secret, persistentVolumeClaim and projected",
            lambda volume: len(volume.wire()) == 2,
            cel="[has(self.emptyDir), has(self.configMap), has(self.secret), "
            "has(self.persistentVolumeClaim), has(self.projected)].exists_one(x, x)",
        ),
    )


Volumes = Annotated[list[Volume], Field(max_length=32), ListMap(("name",)), Omitted]
