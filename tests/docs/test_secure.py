"""The page about who may call: its commands make certificates that the hook takes, and print what it says."""

import shlex
import subprocess
from collections.abc import Callable, Iterator

import pytest

from tests.docs.commands import section_commands
from tests.docs.documents import consoles, printed
from tests.service.operator import FORKED, served
from toolkit.documents import Console
from toolkit.served.refusals import without_id

PAGE = "docs/clusters/tls.md"
BLOCKS = consoles(PAGE)
*MAKE, SERVE = section_commands(PAGE, "Make certificates and a token")


@pytest.fixture(name="run", scope="module")
def _run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], str]]:
    """Return what prints a command's output, with the hook that the page starts and the files that it makes."""
    folder = tmp_path_factory.mktemp("secure")
    for command in MAKE:
        subprocess.run(command, shell=True, cwd=folder, check=True, capture_output=True)  # noqa: S602 - a document's
    words = shlex.split(SERVE.replace("certs/", f"{folder}/certs/"))
    with served(*FORKED, *words[1:], "--drain=0") as hook:
        places = {
            "https://127.0.0.1:8080": hook.url.replace("http:", "https:"),
            "http://127.0.0.1:8081": hook.health_url,
            "certs/": f"{folder}/certs/",
        }

        def run(command: str) -> str:
            for place, here in places.items():
                command = command.replace(place, here)
            return without_id(printed(command)).removesuffix("\n")

        yield run


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_a_command_of_the_page_prints_what_the_page_says(block: Console, run: Callable[[str], str]) -> None:
    assert run(block.command) == without_id(block.output).removesuffix("\n")


def test_each_part_of_the_call_is_needed(run: Callable[[str], str]) -> None:
    call, answer = BLOCKS[0].command, run(BLOCKS[0].command)
    for part in ("--cacert certs/ca.crt ", "--cert certs/client.crt --key certs/client.key ", "Bearer "):
        assert part in call
        assert run(call.replace(part, "")) != answer
