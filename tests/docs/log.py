"""The log in docs/reference/logs.md, which a server writes."""

import io
import itertools
import logging
import re

from metahook import Controller, SyncResponse
from metahook.server.app import ServerOptions, create_app
from metahook.server.limits import Limits
from metahook.server.telemetry.logs import formatter
from metahook.server.telemetry.telemetry import Telemetry
from tests.docs.documents import ROOT
from tests.requests.builders import MYRESOURCE, NOW
from toolkit.hooks.minimal import TINY, sync_body
from toolkit.served.asgi import call

_REQUESTS = [(ROOT / f"examples/requests/{name}.json").read_bytes() for name in ("3-rolling-out", "4-ready", "ready")]
_WHERE = "KeyError at /app/greetings.py:12 < /app/hook.py:7"


def _fails(*_: object) -> SyncResponse:
    """Raise, as a hook with a bug does."""
    raise KeyError


def log() -> str:
    """Return the log of the page, which its requests write."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter("json", is_terminal=False))
    logger = logging.getLogger("metahook.server.telemetry.telemetry")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)

    ids = itertools.chain(["5f0c2a91"], (f"0000000{number}" for number in itertools.count(1)))
    reports = Telemetry(new_id=lambda: next(ids))
    failing = create_app(Controller(_fails, TINY.children), telemetry=reports)
    for name in (b'"one"', b'"two"'):
        call(failing, "/sync", sync_body().replace(b'"hello"', name))
    app = create_app(MYRESOURCE, ServerOptions(Limits(max_body=50_000)), clock=lambda: NOW, telemetry=reports)
    for body in [*_REQUESTS, b"{", b" " * 50_001, b" " * 50_001]:
        call(app, "/sync", body)
    for path in ("/", "/", "/docs"):
        call(app, path)
    reports.end()

    logger.removeHandler(handler)
    logger.setLevel(level)
    return re.sub(r'"where": "[^"]*"', f'"where": "{_WHERE}"', stream.getvalue())
