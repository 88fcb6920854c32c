"""The examples: each is a MyResource that the hook takes, and what it asks for is valid in Kubernetes."""

import json
from pathlib import Path

import kubernetes_validate
import pytest
import yaml

from app.api.crd import schema
from examples.demo import STORY, Step, play
from tests.build import condition
from tests.cli.calling import call
from tests.serving import served

EXAMPLES = Path(__file__).parent.parent / "examples"
FILES = sorted(EXAMPLES.glob("*.yaml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_an_example_is_rendered_without_a_complaint_into_valid_children(file: Path) -> None:
    ended = call("render", "-f", str(file), "-o", "json")
    answer = json.loads(ended.out)

    assert (ended.code, ended.err) == (0, "")
    assert condition(answer)["reason"] == "Building"
    for child in answer["children"]:
        kubernetes_validate.validate(child, "1.34", strict=True)


def test_the_full_example_uses_every_field_but_cpu_which_excludes_its_resources() -> None:
    full = yaml.safe_load((EXAMPLES / "full.yaml").read_text())

    assert schema()["properties"]["spec"]["properties"].keys() - full["spec"].keys() == {"cpu"}


def test_the_demo_tells_right_answers_from_wrong_ones(capsys: pytest.CaptureFixture[str]) -> None:
    mistaken = [*STORY[:5], Step("6-bad-image", "Ready", "Available")]

    with served() as hook:
        wrong = [play(f"{hook.url}/sync", story) for story in (STORY, mistaken)]

    assert wrong == [0, 1]
    assert "NO  6-bad-image" in capsys.readouterr().out
