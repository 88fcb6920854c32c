"""What all commands of the three programs have in common: exit codes, and JSON for other programs."""

import json
from pathlib import Path

import pytest

from app.cli.main import program as myresource
from app.cli.plugin.commands import program as plugin
from metahook.cli.program import program as metahook
from tests.cli.command import call
from toolkit.command import run
from website.commands import WITHOUT_JSON, commands, formats

PROGRAMS = {each.name: each for each in (myresource(), plugin(), metahook())}
FORMATS = {context.command_path: formats(context) for context in commands(*PROGRAMS.values())}
WEB = "examples/web.yaml"
ARGUMENTS = {
    "crd": [],
    "crd --json-schema": [],
    "diff": [WEB, WEB],
    "explain": ["Ready"],
    "import": ["-f", "DEPLOYMENT"],
    "import --check": ["-f", "DEPLOYMENT"],
    "render": ["-f", WEB],
    "replay": ["examples/requests/ready.json"],
    "simulate": ["-f", WEB],
    "validate": [WEB],
}


def test_each_command_prints_json_unless_the_page_says_why_not() -> None:
    without = {path for path, choices in FORMATS.items() if "json" not in choices}

    assert without == WITHOUT_JSON.keys(), "give it -o json, or add to website/commands.py why not"


@pytest.mark.parametrize("path", FORMATS)
def test_a_mistake_in_the_arguments_is_an_error_in_one_line(path: str) -> None:
    name, _, command = path.rpartition(" ")
    ended = run(PROGRAMS[name].main, command, "--no-such-option")

    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)


def test_what_each_command_prints_with_o_json_is_json(tmp_path: Path) -> None:
    deployment = tmp_path / "deployment.json"
    deployment.write_text(call("render", "-f", WEB, "-o", "json").out)
    for command, arguments in ARGUMENTS.items():
        given = [str(deployment) if each == "DEPLOYMENT" else each for each in arguments]
        ended = call(*command.split(), *given, "-o", "json")

        assert ended.code in (0, 1), (command, ended.err)
        texts = ended.out.splitlines() if command == "simulate" else [ended.out]
        assert [json.loads(text) for text in texts], command
    tested = {f"myresource {command.partition(' ')[0]}" for command in ARGUMENTS}
    assert tested == {path for path, choices in FORMATS.items() if path.startswith("myresource") and "json" in choices}
