"""What a Pod has besides containers and volumes: metadata, pull Secrets, DNS settings and hosts."""

from typing import Annotated

from pydantic import Field

from app.api.model import ListMap, Model, Omitted, Rule
from app.api.scalars import IpAddress, ObjectName, PodAnnotations, PodLabels, SearchDomain

Id = Annotated[int, Field(ge=1, le=2**31 - 1)]
"""ID of a user or group. 0, which is root, is none of them."""


class PodMetadata(Model):
    """Additional labels and annotations of the Pods."""

    labels: PodLabels | None = None
    """Labels to add to the Pods."""
    annotations: PodAnnotations | None = None
    """Annotations to add to the Pods."""


class PullSecret(Model):
    """A Secret with credentials for an image registry."""

    name: ObjectName
    """Name of the Secret, in the same namespace."""


PullSecrets = Annotated[list[PullSecret], Field(max_length=16), ListMap(("name",)), Omitted]


_MAX_SEARCHES = 2048


class DnsOption(Model):
    """An option of the resolver."""

    name: Annotated[str, Field(pattern="^[a-z][-_a-z0-9]*$", max_length=63)]
    """Name of the option, such as ndots."""
    value: Annotated[str, Field(pattern="^[0-9]+$", max_length=9)] | None = None
    """Value of the option, a number. Some options have none."""


class DnsConfig(Model):
    """DNS settings that are added to those of the cluster."""

    nameservers: Annotated[list[IpAddress], Field(max_length=3), Omitted] | None = None
    """IP addresses of DNS servers to use in addition to that of the cluster."""
    searches: (
        Annotated[
            list[SearchDomain],
            Field(max_length=32),
            Rule(
                f"all items together, with a space between two, must have at most {_MAX_SEARCHES} characters",
                lambda searches: len(" ".join(searches)) <= _MAX_SEARCHES,
                cel=f"self.map(s, s.size() + 1).sum() <= {_MAX_SEARCHES + 1}",
            ),
            Omitted,
        ]
        | None
    ) = None
    """Domains in which names are looked up, in addition to those of the cluster."""
    options: Annotated[list[DnsOption], Field(max_length=16), ListMap(("name",)), Omitted] | None = None
    """Options of the resolver; they override those of the cluster."""


class HostAlias(Model):
    """An entry of the hosts file."""

    ip: IpAddress
    """IP address of the hosts."""
    hostnames: Annotated[list[ObjectName], Field(min_length=1, max_length=32)]
    """Names that resolve to the address."""


HostAliases = Annotated[list[HostAlias], Field(max_length=32), ListMap(("ip",)), Omitted]
