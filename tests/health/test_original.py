"""The originals judge as the functions here do: the kstatus that Flux uses, and the Lua runtime that Argo CD uses."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.health.argo_cd import check, health
from tests.health.statuses import Json, kstatus, myresources
from toolkit.programs import find_or_skip

pytestmark = pytest.mark.tools

HERE = Path(__file__).parent / "go"


def judgements(folder: Path, script: str, items: list[Json]) -> list[Json]:
    """Return what the originals say about *items*."""
    program = folder / "judge"
    subprocess.run([find_or_skip("go"), "build", "-o", program, "."], cwd=HERE, check=True)
    given = json.dumps({"script": script, "objects": items})
    ended = subprocess.run([program], input=given, capture_output=True, text=True, check=True)
    found: list[Json] = json.loads(ended.stdout)
    return found


def test_the_originals_judge_every_status_in_the_same_way(tmp_path: Path) -> None:
    items = list(myresources())

    found = judgements(tmp_path, check(), items)

    assert [each["kstatus"] for each in found] == [kstatus(item) for item in items]
    assert [(each["status"], each["message"]) for each in found] == [health(check(), item) for item in items]
    assert {each["kstatus"] for each in found} >= {"Current", "Failed", "InProgress"}
