"""The shop: what docs/apps/complete-application.md renders is valid, and its days go as the scenario says."""

import json
from collections import Counter
from pathlib import Path

import pytest
import yaml

from metahook.simulator.metacontroller.settings import MODES
from tests.cli.command import call
from tests.schemas.kubernetes import validate
from toolkit.slow import short_or_whole

FOLDER = Path(__file__).parents[2] / "examples/shop"
BACKUPS = "example.com/v1/mybackups/MyBackup"


def test_each_service_is_rendered_into_valid_children() -> None:
    files = ("-f", str(FOLDER / "shop.yaml"), "-f", str(FOLDER / "backup.yaml"))

    ended = call("render", *files, "--watch-dependency", BACKUPS, "-o", "json")
    children = json.loads(ended.out)["items"]

    assert (ended.code, ended.err) == (0, "")
    for child in children:
        validate(child, "1.34")
    services = [item for item in yaml.safe_load_all((FOLDER / "shop.yaml").read_text()) if item["kind"] == "MyResource"]
    assert Counter(child["kind"] for child in children)["Deployment"] == len(services)


@pytest.mark.slow
@pytest.mark.parametrize("mode", short_or_whole(MODES[:1], MODES))
def test_the_days_of_the_shop_go_as_the_scenario_says(mode: str) -> None:
    ended = call(
        *("simulate", "-f", str(FOLDER / "shop.yaml"), "--scenario", str(FOLDER / "day.yaml")),
        *("--apply-strategy", mode, "--brief"),
    )

    assert (ended.code, ended.err) == (0, "")
