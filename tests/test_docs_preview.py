"""The pages about diff, replay and recording: their commands print what the pages say, and work."""

import functools
import re
import shlex

import click
import pytest
import yaml

from app.cli.files.live_objects import COLLECT_COMMANDS
from app.cli.serve import command as serve_command
from metahook.simulator.metacontroller.dynamic_apply import merge
from tests.documents import ROOT, Console, consoles, printed
from tests.kubernetes_schemas import validate

PAGES = ["docs/diff.md", "docs/record.md", "docs/replay.md", "docs/upgrade.md"]
BLOCKS = [block for page in PAGES for block in consoles(page)]


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_a_command_of_the_page_prints_what_the_page_says(block: Console) -> None:
    assert printed(block.command) == block.output


def test_the_page_about_upgrades_collects_what_the_command_says() -> None:
    (collect,) = [block for block in consoles("docs/upgrade.md") if "--from-cluster" in block.command]

    assert collect.output == f"{COLLECT_COMMANDS}\n"


@functools.cache
def help_of(command: str) -> str:
    return printed(f".venv/bin/myresource {command} --help")


@pytest.mark.parametrize("page", PAGES)
def test_options_that_the_page_names_are_the_commands(page: str) -> None:
    text = (ROOT / page).read_text()
    for name, options in re.findall(r"myresource (serve|replay|diff)((?: --?[a-z-]+(?: [^-\s`|]+)*)+)", text):
        for option in (word for word in shlex.split(options) if word.startswith("--")):
            assert option in help_of(name)


def test_the_patch_records_into_the_volume_within_its_size() -> None:
    deployment = yaml.safe_load((ROOT / "metacontroller/deployment.yaml").read_text())
    patch = yaml.safe_load((ROOT / "examples/recordings/record-patch.yaml").read_text())
    pod = patch["spec"]["template"]["spec"]
    (container,), (volume,) = pod["containers"], pod["volumes"]
    limits = {option.envvar: option.default for option in serve_command.params if isinstance(option, click.Option)}

    validate(merge(deployment, {}, patch), "1.34")

    assert container["name"] == deployment["spec"]["template"]["spec"]["containers"][0]["name"]
    assert container["env"][0]["name"] in limits
    assert container["env"][0]["value"].startswith(container["volumeMounts"][0]["mountPath"] + "/")
    assert int(volume["emptyDir"]["sizeLimit"].removesuffix("Mi")) > int(str(limits["MYRESOURCE_RECORD_LIMIT"]))
