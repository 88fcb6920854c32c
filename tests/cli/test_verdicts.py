"""A preview accepts and refuses what the API server does: the examples of all rules, through each command."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.api.examples.all_rules import EXAMPLES
from tests.api.refused import HOOK_ONLY, REFUSED
from tests.cli.command import CommandResult, call
from tests.requests.builders import Json, my_resource
from toolkit.slow import short_or_whole

ACCEPTED = [fields for example in EXAMPLES for fields in example.good]
BAD = [
    *(fields for example in EXAMPLES for fields in example.bad),
    *(fields for specs in (*REFUSED.values(), *HOOK_ONLY.values()) for fields in specs),
]
WEB = my_resource()


@pytest.fixture(autouse=True)
def _directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(fields: Json) -> tuple[str, str]:
    """Return a file with the MyResource that has *fields*, and one with a valid MyResource of the same name."""
    parent = my_resource(**fields)
    Path("new.yaml").write_text(json.dumps(parent, indent=1))  # JSON: PyYAML leaves y and 1e3 without quotes
    Path("old.yaml").write_text(json.dumps({**WEB, "metadata": parent["metadata"]}))
    return "new.yaml", "old.yaml"


def render(new: str, _: str) -> CommandResult:
    return call("render", "-f", new)


def simulate(new: str, _: str) -> CommandResult:
    return call("simulate", "-f", new, "--until", "0s")


def diff(new: str, old: str) -> CommandResult:
    ended = call("diff", old, new)
    return CommandResult({0: 0, 1: 0, 2: 1}[ended.code], ended.out, ended.err)


Command = Callable[[str, str], CommandResult]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "share"), [(render, 7), (simulate, 7), (diff, 30)], ids=["render", "simulate", "diff"]
)
def test_what_the_api_server_accepts_is_accepted(command: Command, share: int) -> None:
    refused = {}
    for fields in ACCEPTED[:: short_or_whole(share, 1)]:
        ended = command(*written(fields))
        if ended.code:
            refused[str(fields)[:200]] = (ended.code, ended.err)

    assert refused == {}


@pytest.mark.slow
@pytest.mark.parametrize("command", [render, simulate, diff])
def test_what_the_api_server_refuses_is_refused_before_anything_is_printed(command: Command) -> None:
    accepted = {}
    for fields in BAD[:: short_or_whole(7, 1)]:
        ended = command(*written(fields))
        if ended.code != 1 or ended.out or not re.match(r"myresource: (new|old).yaml:\d+: MyResource ", ended.err):
            accepted[str(fields)[:200]] = (ended.code, ended.err)

    assert accepted == {}


STORED = [fields for example in EXAMPLES if example.crd_only for fields in example.bad]


@pytest.mark.parametrize("fields", STORED, ids=map(str, range(len(STORED))))
def test_an_edit_of_a_stored_one_may_keep_what_only_a_new_one_may_not_have(fields: Json) -> None:
    Path("stored.yaml").write_text(json.dumps(my_resource(**fields)))
    Path("edited.yaml").write_text(json.dumps(my_resource(**fields, revisionHistoryLimit=5)))

    assert call("render", "-f", "stored.yaml").code == 1
    assert call("diff", "stored.yaml", "edited.yaml").code == 1  # a difference
    assert diff(*written(fields)).code == 1
