import subprocess
import sys
from pathlib import Path

import pytest

from app import __version__
from tests.cli.calling import assert_one_line, call


def test_help_lists_the_commands_without_loading_them() -> None:
    ended = call("--help")

    assert ended.code == 0
    for name in ("crd", "diff", "explain", "render", "replay", "serve"):
        assert f"\n  {name}" in ended.out


@pytest.mark.parametrize("name", ["crd", "diff", "explain", "render", "replay", "serve"])
def test_every_command_has_a_help_page_that_fits_a_terminal(name: str) -> None:
    ended = call(name, "--help")

    assert ended.code == 0
    assert ended.out.startswith(f"Usage: myresource {name}")
    assert max(map(len, ended.out.splitlines())) <= 100


def test_without_arguments_there_is_help() -> None:
    assert call() == call("--help")


def test_the_version_is_the_packages() -> None:
    assert call("--version").out.split()[-1] == __version__


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param(["rendr"], ["rendr", "see: myresource --help"], id="no such command"),
        pytest.param(["render"], ["--filename", "see: myresource render --help"], id="nothing to render"),
        pytest.param(["render", "--colour"], ["--colour", "see: myresource render --help"], id="no such option"),
        pytest.param(["serve", "--port", "many"], ["--port", "see: myresource serve --help"], id="not a port"),
        pytest.param(["serve", "--port", "65536"], ["--port", "65535"], id="a port too high"),
    ],
)
def test_a_wrong_call_is_one_line_with_the_way_to_help_and_code_2(arguments: list[str], words: list[str]) -> None:
    assert_one_line(call(*arguments), 2, *words)


@pytest.mark.parametrize("pipe", ["crd | head -1", "explain | true"])
def test_a_reader_who_leaves_early_is_no_error(pipe: str) -> None:
    command = f"{sys.executable} -m app {pipe}; exit ${{PIPESTATUS[0]}}"

    ended = subprocess.run(["/bin/bash", "-c", command], capture_output=True, text=True, check=False)

    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize(
    "command",
    ["crd", "explain", "render -f examples/web.yaml", "simulate -f examples/web.yaml", "--help", "explain --help"],
)
def test_output_that_cannot_be_written_is_one_line_and_code_2(command: str) -> None:
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "app", *command.split()], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )

    assert ended.returncode == 2
    assert ended.stderr == "myresource: cannot write the output: no space left on device; write it elsewhere\n"


def test_without_standard_output_nothing_fails() -> None:
    shell = f"{sys.executable} -m app crd >&-"

    ended = subprocess.run(["/bin/bash", "-c", shell], stderr=subprocess.PIPE, text=True, check=False)

    assert (ended.returncode, ended.stderr) == (0, "")


NO_FILE = "/no/such.yaml"


@pytest.mark.parametrize(
    "arguments",
    [
        ["render", "-f", NO_FILE],
        ["render", "-f", "examples/web.yaml", "--observed", NO_FILE],
        ["render", "-f", "examples/web.yaml", "--related", NO_FILE],
        ["diff", "-f", NO_FILE, "--against", "examples/web.yaml"],
        ["diff", "-f", "examples/web.yaml", "--against", NO_FILE],
        ["replay", NO_FILE],
        ["simulate", "-f", NO_FILE],
        ["simulate", "--scenario", NO_FILE],
    ],
    ids=" ".join,
)
def test_a_missing_file_has_one_exit_code_everywhere(arguments: list[str]) -> None:
    assert_one_line(call(*arguments), 2, NO_FILE)


def test_serving_needs_no_yaml_and_what_needs_it_says_so() -> None:
    hide = "import sys; sys.modules['yaml'] = None; from app.cli import main; main(sys.argv[1:])"

    helped = subprocess.run([sys.executable, "-c", hide, "serve", "--help"], capture_output=True, check=False)
    rendered = subprocess.run([sys.executable, "-c", hide, "crd"], capture_output=True, text=True, check=False)

    assert helped.returncode == 0
    assert rendered.returncode == 2
    assert rendered.stderr == "myresource: crd needs yaml; install it with: pip install 'myresource-operator[cli]'\n"


def test_without_the_toolkit_it_says_where_that_is_and_names_no_index() -> None:
    hide = "import sys; sys.modules['metahook'] = None; from app.cli import main; main(sys.argv[1:])"

    served = subprocess.run([sys.executable, "-c", hide, "serve"], capture_output=True, text=True, check=False)

    remedy = "pip install ./metahook, at the root of the repository"
    assert (served.returncode, served.stderr) == (2, f"myresource: serve needs metahook; install it with: {remedy}\n")
