"""Ingresses as observed."""

from typing import Any, ClassVar

from metahook.protocol.objects.kind import Kind
from metahook.protocol.objects.object import Object, Observed


class LoadBalancer(Observed, frozen=True):
    """Where an ingress controller serves an Ingress."""

    ingress: list[dict[str, Any]] | None = None
    """The addresses, each with an ``ip`` or a ``hostname``."""


class IngressStatus(Observed, frozen=True):
    """What an ingress controller reports."""

    load_balancer: LoadBalancer | None = None


class Ingress(Object, frozen=True):
    """An observed Ingress. ``spec`` is decoded as it is."""

    KIND: ClassVar[Kind] = Kind("networking.k8s.io/v1", "Ingress", "ingresses")

    spec: dict[str, Any] | None = None
    status: IngressStatus | None = None

    @property
    def is_served(self) -> bool:
        """Whether an ingress controller has given it an address."""
        balancer = self.status and self.status.load_balancer
        return bool(balancer and balancer.ingress)
