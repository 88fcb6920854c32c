"""A program bound to one controller, as the page about metahook shows it."""

import json
import runpy
import shutil
import sys
from pathlib import Path

import pytest

from toolkit.cli.command import call
from toolkit.command import CommandResult, run
from toolkit.documents import blocks, page

GREETING = Path(__file__).parents[2] / "examples/greeting"

PROGRAM = next(block for block in blocks(page("metahook"), "python") if "bound_program" in block)
OF_METAHOOK = ["-k", "manifests", "--hook", "greetings.py"]


@pytest.fixture(autouse=True)
def _directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a directory with the program, its manifests, and a parent before and after an edit."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(sys, "argv", [])
    shutil.copy(GREETING / "greetings.py", tmp_path)
    Path("manifests").mkdir()
    for name in ("compositecontroller.yaml", "crd.yaml"):
        shutil.copy(GREETING / name, "manifests")
    Path("greet.py").write_text(PROGRAM)
    for text in ("hi", "ho"):
        parent = {"apiVersion": "example.com/v1", "kind": "Greeting", "metadata": {"name": "a"}, "spec": {"text": text}}
        Path(f"{text}.json").write_text(json.dumps(parent))


def greet(*arguments: str) -> CommandResult:
    """Run the program, in this process."""

    def main(_: object) -> None:
        runpy.run_path("greet.py", run_name="__main__")

    sys.argv = ["greet.py", *arguments]
    sys.modules.pop("greetings", None)
    return run(main, *arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        ["render", "-f", "hi.json", "-o", "json"],
        ["diff", "hi.json", "ho.json", "-o", "json"],
        ["simulate", "-f", "hi.json", "--set", "text=ho", "--at", "5s"],
    ],
)
def test_a_bound_program_does_what_metahook_does_with_its_manifests(arguments: list[str]) -> None:
    ended, same = greet(*arguments), call(*arguments, *OF_METAHOOK)

    assert ended.out
    assert ended == same


@pytest.mark.parametrize("collect", ["", "kubectl get greetings -o json"])
def test_from_cluster_is_in_the_help_of_a_program_that_says_how_to_collect_objects(collect: str) -> None:
    Path("greet.py").write_text(PROGRAM.replace('parent="Greeting"', f'parent="Greeting", collect="{collect}"'))

    assert ("--from-cluster" in greet("replay", "--help").out) is bool(collect)
    assert "--from-cluster" not in call("replay", "--help").out


def test_its_help_names_the_program_and_its_parents_and_no_manifests() -> None:
    diff, every = (greet(*name, "--help").out for name in (["diff"], []))

    assert "an edit of a Greeting" in diff
    assert "--manifests" not in diff
    assert {"diff", "record", "render", "replay", "simulate", "validate"} <= set(every.split())


def test_an_own_command_may_have_a_name_that_python_reserves() -> None:
    Path("greet_commands").mkdir()
    Path("greet_commands/import_.py").write_text(
        "import click\n\n@click.command()\ndef command():\n    print('imported')\n"
    )
    own = 'own={"import": "Import."}, package="greet_commands", '
    Path("greet.py").write_text(PROGRAM.replace("version=", f"{own}version="))

    assert greet("import").out == "imported\n"


def test_live_objects_are_replayed() -> None:
    live = json.loads(Path("hi.json").read_text())
    live["metadata"] |= {"namespace": "default", "uid": "u"}
    Path("live.json").write_text(json.dumps(live))

    ended = greet("replay", "live.json")

    assert (ended.code, ended.err) == (1, "")
    assert ended.out.startswith("live.json: default/a: ConfigMap a added\n")
