"""Examples of the rules of the two lifecycle hooks, which share them."""

from tests.api.examples.case import Example
from tests.requests.builders import Json

HOOKS = ("postStart", "preStop")
NAMED = {"name": "http", "containerPort": 80}
HANDLERS: Json = {"httpGet": {"port": 80}, "exec": {"command": ["true"]}, "sleep": {"seconds": 1}}


def _hooked(hook: str, handlers: Json, **fields: object) -> Json:
    return {"lifecycle": {hook: handlers}, **fields}


def _handler(hook: str) -> Example:
    return Example(
        path=f"spec.lifecycle.{hook}",
        says="exactly one of exec",
        good=[_hooked(hook, {name: handler}) for name, handler in HANDLERS.items()],
        bad=[
            _hooked(hook, handlers)
            for handlers in ({}, HANDLERS, *({**HANDLERS, name: None} for name in HANDLERS), {"tcpSocket": {"port": 1}})
        ],
    )


def _command(hook: str) -> Example:
    return Example(
        path=f"spec.lifecycle.{hook}.exec.command",
        says="the first item must not be empty",
        good=[_hooked(hook, {"exec": {"command": ["sh", ""]}})],
        bad=[_hooked(hook, {"exec": {"command": [""]}})],
    )


def _port(hook: str) -> Example:
    return Example(
        path="spec",
        says=f"the port name in lifecycle.{hook} must be",
        good=[
            {"lifecycle": {}},
            _hooked(hook, {"httpGet": {"port": 81}}, ports=[NAMED]),
            _hooked(hook, {"httpGet": {"port": "http"}}, ports=[{"containerPort": 90}, NAMED]),
        ],
        bad=[
            _hooked(hook, {"httpGet": {"port": "http"}}),
            _hooked(hook, {"httpGet": {"port": "https"}}, ports=[NAMED]),
        ],
    )


def _sleep(hook: str) -> Example:
    def sleeping(seconds: int, **fields: int) -> Json:
        return _hooked(hook, {"sleep": {"seconds": seconds}}, **fields)

    return Example(
        path="spec",
        says=f"lifecycle.{hook}.sleep.seconds must be less than terminationGracePeriodSeconds",
        good=[
            sleeping(29),
            sleeping(1, terminationGracePeriodSeconds=2),
            sleeping(3599, terminationGracePeriodSeconds=3600),
            _hooked(hook, {"exec": {"command": ["true"]}}, terminationGracePeriodSeconds=0),
        ],
        bad=[
            sleeping(30),
            sleeping(1, terminationGracePeriodSeconds=0),
            sleeping(1, terminationGracePeriodSeconds=1),
            sleeping(45, terminationGracePeriodSeconds=31),
        ],
    )


EXAMPLES = [make(hook) for hook in HOOKS for make in (_handler, _command, _port, _sleep)]
