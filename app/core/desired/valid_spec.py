"""The valid spec of a MyResource, and which keys of which ConfigMaps and Secrets it uses."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from app.api.containers import Container, EnvFrom, EnvVar
from app.api.reading import InvalidSpec, read
from app.api.spec import MyResourceSpec
from app.api.volumes import Item, ProjectedSource, Volume
from app.core.desired.memo import GenerationMemo, memory_of
from metahook import ConfigMap, Parent, Secret

_OBJECT = 520
"""Bytes of memory for an object or list in the JSON of a spec, as models."""

_SPEC = 2400
"""Bytes of memory for the fields of a spec, also those that it does not set."""

_REFERENCE = 160
"""Bytes of memory for a reference; its texts are those of the spec."""

ConfigKind = type[ConfigMap] | type[Secret]


class Reference(NamedTuple):
    """One use of an object of *kind* called *name*: of one *key*, or of all keys; as files, or else as variables."""

    kind: ConfigKind
    name: str
    key: str | None
    optional: bool
    as_files: bool = False

    def of_object(self) -> "Reference":
        return self._replace(key=None)

    def __str__(self) -> str:
        """Return what is used, in the words of the status."""
        what = f"{self.kind.KIND.kind} {self.name}"
        return what if self.key is None else f"key {self.key} of {what}"


class ValidSpec(NamedTuple):
    """A valid spec, and what it uses of ConfigMaps and Secrets."""

    spec: MyResourceSpec
    references: Sequence[Reference]


def checked_spec(parent: Parent, memo: GenerationMemo | None = None) -> ValidSpec | InvalidSpec:
    """Return the spec of *parent*, or why it is invalid."""
    key = ("spec", parent.name, parent.spec)
    remembered: ValidSpec | InvalidSpec | None = memo.get(key) if memo else None
    if remembered:
        return remembered
    spec = read(parent.name, parent.spec)
    value = spec if isinstance(spec, InvalidSpec) else ValidSpec(spec, references(spec))
    if memo:
        used = value.references if isinstance(value, ValidSpec) else ()
        memo.put(key, value, _SPEC + memory_of(parent.spec, _OBJECT) + _REFERENCE * len(used))
    return value


def references(spec: MyResourceSpec) -> list[Reference]:
    """Return all that *spec* uses, each once, in the order of the spec.

    A volume that is not mounted uses nothing: the kubelet skips it.
    Source: Kubernetes, pkg/kubelet/volumemanager/populator.
    """
    containers = (spec, *(spec.init_containers or ()))
    mounted = {mount.name for container in containers for mount in container.volume_mounts or []}
    uses = (
        *(reference for container in containers for reference in _of_variables(container)),
        *(reference for volume in spec.volumes or [] if volume.name in mounted for reference in _of_volume(volume)),
    )
    return list(dict.fromkeys(uses))


def _of_variables(container: Container) -> Iterator[Reference]:
    for variable in container.env or []:
        yield from _of_variable(variable)
    for source in container.env_from or []:
        yield from _of_all_keys(source)


def _of_variable(variable: EnvVar) -> Iterator[Reference]:
    source = variable.value_from
    if source and (ref := source.config_map_key_ref):
        yield Reference(ConfigMap, ref.name, ref.key, bool(ref.optional))
    if source and (ref := source.secret_key_ref):
        yield Reference(Secret, ref.name, ref.key, bool(ref.optional))


def _of_all_keys(source: EnvFrom) -> Iterator[Reference]:
    if ref := source.config_map_ref:
        yield Reference(ConfigMap, ref.name, None, bool(ref.optional))
    if ref := source.secret_ref:
        yield Reference(Secret, ref.name, None, bool(ref.optional))


def _of_volume(volume: Volume) -> Iterator[Reference]:
    if config_map := volume.config_map:
        yield from _files(ConfigMap, config_map.name, config_map.items, optional=config_map.optional)
    if secret := volume.secret:
        yield from _files(Secret, secret.secret_name, secret.items, optional=secret.optional)
    for source in volume.projected.sources if volume.projected else []:
        yield from _of_part(source)


def _of_part(source: ProjectedSource) -> Iterator[Reference]:
    if config_map := source.config_map:
        yield from _files(ConfigMap, config_map.name, config_map.items, optional=config_map.optional)
    if secret := source.secret:
        yield from _files(Secret, secret.name, secret.items, optional=secret.optional)


def _files(kind: ConfigKind, name: str, items: Iterable[Item] | None, *, optional: bool | None) -> Iterator[Reference]:
    keys = [item.key for item in items] if items else [None]
    return (Reference(kind, name, key, bool(optional), as_files=True) for key in keys)
