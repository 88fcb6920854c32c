"""The pages about the command metahook: their commands print what the pages say, for a hook in JavaScript, too."""

import re
import shlex
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import chdir, suppress
from pathlib import Path

import pytest

from metahook.envtest.process import free_port
from metahook.simulator.findings import RULES
from metahook.simulator.scenarios import Step
from toolkit.cli.command import call
from toolkit.documents import Console, blocks, consoles, page
from toolkit.root import ROOT
from toolkit.slow import only_whole

TEXT = page("metahook")
SIMULATE = page("simulate-your-hook")
BLOCKS = consoles("metahook") + consoles("simulate-your-hook")
REMOTE = [block for block in BLOCKS if "--hook http" in block.command]
PAGES = [page(name) for name in ("metahook", "simulate-your-hook", "write-your-own-hook")]
COMMANDS = re.findall(r"^ {4}metahook (\w+) (.*)$", "".join(PAGES), re.MULTILINE)


@pytest.fixture(name="folder", scope="module")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy what the page copies."""
    folder = tmp_path_factory.mktemp("page") / "greeting"
    shutil.copytree(ROOT / "examples/greeting", folder)
    (folder / "bye.yaml").write_text((folder / "hi.yaml").read_text().replace("hello", "bye"))
    return folder


def run(command: str, folder: Path) -> str:
    """Return what *command*, one of metahook, prints in *folder*."""
    program, *arguments = shlex.split(command)
    assert program == "metahook"
    with chdir(folder):
        ended = call(*arguments)
    assert not ended.err
    return ended.out


@pytest.mark.parametrize("block", [block for block in BLOCKS if block not in REMOTE], ids=str)
def test_a_command_prints_what_the_page_says(block: Console, folder: Path) -> None:
    assert run(block.command, folder) == block.output


@pytest.fixture(
    name="node", params=["as the page has it", pytest.param("mended", marks=[pytest.mark.slow, only_whole])]
)
def _node(request: pytest.FixtureRequest) -> Iterator[tuple[int, Console]]:
    """Serve the hook in JavaScript; yield its port and the block that is about it."""
    if not shutil.which("node"):
        pytest.skip("node is not installed")
    (code,) = blocks(TEXT, "js")
    is_mended, port = request.param == "mended", free_port()
    code = code.replace(", at: new Date()", "") if is_mended else code
    with subprocess.Popen(["node", "-e", code.replace("listen(3000)", f"listen({port}, '127.0.0.1')")]) as process:  # noqa: S607 - where it is, is the user's
        try:
            wait_for(port)
            yield port, REMOTE[is_mended]
        finally:
            process.terminate()


def wait_for(port: int) -> None:
    """Wait until something listens on *port*."""
    for _ in range(100):
        with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.05)


def test_a_hook_in_javascript_is_checked(node: tuple[int, Console], folder: Path) -> None:
    port, block = node

    printed = run(block.command.replace("3000", str(port)), folder).replace(str(port), "3000")
    assert without_counts(printed) == without_counts(block.output)


def without_counts(text: str) -> str:
    """Return *text* without the numbers of checks and calls, which depend on how quickly a hook answers."""
    return re.sub(r"[0-9]+(?= (checks|calls))", "N", text)


@pytest.mark.parametrize(("name", "arguments"), COMMANDS)
def test_a_command_without_output_has_options_that_exist(name: str, arguments: str) -> None:
    known = call(name, "--help").out

    assert [option for option in re.findall(r"(?<= )--[a-z-]+", f" {arguments}") if option not in known] == []


def test_the_page_names_every_finding_and_every_step() -> None:
    assert re.findall(r"^\| `([A-Z][A-Za-z]+)` \|", SIMULATE, re.MULTILINE) == list(RULES)
    named = set(re.findall(r"^\| `([a-z]+): ", SIMULATE, re.MULTILINE))
    assert named == set(Step.__struct_fields__) - {"say"}


def test_the_scenario_of_the_page_meets_its_expectations(folder: Path) -> None:
    (scenario,) = blocks(SIMULATE, "yaml")
    (folder / "by-hand.yaml").write_text(scenario)
    (command,) = re.findall(r"^ {4}(.* --scenario .*)$", SIMULATE, re.MULTILINE)

    output = run(command, folder)

    assert "metacontroller    updates ConfigMap hi: data.text=hello" in output
    assert "not met" not in output
