"""ConfigMaps as observed."""

from typing import ClassVar

from metahook.protocol.objects import Object


class ConfigMap(Object, frozen=True):
    """An observed ConfigMap."""

    API_VERSION: ClassVar[str] = "v1"
    RESOURCE: ClassVar[str] = "configmaps"

    data: dict[str, str] | None = None
    binary_data: dict[str, str] | None = None
