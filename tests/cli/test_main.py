import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from app import __version__
from app.api.crd import crd
from app.cli.main import program
from tests.cli.command import CommandResult, call
from toolkit.command import run

COMMANDS = ["crd", "diff", "explain", "import", "record", "render", "replay", "serve", "simulate", "validate"]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_help_page_that_fits_a_terminal(name: str) -> None:
    ended = call(name, "--help")

    assert ended.code == 0
    assert ended.out.startswith(f"Usage: myresource {name}")
    assert max(map(len, ended.out.splitlines())) <= 100


def test_without_arguments_help_is_printed() -> None:
    assert call() == call("--help")


@pytest.mark.parametrize("words", [(), ("-h",), ("--help",), ("--version",), ("-h", "--version"), ("--version", "-h")])
def test_the_help_without_imports_is_that_of_the_program(words: tuple[str, ...]) -> None:
    assert call(*words) == run(lambda arguments: program().main(arguments), *words)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize("typed", ["", "re", "expl"])
def test_names_completed_without_imports_are_those_of_the_program(
    shell: str, typed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    variables = {"_MYRESOURCE_COMPLETE": f"{shell}_complete", "COMP_WORDS": f"myresource {typed}", "COMP_CWORD": "1"}
    for name, value in {**variables, **({"COMP_CWORD": typed} if shell == "fish" else {})}.items():
        monkeypatch.setenv(name, value)

    found, expected = call(), run(lambda _: program().complete())

    assert _names(found.out) == _names(expected.out)
    assert ("render" in found.out) == ("render".startswith(typed))


def _names(completions: str) -> list[str]:
    """Return the names of commands, without their summaries, which the program cuts off."""
    return [word for word in re.split(r"[,\s]", completions) if word in COMMANDS]


@pytest.mark.parametrize(
    ("words", "meant", "helped"),
    [
        (("rendr",), "render", "myresource"),
        (("imprt", "-f", "web.yaml"), "import", "myresource"),
        (("simulate", "--scenaro", "demo"), "--scenario", "myresource simulate"),
    ],
)
def test_a_misspelt_command_or_option_is_suggested(words: tuple[str, ...], meant: str, helped: str) -> None:
    ended = call(*words)

    assert ended.code == 2
    assert ended.err.endswith(f". Did you mean '{meant}'? See: {helped} --help\n")


def test_crd_prints_the_crd_of_the_models() -> None:
    ended = call("crd")

    assert ended.code == 0
    assert yaml.safe_load(ended.out) == crd()


def test_the_version_is_that_of_the_package() -> None:
    assert call("--version").out.split()[-1] == __version__


def test_the_words_of_explain_are_completed(monkeypatch: pytest.MonkeyPatch) -> None:
    variables = {"_MYRESOURCE_COMPLETE": "bash_complete", "COMP_WORDS": "myresource explain Degr", "COMP_CWORD": "2"}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    assert call() == CommandResult(0, "plain,Degraded\n", "")


def test_what_the_image_lacks_no_command_of_the_toolkit_needs(write: Callable[..., str]) -> None:
    text = json.dumps(yaml.safe_load(Path("examples/web.yaml").read_text()))
    web = write(text, name="web.json")
    edited = write(text.replace("nginx:1.27", "nginx:1.28"), name="edited.json")
    live = "examples/recordings/cluster/deployments.json"
    calls = [
        (["render", "-f", web], 0, '"kind": "Deployment"'),
        (["diff", web, edited], 1, "Pods restart: spec.template.spec.containers[0].image\n"),
        (["replay", "examples/recordings/cluster/myresources.json", live], 1, "would restart\n"),
        (["simulate", "-f", web], 0, "MyResource web is Ready (Available)"),
        (["record", "--help"], 0, "--listen"),
    ]
    ask = f"""
import sys; sys.modules.update(dict.fromkeys(['yaml', 'rich', 'hypothesis']))
from app.cli import main
for arguments, code, _ in {calls}:
    try:
        main(arguments)
    except SystemExit as ended:
        assert ended.code == code, arguments
"""

    ended = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=False)

    assert (ended.returncode, ended.stderr) == (0, "")
    assert [words for _, _, words in calls if words not in ended.stdout] == []


@pytest.mark.parametrize(
    ("command", "package", "line"),
    [
        ("crd", "yaml", "crd needs yaml; install it with: pip install ./metahook '.[cli]'"),
        ("serve", "metahook", "metahook is not installed; install it with: pip install ./metahook"),
    ],
)
def test_what_is_not_installed_is_named_with_its_path_and_no_index(command: str, package: str, line: str) -> None:
    hide = f"import sys; sys.modules['{package}'] = None; from app.cli import main; main(['{command}'])"

    ended = subprocess.run([sys.executable, "-c", hide], capture_output=True, text=True, check=False)

    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == f"myresource: {line}, at the root of the repository\n"
