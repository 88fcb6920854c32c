"""metahook/docs/port-your-reconciler.md: its code is examples/hooks/myresource, its tables were observed."""

import json

import pytest
from life import LIFE
from test_myresources_simulated import Simulated

from metahook.simulator.history import Call, History, Write
from metahook.simulator.objects import Json
from tests.docs.documents import ROOT
from toolkit.documents import blocks

EXAMPLE = ROOT / "examples/hooks/myresource"
PAGE = (ROOT / "metahook/docs/port-your-reconciler.md").read_text()


@pytest.mark.parametrize(("language", "file"), [("go", "go/reconciler.go"), ("python", "myresources.py")])
def test_the_page_shows_the_whole_file(language: str, file: str) -> None:
    assert blocks(PAGE, language) == [(EXAMPLE / file).read_text()]


def test_the_table_has_what_the_tests_on_a_control_plane_observe() -> None:
    lines = [line[2:-2].split(" | ") for line in PAGE.splitlines() if line.startswith("| ")]
    _, *rows = [cells for cells in lines if len(cells) == 4]

    assert [(go.strip("`"), hook.strip("`")) for _, go, hook, _ in rows] == [(event.go, event.hook) for event in LIFE]


def timeline(history: History) -> list[str]:
    """Return who did what: users, Metacontroller and the hook, whose calls are left out if nothing is new in them."""
    lines: list[str] = []
    for entry in history.entries:
        if isinstance(entry, Call):
            line = f"hook            {_call(json.loads(entry.request), json.loads(entry.response))}"
        elif isinstance(entry, Write) and entry.changed and entry.actor in ("you", "metacontroller"):
            line = f"{entry.actor:<16}{str(entry).replace(' default/', ' ')}"
        else:
            continue
        if line not in lines[-1:]:
            lines.append(line)
    return lines


def _call(request: Json, response: Json) -> str:
    (desired,) = response["children"]
    observed = "no Deployment"
    for each in request["children"]["Deployment.apps/v1"].values():
        observed = f"{_image(each)}, {each.get('status', {}).get('availableReplicas', 0)} available"
    return f"{observed:<25}-> {_image(desired)}, {response['status']['state']}"


def _image(deployment: Json) -> str:
    return str(deployment["spec"]["template"]["spec"]["containers"][0]["image"])


def test_the_timeline_is_that_of_the_simulator() -> None:
    stage = Simulated("dynamic-apply")
    for event in LIFE[:4]:
        event.happen(stage)
        stage.world.run(0.5)

    (shown,) = blocks(PAGE, "text")
    assert shown.splitlines() == timeline(stage.world.history)
