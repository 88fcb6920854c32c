"""Each command in the pages prints what its page says below it, which ``--update-golden`` writes."""

import os
import shutil
import subprocess
from collections.abc import Callable

import pytest

from tests.cli.plugin.recorded import kubectl, path_with
from tests.docs.documents import ROOT, consoles, printed
from tests.docs.log import log
from tests.docs.recipes import RECIPES
from toolkit.documents import Console
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

Run = Callable[[str], str]
"""Returns what a command prints."""


@pytest.fixture(name="run_by_page", scope="module")
def _run_by_page(operator: Served, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """Give what runs the commands of these pages."""
    folder = tmp_path_factory.mktemp("log")
    (folder / "hook.log").write_text(log())
    environment = {**os.environ, "PATH": path_with(kubectl(tmp_path_factory.mktemp("kubectl")))}

    def with_recorded_kubectl(command: str) -> str:
        said = {"shell": True, "env": environment, "stderr": subprocess.STDOUT, "text": True}
        return str(subprocess.check_output(command, **said))

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
