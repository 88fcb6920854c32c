"""Each command in the pages prints what its page says below it, which ``--update-golden`` writes."""

import io
import logging
import os
import re
import shutil
import subprocess
from collections.abc import Callable

import pytest

from metahook import Controller, SyncResponse
from metahook.server import Limits, ServerOptions, create_app
from metahook.server.logs import formatter
from tests.cli.plugin.recorded import kubectl, path_with
from tests.docs.documents import ROOT, consoles, printed
from tests.docs.recipes import RECIPES
from tests.requests.builders import MYRESOURCE, NOW
from toolkit.documents import Console
from toolkit.hooks.minimal import TINY, sync_body
from toolkit.served.asgi import call
from toolkit.served.process import Served
from toolkit.served.refusals import without_id
from website.site import pages

ELSEWHERE = {
    "docs/clusters/tls.md": "tests/docs/test_secure.py",
    **{f"metahook/docs/{name}.md": "metahook/tests/docs" for name in ("metahook", "write-your-own-hook")},
    "metahook/docs/simulate-your-hook.md": "metahook/tests/docs",
    **dict.fromkeys(RECIPES, "tests/e2e/test_recipes.py"),
}
"""The tests that run the commands of a page, where it is not this one. (chinese.py compares the translations.)"""
CURL, LOGS, PLUGIN = "docs/concepts/curl.md", "docs/reference/logs.md", "docs/apps/kubectl-plugin.md"
"""The pages whose commands need more than a shell."""
PAGES = [f"{page.relative_to(ROOT)}" for page in pages() if not page.name.endswith(".zh.md")]
BLOCKS = {
    f"{page} {number}": block for page in PAGES if page not in ELSEWHERE for number, block in enumerate(consoles(page))
}

_REQUESTS = [(ROOT / f"examples/requests/{name}.json").read_bytes() for name in ("3-rolling-out", "4-ready", "ready")]
_WHERE = "KeyError at /app/greetings.py:12 < /app/hook.py:7"


def _fails(*_: object) -> SyncResponse:
    """Raise, as a hook with a bug does."""
    raise KeyError


def log() -> str:
    """Return the log in docs/reference/logs.md, which a server writes."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter("json", is_terminal=False))
    logger = logging.getLogger("metahook.server.telemetry")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)

    failing = create_app(Controller(_fails, TINY.children))
    for name in (b'"one"', b'"two"'):
        call(failing, "/sync", sync_body().replace(b'"hello"', name))
    app = create_app(MYRESOURCE, ServerOptions(Limits(max_body=50_000)), clock=lambda: NOW)
    for body in [*_REQUESTS, b"{", b" " * 50_001, b" " * 50_001]:
        call(app, "/sync", body)
    for path in ("/", "/", "/docs"):
        call(app, path)

    logger.removeHandler(handler)
    logger.setLevel(level)
    (id_,) = set(re.findall(r'"status": 500, .*"id": "([^"]*)"', stream.getvalue()))
    return re.sub(r'"where": "[^"]*"', f'"where": "{_WHERE}"', stream.getvalue()).replace(id_, "5f0c2a91")


Run = Callable[[str], str]
"""Returns what a command prints."""


@pytest.fixture(name="run_by_page", scope="module")
def _run_by_page(operator: Served, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """Give what runs the commands of these pages."""
    folder = tmp_path_factory.mktemp("log")
    (folder / "hook.log").write_text(log())
    environment = {**os.environ, "PATH": path_with(kubectl(tmp_path_factory.mktemp("kubectl")))}

    def with_recorded_kubectl(command: str) -> str:
        return subprocess.check_output(command, shell=True, env=environment, stderr=subprocess.STDOUT, text=True)  # noqa: S602 - a document's command

    def to_the_hook(command: str) -> str:
        local = "http://127.0.0.1"
        return printed(command.replace(f"{local}:8080", operator.url).replace(f"{local}:8081", operator.health_url))

    return {
        CURL: to_the_hook,
        PLUGIN: with_recorded_kubectl,
        LOGS: lambda command: printed(command, folder),
    }


@pytest.mark.parametrize("block", [pytest.param(block, id=name) for name, block in BLOCKS.items()])
def test_a_command_prints_what_its_page_says(block: Console, request: pytest.FixtureRequest) -> None:
    if "jq " in block.command and not shutil.which("jq"):
        pytest.skip("jq is not installed")
    is_plain = block.page not in {CURL, LOGS, PLUGIN}  # and needs no server
    run: Run = printed if is_plain else request.getfixturevalue("run_by_page")[block.page]
    found, said = run(block.command), block.output
    if block.page == CURL:  # an answer has an id of its own, and no end of line
        found, said = (without_id(text).removesuffix("\n") for text in (found, said))

    if found != said and request.config.getoption("--update-golden"):
        write(block, found)
    else:
        assert found == said


def write(block: Console, found: str) -> None:
    """Write what a command printed into its page, and into the translation of this."""
    page = ROOT / block.page
    for file in (page, page.parents[1] / "zh" / f"{page.stem}.zh.md", page.with_suffix(".zh.md")):
        if file.exists():
            text = file.read_text(encoding="utf-8")
            end = "" if found.endswith("\n") else "\n"
            file.write_text(text.replace(f"\n{block.output}```\n", f"\n{found}{end}```\n", 1), encoding="utf-8")
