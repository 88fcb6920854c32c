"""Secrets as observed."""

from typing import ClassVar

from metahook.protocol.objects import Object


class Secret(Object, frozen=True):
    """An observed Secret. Its values are in Base64, and stay so."""

    API_VERSION: ClassVar[str] = "v1"
    RESOURCE: ClassVar[str] = "secrets"

    data: dict[str, str] | None = None
