"""Examples of the rules of the address outside of the cluster."""

from typing import Any

from tests.api.examples.case import Example
from tests.requests.builders import Json

HTTP: Json = {"name": "http", "containerPort": 80}


def _exposed(**fields: Any) -> Json:
    return {"ports": [HTTP], "expose": {"host": "web.example.com", **fields}}


NO_HOSTS = [
    "", "*.example.com", "Web.example.com", "web.example.com.", "192.0.2.1", "1.2.3.04", "::1", "1", "a..b", "-a",
    "a-", "a_b", "web:80", "web/", "a" * 64, "a\n", "b\u00e4r",
]  # fmt: skip
HOST = Example(
    path="spec.expose.host",
    says="must be a host name in lowercase",
    good=[_exposed(host=host) for host in ("a", "web.example.com", "1.2.3.a", "x--1.b", "a" * 63, "a.b" * 84)],
    bad=[_exposed(host=host) for host in NO_HOSTS],
)
PATH = Example(
    path="spec.expose.path",
    says="must be / or a path such as /shop",
    good=[_exposed(path=path) for path in ("/", "/shop", "/a/b", "/.well-known", "/a/..b", "/~a", "/" + "a" * 255)],
    bad=[
        _exposed(path=path)
        for path in ("", "shop", "/shop/", "//", "/a//b", "/.", "/a/..", "/a/./b", "/a b", "/%2f", "/a?b", "/a\n", "/;")
    ],
)
ONE_ROUTE = Example(
    path="spec.expose",
    says="className and gateway must not both be set",
    good=[_exposed(className="nginx"), _exposed(gateway={"name": "shared"})],
    bad=[_exposed(className="nginx", gateway={"name": "shared"})],
)
OWN_CERTIFICATE = Example(
    path="spec.expose",
    says="tls.secretName must not be set with gateway",
    good=[_exposed(tls={"secretName": "a"}), _exposed(tls={}, gateway={"name": "shared"})],
    bad=[_exposed(tls={"secretName": "a"}, gateway={"name": "shared"})],
)
TCP_PORT = Example(
    path="spec",
    says="expose needs a TCP port in spec.ports",
    good=[
        _exposed(),
        _exposed(port="http"),
        {"ports": [{"containerPort": 53, "protocol": "UDP"}, HTTP], "expose": {"host": "a"}},
    ],
    bad=[
        {"expose": {"host": "a"}},
        {"ports": [], "expose": {"host": "a"}},
        _exposed(port="https"),
        {"ports": [{**HTTP, "protocol": "UDP"}], "expose": {"host": "a", "port": "http"}},
        {"ports": [{**HTTP, "protocol": "SCTP"}], "expose": {"host": "a"}},
    ],
)
SERVICE = Example(
    path="spec",
    says="expose needs the Service",
    good=[
        {**_exposed(), "service": {"mode": "Auto"}},
        {**_exposed(), "service": {}},
        {"service": {"mode": "Disabled"}},
    ],
    bad=[{**_exposed(), "service": {"mode": "Disabled"}}],
)

EXAMPLES = [HOST, PATH, ONE_ROUTE, OWN_CERTIFICATE, TCP_PORT, SERVICE]
