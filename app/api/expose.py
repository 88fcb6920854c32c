"""How the application is reached from outside of the cluster: through an Ingress, or an HTTPRoute of a Gateway."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from app.api.pods.port import Port
from app.api.values.model import Model, Rule
from app.api.values.scalar import HostName, LabelName, ObjectName, UrlPath


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
