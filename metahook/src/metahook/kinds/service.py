"""Services as observed."""

from typing import Any, ClassVar

from metahook.kinds.defaults import DEFAULTS
from metahook.protocol.objects.kind import Kind
from metahook.protocol.objects.object import Defaults, Object


class Service(Object, frozen=True):
    """An observed Service. ``spec`` is decoded as it is."""

    KIND: ClassVar[Kind] = Kind("v1", "Service", "services")
    DEFAULTS: ClassVar[Defaults] = DEFAULTS

    spec: dict[str, Any] | None = None
