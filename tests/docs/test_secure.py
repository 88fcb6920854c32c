"""The page about who may call: its commands make certificates that the hook takes, and print what it says."""

import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.docs.commands import section_commands
from tests.docs.documents import consoles, printed
from tests.service.operator import served
from toolkit.documents import Console
from toolkit.served.process import Served
from toolkit.served.refusals import without_id

PAGE = "docs/clusters/tls.md"
BLOCKS = consoles(PAGE)
*MAKE, SERVE = section_commands(PAGE, "Make certificates and a token")


@dataclass(frozen=True)
class Secured:
    """The hook that the page starts, with the files that it makes in *folder*."""

    hook: Served
    folder: Path

    def printed(self, command: str) -> str:
        """Return what *command* prints, with the files and ports of this hook."""
        url = self.hook.url.replace("http:", "https:")
        command = command.replace("https://127.0.0.1:8080", url).replace("http://127.0.0.1:8081", self.hook.health_url)
        return printed(command.replace("certs/", f"{self.folder}/certs/"))


@pytest.fixture(name="secured", scope="module")
def _secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    folder = tmp_path_factory.mktemp("secure")
    for command in MAKE:
        subprocess.run(command, shell=True, cwd=folder, check=True, capture_output=True)  # noqa: S602 - a document's
    words = shlex.split(SERVE.replace("certs/", f"{folder}/certs/"))
    with served(sys.executable, "-m", "app", *words[1:], "--drain=0") as hook:
        yield Secured(hook, folder)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_a_command_of_the_page_prints_what_the_page_says(block: Console, secured: Secured) -> None:
    assert without_id(secured.printed(block.command)).removesuffix("\n") == without_id(block.output).removesuffix("\n")


def test_each_part_of_the_call_is_needed(secured: Secured) -> None:
    call, output = BLOCKS[0].command, BLOCKS[0].output
    for part in ("--cacert certs/ca.crt ", "--cert certs/client.crt --key certs/client.key ", "Bearer "):
        assert part in call
        assert secured.printed(call.replace(part, "")) != output
