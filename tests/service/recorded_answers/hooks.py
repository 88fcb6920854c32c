"""Serves hooks that do what ``spec.word`` says, as a stranger's hook is served: by ``metahook.serve``.

This is the only module of these tests that names parts of the server.
"""

import logging
import sys
import time
from datetime import datetime

from metahook import (
    Address,
    Controller,
    CustomizeRequest,
    MalformedRequest,
    RelatedRule,
    ServerOptions,
    Service,
    SyncRequest,
    SyncResponse,
    serve,
)
from metahook.protocol.bodies.malformed import RequestRule
from metahook.server import Limits
from toolkit.hooks import minimal


class Short(Limits):
    """Limits for which no test has to wait."""

    max_large_bodies = 16
    max_url = 500
    idle_timeout = head_timeout = 2


OPTIONS = ServerOptions(Short(max_body=300_000, body_timeout=2, decide_timeout=2), stop_timeout=1)
BLOCKED = 5.0
"""Seconds for which a hook blocks."""


def sync(request: SyncRequest, now: datetime) -> SyncResponse:
    """Return what the word of the parent asks for."""
    word = request.parent.spec.decode()
    if "fail" in word:
        raise KeyError(word)
    if "exit" in word:
        raise SystemExit(word)
    if "malformed" in word:
        raise MalformedRequest(RequestRule.REQUIRED, path=word)
    if "undeclared" in word:
        request.children.get(Service, "hello")
    if "block" in word:
        time.sleep(BLOCKED)
    if "no status" in word:
        return SyncResponse(status={})
    if "null" in word:
        return SyncResponse(status={"a": 1}, children=[minimal.config_map(data={"a": None})])
    if "too long" in word:
        return SyncResponse(status={"a": "x" * 1_100_000})
    return minimal.sync(request, now)


def customize(request: CustomizeRequest) -> list[RelatedRule]:
    """Return what the word of the parent asks for."""
    word = request.parent.spec.decode()
    if "fail" in word:
        raise KeyError(word)
    if "elsewhere" in word:
        return [{"apiVersion": "v1", "resource": "pods", "namespace": "other", "names": ["a"]}]
    return minimal.customize(request)


CONTROLLERS = {
    "": Controller(sync=sync, customize=customize, children=minimal.TINY.children),
    "/other/hook": Controller(sync=minimal.TINY.sync, children=minimal.TINY.children),
}


if __name__ == "__main__":
    port, health_port = (int(option.partition("=")[2]) for option in sys.argv[1:])
    logging.basicConfig(level="CRITICAL")  # serve leaves it so
    serve(CONTROLLERS, Address("127.0.0.1", port), Address("127.0.0.1", health_port), OPTIONS)
