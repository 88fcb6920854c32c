"""The examples: each is a MyResource that the hook takes, and what it asks for is valid in Kubernetes."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from app.api.generated_schema import schema
from metahook.simulator.metacontroller.settings import MODES
from tests.cli.command import call
from tests.requests.builders import condition
from tests.schemas.kubernetes import validate
from toolkit.served.process import Served
from toolkit.slow import short_or_whole

EXAMPLES = Path(__file__).parents[2] / "examples"
SHOP = EXAMPLES / "shop"
FILES = [*sorted(EXAMPLES.glob("*.yaml")), SHOP / "shop.yaml"]
BACKUPS = "example.com/v1/mybackups/MyBackup"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_an_example_is_rendered_without_a_complaint_into_valid_children(file: Path, tmp_path: Path) -> None:
    parents = [item for item in yaml.safe_load_all(file.read_text()) if item["kind"] == "MyResource"]
    dependencies = [dependency for parent in parents for dependency in parent["spec"].get("dependencies", [])]
    (tmp_path / "related.yaml").write_text(yaml.safe_dump_all(map(met, dependencies)))

    ended = call(
        *("render", "-f", str(file), "-o", "response", "--watch-dependency", BACKUPS),
        *("-f", str(tmp_path / "related.yaml")),
    )
    answers = [json.loads(line) for line in ended.out.splitlines()]

    assert (ended.code, ended.err, len(answers)) == (0, "", len(parents))
    for answer in answers:
        assert condition(answer)["reason"] == "Building"
        assert answer["children"]
        for child in answer["children"]:
            validate(child, "1.34")


def met(dependency: dict[str, str]) -> dict[str, Any]:
    """Return the object that an example waits for."""
    status = {"conditions": [{"type": dependency.get("condition", "Ready"), "status": "True"}]}
    metadata = {"name": dependency["name"]}
    return {"apiVersion": dependency["apiVersion"], "kind": "MyBackup", "metadata": metadata, "status": status}


def test_the_example_with_dependencies_waits_while_they_are_not_there() -> None:
    ended = call("render", "-f", str(EXAMPLES / "dependencies.yaml"), "-o", "response", "--watch-dependency", BACKUPS)
    answer = json.loads(ended.out)

    assert condition(answer)["reason"] == "WaitingForDependencies"
    assert answer["children"] == []


def test_the_full_example_uses_every_field_but_those_that_exclude_others_or_need_a_setting() -> None:
    full, fields = yaml.safe_load((EXAMPLES / "full.yaml").read_text()), schema()["properties"]["spec"]["properties"]

    unused = fields.keys() - full["spec"].keys() - {"cpu", "replicas", "dependencies"}
    assert not unused, f"examples/full.yaml: use {', '.join(sorted(unused))} in spec"


@pytest.mark.slow
@pytest.mark.parametrize("mode", short_or_whole(MODES[-1:], MODES))
def test_the_days_of_the_shop_go_as_the_scenario_says(mode: str) -> None:
    ended = call(
        *("simulate", "-f", str(SHOP / "shop.yaml"), "--scenario", str(SHOP / "day.yaml")),
        *("--apply-strategy", mode),
    )

    assert (ended.code, ended.err) == (0, "")


@pytest.mark.parametrize(
    ("request_", "state", "reason"),
    [
        ("1-nothing-yet", "Building", "Building"),
        ("2-made", "Building", "RollingOut"),
        ("3-rolling-out", "Building", "RollingOut"),
        ("4-ready", "Ready", "Available"),
        ("5-new-image-not-yet-applied", "Building", "Building"),
        ("6-bad-image", "Failed", "ProgressDeadlineExceeded"),
    ],
)
def test_the_service_answers_an_example_request_as_its_name_says(
    operator: Served, request_: str, state: str, reason: str
) -> None:
    body = (EXAMPLES / "requests" / f"{request_}.json").read_bytes()
    answer = httpx.post(f"{operator.url}/sync", content=body, headers={"Content-Type": "application/json"})

    assert answer.status_code == 200
    assert answer.json()["status"]["state"] == state
    assert condition(answer.json())["reason"] == reason
