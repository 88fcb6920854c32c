"""A program: shell completion, and an output that ends or that can't be written."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from metahook.cli.program import VERBS
from metahook.commands import bound_program
from toolkit.cli.bound import binding
from toolkit.cli.command import problem
from toolkit.command import run
from toolkit.slow import short_or_whole

PROGRAM = (sys.executable, "-m", "metahook.cli")


def completed(instruction: str, words: str = "", place: int = 0) -> str:
    """Return what the program prints for the *instruction* of a completion script."""
    variables = {"_WIDGETS_COMPLETE": instruction, "COMP_WORDS": words, "COMP_CWORD": str(place)}
    with pytest.MonkeyPatch.context() as environment:
        for name, value in variables.items():
            environment.setenv(name, value)
        ended = run(lambda _: bound_program("widgets", binding, version="1.0").complete())
    assert (ended.code, ended.err) == (0, "")
    return ended.out


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        pytest.param("widgets rep", "plain,replay", id="a command"),
        pytest.param("widgets render --ob", "plain,--observed", id="an option"),
        pytest.param("widgets render -o r", "plain,response", id="a value"),
        pytest.param("widgets render -f exa", "file,exa", id="a file"),
        pytest.param("widgets diff exa", "file,exa", id="a file to compare"),
    ],
)
def test_commands_options_values_and_files_are_completed(words: str, printed: str) -> None:
    assert completed("bash_complete", words, len(words.split()) - 1).splitlines() == [printed]


@pytest.mark.parametrize("name", ["check", "dev", "new", *VERBS])
def test_a_misspelt_command_is_suggested(name: str) -> None:
    assert problem(f"{name}x") == f"No such command '{name}x'. Did you mean '{name}'? See: metahook --help"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell_is_printed(shell: str) -> None:
    assert "_WIDGETS_COMPLETE" in completed(f"{shell}_source")


def test_a_closed_pipe_is_not_an_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)

    ended = subprocess.run([*PROGRAM, "--help"], stdout=writer, stderr=subprocess.PIPE, text=True, check=False)

    os.close(writer)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["--help"], *short_or_whole([], [["render", "--help"], ["--version"]])])
def test_output_that_cannot_be_written_is_one_line_and_code_2(arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run([*PROGRAM, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False)

    assert ended.returncode == 2
    assert ended.stderr == "metahook: cannot write the output: no space left on device; write to another file\n"
