"""The Service in front of the Pods."""

import ipaddress
from typing import Literal

from app.api.labels import ServiceAnnotations
from app.api.model import Model, Rule

_SOURCE_RANGES = "service.beta.kubernetes.io/load-balancer-source-ranges"


def _is_network(text: str) -> bool:
    try:
        network = ipaddress.ip_network(text.strip())
    except ValueError:
        return False
    mapped = network.version == 6 and network.network_address.ipv4_mapped
    return text.strip().endswith(f"/{network.prefixlen}") and "%" not in text and not mapped


def _ranges_fit(service: "Service") -> bool:
    ranges = (service.annotations or {}).get(_SOURCE_RANGES)
    if ranges is None:
        return True
    return service.type == "LoadBalancer" and (not ranges or all(map(_is_network, ranges.split(","))))


class Service(Model):
    """The Service that is made when spec.ports has entries."""

    mode: Literal["Auto", "Disabled"] = "Auto"
    """Auto (the default): a Service exists when there are ports. Disabled: never."""
    type: Literal["ClusterIP", "NodePort", "LoadBalancer"] | None = None
    """Who can reach it: ClusterIP (which Kubernetes takes when it is absent), NodePort or LoadBalancer."""
    session_affinity: Literal["None", "ClientIP"] | None = None
    """ClientIP sends a client to the same Pod for 3 hours; None (taken when it is absent) does not."""
    annotations: ServiceAnnotations | None = None
    """Annotations of the Service, such as those that cloud providers read."""

    rules = (
        Rule(
            f"annotation {_SOURCE_RANGES} needs type LoadBalancer and a comma-separated list of networks",
            _ranges_fit,
        ),
    )
