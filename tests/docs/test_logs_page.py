"""The page about the log: its commands, run on a log of the server."""

import io
import itertools
import logging
import re
import shutil
from pathlib import Path

import pytest

from metahook import Controller, SyncRequest, SyncResponse
from metahook.server.app import ServerOptions, create_app
from metahook.server.limits import Limits
from metahook.server.telemetry.logs import formatter
from metahook.server.telemetry.telemetry import Telemetry
from tests.docs.documents import ROOT, Console, consoles, printed
from tests.requests.builders import MYRESOURCE, NOW
from toolkit.hooks.minimal import TINY, sync_body
from toolkit.served.asgi import call

PAGE = "docs/reference/logs.md"
REQUESTS = [(ROOT / f"examples/requests/{name}.json").read_bytes() for name in ("3-rolling-out", "4-ready", "ready")]
WHERE = "KeyError at /app/greetings.py:12 < /app/hook.py:7"


def fails(_: SyncRequest) -> SyncResponse:
    """Raise, as a hook with a bug does."""
    raise KeyError


@pytest.fixture(name="folder", scope="module")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the log of the page."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter("json", is_terminal=False))
    log = logging.getLogger("metahook.server.telemetry.telemetry")
    level = log.level
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    happen()
    log.removeHandler(handler)
    log.setLevel(level)
    folder = tmp_path_factory.mktemp("log")
    (folder / "hook.log").write_text(re.sub(r'"where": "[^"]*"', f'"where": "{WHERE}"', stream.getvalue()))
    return folder


def happen() -> None:
    """Send the requests of the page."""
    ids = itertools.chain(["5f0c2a91"], (f"0000000{number}" for number in itertools.count(1)))
    reports = Telemetry(new_id=lambda: next(ids))
    failing = create_app(Controller(lambda request, _: fails(request), TINY.children), telemetry=reports)
    for name in (b'"one"', b'"two"'):
        call(failing, "/sync", sync_body().replace(b'"hello"', name))
    app = create_app(MYRESOURCE, ServerOptions(Limits(max_body=50_000)), clock=lambda: NOW, telemetry=reports)
    for body in [*REQUESTS, b"{", b" " * 50_001, b" " * 50_001]:
        call(app, "/sync", body)
    for path in ("/", "/", "/docs"):
        call(app, path)
    reports.end()


@pytest.mark.skipif(not shutil.which("jq"), reason="jq is not installed")
@pytest.mark.parametrize("block", consoles(PAGE), ids=range(len(consoles(PAGE))))
def test_a_command_of_the_page_prints_what_the_page_says(block: Console, folder: Path) -> None:
    assert printed(block.command, folder) == block.output
