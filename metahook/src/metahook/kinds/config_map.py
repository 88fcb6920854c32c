"""ConfigMaps as observed."""

from typing import ClassVar

from metahook.protocol.objects.kind import Kind
from metahook.protocol.objects.object import Object


class ConfigMap(Object, frozen=True):
    """An observed ConfigMap."""

    KIND: ClassVar[Kind] = Kind("v1", "ConfigMap", "configmaps")

    data: dict[str, str] | None = None
    binary_data: dict[str, str] | None = None
