"""Services as observed."""

from typing import Any, ClassVar

from metahook.protocol.kind import Kind
from metahook.protocol.objects import Object


class Service(Object, frozen=True):
    """An observed Service. ``spec`` is whole: it is compared with what is wanted."""

    KIND: ClassVar[Kind] = Kind("v1", "Service", "services")

    spec: dict[str, Any] | None = None
