"""Examples of the rules of environment and ports."""

from tests.api.examples.case import Example
from tests.requests.builders import Json

KEY = {"name": "settings", "key": "mode"}


def _var(**fields: Json | str) -> Json:
    return {"env": [{"name": "A", **fields}]}


def _resource(resource: str, divisor: str | None = None) -> Json:
    return {"resource": resource, **({"divisor": divisor} if divisor else {})}


def _ports(*ports: Json) -> Json:
    return {"ports": [{"containerPort": 8000 + index, **port} for index, port in enumerate(ports)]}


GOOD_DIVISORS = [
    _resource("limits.cpu"),
    _resource("limits.cpu", "1"),
    _resource("requests.cpu", "1m"),
    _resource("limits.memory", "1"),
    _resource("limits.memory", "1Mi"),
    _resource("requests.ephemeral-storage", "1G"),
]
BAD_DIVISORS = [
    _resource("limits.cpu", "1k"),
    _resource("requests.cpu", "1Ki"),
    _resource("limits.memory", "1m"),
    _resource("requests.ephemeral-storage", "1m"),
]

ENV = [
    Example(
        path="spec.env",
        says="all values together must have at most 65536 characters",
        good=[
            {"env": []},
            {"env": [{"name": "A"}, {"name": "B", "value": "x" * 65536}]},
            {"env": [{"name": "A", "value": "é" * 65000}, {"name": "B", "value": "😀" * 536}]},
        ],
        bad=[
            {"env": [{"name": "A", "value": "x" * 65536}, {"name": "B", "value": "x"}]},
            {"env": [{"name": f"A{index}", "value": "x" * 257} for index in range(256)]},
        ],
    ),
    Example(
        path="spec.env[]",
        says="value and valueFrom must not both be set",
        good=[_var(), _var(value=""), _var(value="a"), _var(value="", valueFrom={"secretKeyRef": KEY})],
        bad=[_var(value="a", valueFrom={"secretKeyRef": KEY}), _var(value=" ", valueFrom={"configMapKeyRef": KEY})],
    ),
    Example(
        path="spec.env[].valueFrom",
        says="exactly one of configMapKeyRef",
        good=[
            _var(valueFrom=source)
            for source in (
                {"configMapKeyRef": KEY},
                {"secretKeyRef": KEY},
                {"fieldRef": {"fieldPath": "metadata.name"}},
                {"resourceFieldRef": {"resource": "limits.cpu"}},
                {"secretKeyRef": KEY, "configMapKeyRef": None},
            )
        ],
        bad=[
            _var(valueFrom=source)
            for source in (
                {},
                {"unknownRef": KEY},
                {"configMapKeyRef": KEY, "secretKeyRef": KEY},
                {"fieldRef": {"fieldPath": "metadata.name"}, "resourceFieldRef": {"resource": "limits.cpu"}},
            )
        ],
    ),
    Example(
        path="spec.env[].valueFrom.resourceFieldRef",
        says="divisor must be 1 or 1m for CPU",
        good=[_var(valueFrom={"resourceFieldRef": ref}) for ref in GOOD_DIVISORS],
        bad=[_var(valueFrom={"resourceFieldRef": ref}) for ref in BAD_DIVISORS],
    ),
    Example(
        path="spec.envFrom[]",
        says="exactly one of configMapRef and secretRef",
        good=[
            {"envFrom": [{"configMapRef": {"name": "a"}}, {"secretRef": {"name": "a"}}]},
            {"envFrom": [{"prefix": "A_", "secretRef": {"name": "a", "optional": False}}]},
        ],
        bad=[
            {"envFrom": [{}]},
            {"envFrom": [{"prefix": "A_"}]},
            {"envFrom": [{"configMapRef": {"name": "a"}, "secretRef": {"name": "a"}}]},
        ],
    ),
]
PORTS = [
    Example(
        path="spec.ports",
        says="port names must be unique",
        good=[{"ports": []}, _ports({}, {}), _ports({"name": "a"}, {}, {"name": "b"}, {})],
        bad=[_ports({"name": "a"}, {"name": "a"}), _ports({}, {"name": "a"}, {"name": "b"}, {"name": "a"})],
    ),
    Example(
        path="spec.ports",
        says="each containerPort must be unique",
        good=[_ports({}, {"protocol": "UDP"}, {"protocol": "SCTP"})],
        bad=[
            _ports(
                {"containerPort": 53, "protocol": "TCP"}, {"containerPort": 53, "servicePort": 54, "protocol": "UDP"}
            ),
            _ports({"containerPort": 53}, {}, {"containerPort": 53, "servicePort": 54, "protocol": "SCTP"}),
        ],
    ),
    Example(
        path="spec.ports",
        says="each port of the Service",
        good=[
            _ports({"servicePort": 80}, {}),
            _ports({"containerPort": 80, "servicePort": 81}, {"containerPort": 81, "servicePort": 80}),
        ],
        bad=[
            _ports({"servicePort": 80}, {"servicePort": 80, "protocol": "UDP"}),
            _ports({"servicePort": 80}, {}, {"containerPort": 80}),
        ],
    ),
    Example(
        path="spec.ports[].name",
        says="must consist of lowercase letters",
        good=[_ports({"name": name}) for name in ("a", "http", "8080x", "a-b-c", "1-a", "a-1", "abcdefghijklmno")],
        bad=[
            _ports({"name": name})
            for name in ("", "80", "1-2", "HTTP", "a--b", "-a", "a-", "a_b", "a.b", "a b", "a\n", "é", "٣a")
        ],
    ),
    Example(
        path="spec.ports[].name",
        says="must not look like the name that an unnamed port",
        good=[_ports({"name": name}) for name in ("tcp", "tcp-80a", "http-80", "tcp-a-80", "tcp80", "a-tcp-80")],
        bad=[_ports({"name": name}) for name in ("tcp-80", "udp-53", "sctp-1", "tcp-0")],
    ),
]

EXAMPLES = [*ENV, *PORTS]
