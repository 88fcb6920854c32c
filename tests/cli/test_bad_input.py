"""Bad input of ``myresource``: one line with file, place and remedy, and exit code 2.

Here is what is wrong with a MyResource; ``metahook/tests/cli`` has what is wrong with any file, argument and hook.
"""

import json
from pathlib import Path

import pytest
import yaml

from tests.cli.command import assert_one_line, call
from tests.cli.test_diff import in_cluster, request_of
from tests.requests.builders import Json, my_resource

WEB = my_resource()


@pytest.fixture(autouse=True)
def _directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a directory with a MyResource and a request."""
    monkeypatch.chdir(tmp_path)
    Path("web.yaml").write_text(yaml.safe_dump(WEB))
    Path("request.json").write_text(json.dumps(request_of(WEB, *in_cluster(WEB))))


ARGUMENTS: dict[str, tuple[str, ...]] = {
    "rendr": ("rendr", "Did you mean 'render'? See: myresource --help"),
    "explain Applied": ("Applied", "did you mean NotApplied?"),
    "explain Weather": ("Weather", "for a list, run: myresource explain"),
    "replay": ("no FILE", "myresource replay --from-cluster"),
    "simulate -f web.yaml --set env[0].name=A": ("--set env[0].name", "whole list"),
    "simulate --scenario nope": ("no such scenario", "crash, demo, dependencies, "),
}


@pytest.mark.parametrize(("arguments", "words"), ARGUMENTS.items(), ids=ARGUMENTS)
def test_wrong_arguments_are_named_with_the_remedy(arguments: str, words: tuple[str, ...]) -> None:
    assert_one_line(call(*arguments.split()), 2, *words)


# Each with the command that reads the content from the file "bad", and what it says.
CONTENTS: dict[str, tuple[str, Json | str, tuple[str, ...]]] = {
    "an empty file": ("render -f bad", "", ("bad: no MyResource of mygroup.example.com", "examples/web.yaml")),
    "an invalid spec before": ("diff bad web.yaml", my_resource(memory="64mb"), ("bad:1: MyResource web: spec.",)),
    **{
        f"{name}, compared with {old}": (f"diff {old} bad", edited, words)
        for old in ("web.yaml", "request.json")
        for name, edited, words in (
            (
                "an invalid spec",
                my_resource(memory="64mb"),
                ('web: spec.memory: Invalid value: "64mb": must be a whole number of bytes above 0, such as 128Mi',),
            ),
            ("an unknown field", my_resource(imge="x"), ("spec.imge: unknown field; did you mean image?",)),
            ("too large", my_resource(args=["x" * 8000] * 26), ("ConfigMap",)),
        )
    },
}


@pytest.mark.parametrize(("arguments", "content", "words"), CONTENTS.values(), ids=CONTENTS)
def test_a_file_that_can_not_be_used_is_named(arguments: str, content: Json | str, words: tuple[str, ...]) -> None:
    Path("bad").write_text(content if isinstance(content, str) else json.dumps(content))

    assert_one_line(call(*arguments.split()), 2, "bad", *words)
