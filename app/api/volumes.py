"""Volumes and their sources. hostPath, service account tokens and CSI drivers are not possible."""

from typing import Annotated, Literal

from pydantic import Field

from app.api.containers import ResourceFieldRef
from app.api.model import ListMap, Model, Omitted, Rule, exactly_one
from app.api.resources import Bytes
from app.api.scalars import KEY, SHORT_PREFIX, ConfigKey, LabelName, ObjectName, RelativePath

Mode = Annotated[int, Field(ge=0, le=0o777)]


class Item(Model):
    """A key that becomes a file."""

    key: ConfigKey
    """The key of the ConfigMap or Secret."""
    path: RelativePath
    """Path of the file in the volume."""
    mode: Mode | None = None
    """Permission bits of the file, as a decimal number: 420 is octal 0644."""


Items = Annotated[list[Item], Field(max_length=64), ListMap(("path",)), Omitted]


class EmptyDir(Model):
    """An empty directory that exists as long as the Pod."""

    medium: Annotated[Literal["", "Memory"], Omitted] | None = None
    """Memory keeps the directory in memory; by default it is on the disk of the node."""
    size_limit: Bytes | None = None
    """Size limit. Quantity, such as 64Mi."""


class ConfigMapVolume(Model):
    """A ConfigMap whose keys become files."""

    name: ObjectName
    """Name of the ConfigMap, in the same namespace."""
    items: Items | None = None
    """Keys to use, and the paths of their files. If absent, every key becomes a file with the name of the key."""
    default_mode: Mode | None = None
    """Permission bits of the files, as a decimal number; default 420 (octal 0644)."""
    optional: bool | None = None
    """Whether the Pod can start without the ConfigMap or its keys."""


class SecretVolume(Model):
    """A Secret whose keys become files."""

    secret_name: ObjectName
    """Name of the Secret, in the same namespace."""
    items: Items | None = None
    """Keys to use, and the paths of their files. If absent, every key becomes a file with the name of the key."""
    default_mode: Mode | None = None
    """Permission bits of the files, as a decimal number; default 420 (octal 0644)."""
    optional: bool | None = None
    """Whether the Pod can start without the Secret or its keys."""


class ClaimVolume(Model):
    """A PersistentVolumeClaim."""

    claim_name: ObjectName
    """Name of the claim, in the same namespace."""
    read_only: Annotated[bool, Omitted] | None = None
    """Whether the volume is mounted read-only; default false."""


class ProjectedKeys(Model):
    """A ConfigMap or Secret whose keys become files of a projected volume."""

    name: ObjectName
    """Name of the ConfigMap or Secret, in the same namespace."""
    items: Items | None = None
    """Keys to use, and the paths of their files. If absent, every key becomes a file with the name of the key."""
    optional: bool | None = None
    """Whether the Pod can start without the ConfigMap or Secret, or its keys."""


class PodFieldRef(Model):
    """A field of the Pod."""

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
    """A file with a field of the Pod, or a resource request or limit of its container."""

    path: RelativePath
    """Path of the file in the volume."""
    field_ref: PodFieldRef | None = None
    """Field of the Pod."""
    resource_field_ref: ResourceFieldRef | None = None
    """Resource request or limit of the container."""
    mode: Mode | None = None
    """Permission bits of the file, as a decimal number: 420 is octal 0644."""

    rules = (exactly_one("fieldRef", "resourceFieldRef"),)


class PodFiles(Model):
    """Fields of the Pod that become files."""

    items: Annotated[list[PodFile], Field(min_length=1, max_length=64), ListMap(("path",))]
    """Files to create."""


class ProjectedSource(Model):
    """A source of a projected volume. Exactly one of its fields must be set."""

    config_map: ProjectedKeys | None = None
    """ConfigMap whose keys become files."""
    secret: ProjectedKeys | None = None
    """Secret whose keys become files."""
    downward_api: PodFiles | None = Field(default=None, alias="downwardAPI")
    """Fields of the Pod that become files."""

    rules = (exactly_one("configMap", "secret", "downwardAPI"),)

    def paths(self) -> list[str]:
        """Return the paths of the files that this source names itself."""
        part = self.config_map or self.secret or self.downward_api
        return [item.path for item in (part.items or [])] if part else []


class Projected(Model):
    """A directory with files from several sources. A service account token is not a possible source."""

    sources: Annotated[list[ProjectedSource], Field(min_length=1, max_length=8)]
    """Sources of the files."""
    default_mode: Mode | None = None
    """Permission bits of the files, as a decimal number; default 420 (octal 0644)."""

    rules = (
        Rule(
            "two sources must not create a file with the same path: change one of the paths in items",
            lambda volume: len(paths := [p for source in volume.sources for p in source.paths()]) == len(set(paths)),
        ),
    )


class Volume(Model):
    """A volume that volumeMounts can mount. It must have exactly one source."""

    name: LabelName
    """Name of the volume."""
    empty_dir: EmptyDir | None = None
    """An empty directory."""
    config_map: ConfigMapVolume | None = None
    """ConfigMap whose keys become files."""
    secret: SecretVolume | None = None
    """Secret whose keys become files."""
    persistent_volume_claim: ClaimVolume | None = None
    """PersistentVolumeClaim to mount."""
    projected: Projected | None = None
    """Directory with files from several sources."""

    rules = (exactly_one("emptyDir", "configMap", "secret", "persistentVolumeClaim", "projected"),)


Volumes = Annotated[list[Volume], Field(max_length=32), ListMap(("name",)), Omitted]
