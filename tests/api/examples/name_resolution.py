"""Examples of the rules of DNS settings and host aliases."""

from typing import Any

from tests.api.examples.case import Example
from tests.requests.builders import Json

ADDRESSES = ["192.0.2.1", "255.255.255.255", "::", "::1", "2001:DB8::1", "64:ff9b::192.0.2.1"]
NO_ADDRESSES = [
    "", "a", "192.0.2", "192.0.2.01", "192.0.2.0/24", "::ffff:192.0.2.1", "fe80::1%eth0", "1::2::3", "[::1]",
]  # fmt: skip


def _asking(*servers: str) -> Json:
    return {"dnsConfig": {"nameservers": list(servers)}}


def _searching(*lengths: int) -> Json:
    return {"dnsConfig": {"searches": ["a" * 50 + ".b" * ((length - 50) // 2) for length in lengths]}}


def _alias(ip: str, *names: str) -> Json:
    aliases: list[dict[str, Any]] = [{"ip": ip, "hostnames": [*names, "a.example.com"]}]
    return {"hostAliases": aliases}


SERVERS = Example(
    path="spec.dnsConfig.nameservers[]",
    says="must be an IPv4 or IPv6 address",
    good=[_asking(*ADDRESSES[:3]), _asking(*ADDRESSES[3:])],
    bad=[_asking("192.0.2.1", ip) for ip in NO_ADDRESSES],
)
SEARCHES = Example(
    path="spec.dnsConfig.searches",
    says="all items together",
    good=[_searching(*[252] * 8), {"dnsConfig": {"searches": ["a.example.com.", "b", "b"]}}],
    bad=[_searching(*[252] * 8, 50), _searching(*[64] * 32)],
)
ALIASES = Example(
    path="spec.hostAliases[].ip",
    says="must be an IPv4 or IPv6 address",
    good=[_alias(ip, "b") for ip in ADDRESSES],
    bad=[_alias(ip) for ip in NO_ADDRESSES],
)

EXAMPLES = [SERVERS, SEARCHES, ALIASES]
