import subprocess
import sys
from pathlib import Path

import pytest

from app import __version__
from tests.cli.calling import assert_one_line, call

CLI_NOT_INSTALLED = (
    "myresource: crd needs yaml; install it with: pip install ./metahook '.[cli]', at the root of the repository\n"
)


def test_help_lists_the_commands_without_loading_them() -> None:
    ended = call("--help")

    assert ended.code == 0
    for name in ("crd", "diff", "explain", "render", "replay", "serve", "simulate"):
        assert f"\n  {name}" in ended.out


@pytest.mark.parametrize("name", ["crd", "diff", "explain", "render", "replay", "serve", "simulate"])
def test_every_command_has_a_help_page_that_fits_a_terminal(name: str) -> None:
    ended = call(name, "--help")

    assert ended.code == 0
    assert ended.out.startswith(f"Usage: myresource {name}")
    assert max(map(len, ended.out.splitlines())) <= 100


@pytest.mark.parametrize(
    ("name", "example"),
    [
        ("crd", "myresource crd | kubectl apply --server-side -f -"),
        ("render", "myresource render -f web.yaml | kubectl apply --dry-run=client -f -"),
    ],
)
def test_an_example_in_a_help_page_is_one_line_that_can_be_copied(name: str, example: str) -> None:
    assert f"\n    {example}\n" in call(name, "--help").out


def test_without_arguments_help_is_printed() -> None:
    assert call() == call("--help")


def test_the_version_is_that_of_the_package() -> None:
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
def test_a_usage_error_is_one_line_that_names_the_help_page(arguments: list[str], words: list[str]) -> None:
    assert_one_line(call(*arguments), 2, *words)


@pytest.mark.parametrize("pipe", ["crd | head -1", "explain | true"])
def test_a_closed_pipe_is_not_an_error(pipe: str) -> None:
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
    assert ended.stderr == "myresource: cannot write the output: no space left on device; write to another file\n"


def test_a_closed_standard_output_is_not_an_error() -> None:
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
def test_a_missing_file_has_the_same_exit_code_in_every_command(arguments: list[str]) -> None:
    assert_one_line(call(*arguments), 2, NO_FILE)


def test_serve_runs_without_yaml_and_other_commands_name_what_to_install() -> None:
    hide = "import sys; sys.modules['yaml'] = None; from app.cli import main; main(sys.argv[1:])"

    helped = subprocess.run([sys.executable, "-c", hide, "serve", "--help"], capture_output=True, check=False)
    rendered = subprocess.run([sys.executable, "-c", hide, "crd"], capture_output=True, text=True, check=False)

    assert helped.returncode == 0
    assert rendered.returncode == 2
    assert rendered.stderr == CLI_NOT_INSTALLED


def test_without_the_toolkit_the_error_names_its_path_and_no_index() -> None:
    hide = "import sys; sys.modules['metahook'] = None; from app.cli import main; main(sys.argv[1:])"

    served = subprocess.run([sys.executable, "-c", hide, "serve"], capture_output=True, text=True, check=False)

    remedy = "pip install ./metahook, at the root of the repository"
    assert (served.returncode, served.stderr) == (2, f"myresource: serve needs metahook; install it with: {remedy}\n")
