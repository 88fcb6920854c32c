"""Namespaces, as observed."""

from typing import ClassVar

from metahook.protocol.objects.kind import Kind
from metahook.protocol.objects.object import Conditions, Object


class NamespaceStatus(Conditions, frozen=True, kw_only=True):
    """The status of a Namespace."""

    phase: str | None = None
    """Active, or Terminating."""


class Namespace(Object, frozen=True):
    """A Namespace."""

    KIND: ClassVar[Kind] = Kind("v1", "Namespace", "namespaces", namespaced=False)

    status: NamespaceStatus | None = None
