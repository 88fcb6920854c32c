"""The Service that selects the Pods."""

import ipaddress
from typing import Literal

from pydantic import Field

from app.api.values.labels import ServiceAnnotations
from app.api.values.model import Model, Rule

SOURCE_RANGES = "service.beta.kubernetes.io/load-balancer-source-ranges"


def _is_network(text: str) -> bool:
    try:
        network = ipaddress.ip_network(text.strip())
    except ValueError:
        return False
    mapped = network.version == 6 and network.network_address.ipv4_mapped
    return text.strip().endswith(f"/{network.prefixlen}") and "%" not in text and not mapped


def _ranges_fit(service: "ServiceSettings") -> bool:
    ranges = (service.annotations or {}).get(SOURCE_RANGES)
    if ranges is None:
        return True
    return service.type == "LoadBalancer" and (not ranges or all(map(_is_network, ranges.split(","))))


class ServiceSettings(Model):
    """The Service that is created if spec.ports is not empty. It has the name of the MyResource."""

    mode: Literal["Auto", "Disabled"] = "Auto"
    """Auto (default) creates a Service if spec.ports is not empty. Disabled creates none."""
    type: Literal["ClusterIP", "NodePort", "LoadBalancer"] | None = None
    """Type of the Service: ClusterIP (default), NodePort or LoadBalancer."""
    cluster_ip: Literal["None"] | None = Field(default=None, alias="clusterIP")
    """None makes the Service headless: its name has the addresses of the Pods, and servicePort has no effect."""
    session_affinity: Literal["None", "ClientIP"] | None = None
    """ClientIP sends the connections of a client to the same Pod for 3 hours; None (default) does not."""
    annotations: ServiceAnnotations | None = None
    """Annotations of the Service, such as those for a cloud provider."""

    rules = (
        Rule(
            "clusterIP None requires type ClusterIP and sessionAffinity None",
            lambda service: (
                not service.cluster_ip
                or (service.type in (None, "ClusterIP") and service.session_affinity in (None, "None"))
            ),
            cel="!has(self.clusterIP) || (!has(self.type) || self.type == 'ClusterIP') "
            "&& (!has(self.sessionAffinity) || self.sessionAffinity == 'None')",
        ),
        Rule(
            f"annotation {SOURCE_RANGES} requires type LoadBalancer and a comma-separated list of networks",
            _ranges_fit,
        ),
    )
