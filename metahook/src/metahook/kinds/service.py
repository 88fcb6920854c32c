"""Services as observed."""

from typing import Any, ClassVar

from metahook.protocol.objects import Object


class Service(Object, frozen=True):
    """An observed Service. ``spec`` is whole: it is compared with what is wanted."""

    API_VERSION: ClassVar[str] = "v1"
    RESOURCE: ClassVar[str] = "services"

    spec: dict[str, Any] | None = None
