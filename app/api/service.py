"""The Service in front of the Pods."""

import ipaddress
from typing import Annotated, Literal

from pydantic import Field

from app.api.model import Model, Omitted, Rule
from app.api.scalar import ANNOTATION_KEYS, SHORT_TOGETHER, matches

_SOURCE_RANGES = "service.beta.kubernetes.io/load-balancer-source-ranges"
_RESERVED = "(.*[.])?(mygroup[.]example[.]com|metacontroller[.]k8s[.]io|kubectl[.]kubernetes[.]io)/.*"

_UNRESERVED = Rule(
    "has a reserved key: those of mygroup.example.com, metacontroller.k8s.io and kubectl.kubernetes.io "
    "are not yours to set",
    lambda entries: not any(matches(_RESERVED, key.lower()) for key in entries),
    cel=f"self.all(k, !k.lowerAscii().matches('^{_RESERVED}$'))",
)


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
    annotations: (
        Annotated[
            dict[str, Annotated[str, Field(max_length=4096)]],
            Field(max_length=64),
            ANNOTATION_KEYS,
            _UNRESERVED,
            SHORT_TOGETHER,
            Omitted,
        ]
        | None
    ) = None
    """Annotations of the Service, such as those that cloud providers read."""

    rules = (
        Rule(
            f"annotation {_SOURCE_RANGES} needs type LoadBalancer and a comma-separated list of networks",
            _ranges_fit,
        ),
    )
