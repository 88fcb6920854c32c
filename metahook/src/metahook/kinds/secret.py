"""Secrets as observed."""

from typing import ClassVar

from metahook.protocol.objects.kind import Kind
from metahook.protocol.objects.object import Defaults, Object


class Secret(Object, frozen=True):
    """An observed Secret. Its values are in Base64, and are not decoded."""

    KIND: ClassVar[Kind] = Kind("v1", "Secret", "secrets")
    DEFAULTS: ClassVar[Defaults] = Defaults({"": {"type": "Opaque"}})

    data: dict[str, str] | None = None
