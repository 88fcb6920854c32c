"""Examples of the rules of the three probes, which share most of them."""

from typing import Any

from tests.api.examples.case import Example
from tests.requests.builders import Json

PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
NAMED = {"name": "http", "containerPort": 80}
HANDLERS: dict[str, Json] = {
    "httpGet": {"port": 80},
    "tcpSocket": {"port": 80},
    "exec": {"command": ["true"]},
    "grpc": {"port": 80},
}


def _handler(probe: str) -> Example:
    each = [{probe: {name: handler}} for name, handler in HANDLERS.items()]
    pairs = [("httpGet", "tcpSocket"), ("tcpSocket", "exec"), ("exec", "grpc"), ("grpc", "httpGet")]
    return Example(
        path=f"spec.{probe}",
        says="exactly one of httpGet",
        good=[*each, {probe: {"grpc": {"port": 80}, "httpGet": None}}],
        bad=[
            {probe: {}},
            {probe: {"periodSeconds": 5}},
            {probe: HANDLERS},
            *({probe: {name: HANDLERS[name] for name in pair}} for pair in pairs),
        ],
    )


def _command(probe: str) -> Example:
    return Example(
        path=f"spec.{probe}.exec.command",
        says="the first item must not be empty",
        good=[{probe: {"exec": {"command": command}}} for command in (["true"], ["sh", ""])],
        bad=[{probe: {"exec": {"command": command}}} for command in ([""], ["", "true"])],
    )


def _port(probe: str) -> Example:
    def asking(handler: str, port: int | str, ports: list[Json] | None = None) -> dict[str, Any]:
        return {probe: {handler: {"port": port}}, **({} if ports is None else {"ports": ports})}

    return Example(
        path="spec",
        says=f"the port name in {probe} must be",
        good=[
            asking("httpGet", 80),
            asking("tcpSocket", 81, [NAMED]),
            asking("httpGet", "http", [NAMED]),
            asking("tcpSocket", "http", [{"containerPort": 90}, NAMED]),
            {probe: {"exec": {"command": ["true"]}}},
        ],
        bad=[
            asking("httpGet", "http"),
            asking("httpGet", "http", []),
            asking("httpGet", "https", [NAMED]),
            asking("tcpSocket", "http", [{"containerPort": 80}]),
            asking("tcpSocket", "x", [NAMED]),
        ],
    )


EXAMPLES = [make(probe) for probe in PROBES for make in (_handler, _command, _port)]
