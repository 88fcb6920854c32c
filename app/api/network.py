"""How the application is reached: its Service, and the address outside of the cluster."""

import ipaddress
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from app.api.containers import Port
from app.api.model import Model, Rule
from app.api.scalars import HostName, LabelName, ObjectName, ServiceAnnotations, UrlPath

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


class ExposeTls(Model):
    """TLS between clients and the ingress controller."""

    secret_name: ObjectName | None = None
    """Name of the Secret with the certificate. Default: the certificate that the ingress controller has, if any."""


class GatewayRef(Model):
    """A Gateway of the Gateway API, which decides whether it accepts the HTTPRoute."""

    name: ObjectName
    """Name of the Gateway."""
    namespace: LabelName | None = None
    """Namespace of the Gateway; default: that of the MyResource."""
    section_name: ObjectName | None = None
    """Name of a listener of the Gateway; default: all that fit."""


class Expose(Model):
    """The address of the application outside of the cluster: an Ingress, or with gateway an HTTPRoute."""

    host: HostName
    """Host name, such as web.example.com."""
    path: UrlPath = "/"
    """Path prefix of the requests; default /, which matches all of them."""
    port: Annotated[str, Field(max_length=15)] | None = None
    """Name of the port in spec.ports that gets the requests; default: the first TCP port."""
    tls: ExposeTls | None = None
    """If set, the address is https. With gateway it must be empty: the certificate is that of the Gateway."""
    class_name: ObjectName | None = None
    """Name of the IngressClass; default: that of the cluster, if it has one."""
    gateway: GatewayRef | None = None
    """The Gateway of an HTTPRoute, which is created instead of an Ingress."""

    rules = (
        Rule(
            "className and gateway must not both be set",
            lambda expose: not (expose.class_name and expose.gateway),
            cel="!(has(self.className) && has(self.gateway))",
        ),
        Rule(
            "tls.secretName must not be set with gateway: the certificate is that of the Gateway",
            lambda expose: not (expose.gateway and expose.tls and expose.tls.secret_name),
            cel="!has(self.gateway) || !has(self.tls) || !has(self.tls.secretName)",
        ),
    )


def exposed_port(expose: Expose, ports: Sequence[Port]) -> Port | None:
    """Return the one of *ports* that gets the requests to *expose*; None if there is none."""
    tcp = (port for port in ports if port.protocol == "TCP")
    return next((port for port in tcp if expose.port in {None, port.name}), None)
