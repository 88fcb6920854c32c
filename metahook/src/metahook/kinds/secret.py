"""Secrets as observed."""

from typing import ClassVar

from metahook.protocol.kind import Kind
from metahook.protocol.objects import Object


class Secret(Object, frozen=True):
    """An observed Secret. Its values are in Base64, and stay so."""

    KIND: ClassVar[Kind] = Kind("v1", "Secret", "secrets")

    data: dict[str, str] | None = None
