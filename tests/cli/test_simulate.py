"""``myresource simulate``: how MyResources fare, by what the operator gives to the toolkit's command."""

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.cli.command import call
from tests.requests.builders import my_resource

ROOT = Path(__file__).parents[2]
BUILDING, ROLLING, READY = "Building:Building", "Building:RollingOut", "Ready:Available"
ENDS = {
    "an edit": ("--set image=nginx:1.28 --at 5s", 0, [BUILDING, ROLLING, READY], ""),
    "until ready": ("--until ready", 0, [READY], "Stopped at 12:00:02, day 1: "),
    "it does not become ready": (
        "--until ready --fail bad-image",
        1,
        ["Failed:ImagePullFailed"],
        "state is Failed, not Ready",
    ),
    "a later failure recovers": ("--fail crash --at 10s --fail none --at 40s", 0, ["Degraded:CrashLooping", READY], ""),
    "oom as a word of a tag": (
        "--set image=nginx:1.28-oom",
        1,
        ["Failed:OOMKilled"],
        "Not Ready: MyResource web (OOMKilled)",
    ),
    "a time before it is ready": ("--until 1s", 0, [ROLLING], "Stopped at 12:00:01, day 1: "),
    "a time after it has failed": ("--set image=nginx:bad --until 15m", 1, ["Failed:ImagePullFailed"], "Not Ready: "),
    "a failure that was asked for": ("--fail oom", 0, ["Failed:OOMKilled"], ""),
    "a failure that has not ended": ("--fail oom --at 9s --fail none --at 10s --until 15s", 0, [], ""),
    "suspended from the start": ("--set suspend=true", 0, ["Suspended:Suspended"], "Quiet"),
    "scaled to zero": ("--set replicas=0", 0, ["Ready:ScaledToZero"], "Quiet"),
    "a ConfigMap that is not there": (
        '--set envFrom=[{"configMapRef":{"name":"a"}}]',
        1,
        ["Failed:ConfigNotFound"],
        "Not Ready",
    ),
}


@pytest.fixture(autouse=True)
def _at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize(("options", "code", "last", "words"), ENDS.values(), ids=ENDS)
def test_a_simulation_ends_with_what_happened(options: str, code: int, last: list[str], words: str) -> None:
    ended = call("simulate", "-f", "examples/web.yaml", "--all", *options.split())

    assert (ended.code, ended.err) == (code, "")
    found = re.findall(r"MyResource web is (\w+)(?: \((\w+)\))?: ", ended.out)
    assert [f"{state}:{reason or state}" for state, reason in found][-len(last) :] == last or not last
    assert words in ended.out


def test_one_with_a_schedule_is_never_quiet_and_so_simulated_for_an_hour(write: Callable[..., str]) -> None:
    nights = {"days": ["Mon"], "from": "19:00", "to": "07:00"}
    parent = {**my_resource(schedule={"timeZone": "UTC", "sleep": [nights]}), "metadata": {"name": "web"}}

    ended = call("simulate", "-f", write(parent))

    assert ended.code == 0
    assert "Stopped at 13:00:00, day 1: " in ended.out


def test_a_scenario_is_found_by_its_name_or_its_file() -> None:
    by_name, by_file = (call("simulate", "--scenario", name) for name in ("crash", "examples/scenarios/crash.yaml"))

    assert by_name == by_file
    assert by_name.code == 0


@pytest.mark.parametrize("columns", [100, 60])
def test_the_demo_takes_twenty_seconds_on_a_terminal_and_fits_it(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setenv("FORCE_COLOR", "1")  # to rich, this is a terminal
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr("metahook.cli.simulation.run.time", SimpleNamespace(sleep=slept.append))
    began = time.perf_counter()

    ended = call("simulate", "--scenario", "demo")

    assert ended.code == 0
    assert max(slept) <= 1
    assert 8 < sum(slept) + time.perf_counter() - began < 20
    shown = [
        line for line in re.sub(r"\x1b\[[\d;]*m", "", ended.out).splitlines() if not line.startswith("  .venv/bin/")
    ]
    assert max(map(len, shown)) <= columns


def test_a_page_has_the_whole_simulation_inside(tmp_path: Path) -> None:
    file = tmp_path / "rollback.html"
    assert call("simulate", "--scenario", "rollback", "--html", str(file)).code == 0

    (start,) = re.findall(r'id="start">(.*?)</script>', file.read_text())
    simulation = json.loads(start)["simulation"]
    shown = " ".join(filter(None, (entry.get("text") for entry in simulation["entries"])))
    assert all(words in shown for words in ("creates MyResource web", "ImagePullFailed", "web is Ready (Available)"))
    assert (simulation["problem"], simulation["findings"]) == (None, [])


def test_a_page_has_what_was_done_besides_writes(tmp_path: Path) -> None:
    file = tmp_path / "crash.html"
    call("simulate", "-f", "examples/web.yaml", "--fail", "crash", "--at", "10s", "--html", str(file))
    (start,) = re.findall(r'id="start">(.*?)</script>', file.read_text())
    assert {"at": 10.0, "fail": "crash"} in json.loads(start)["steps"]


def test_a_page_shows_how_a_simulation_failed(tmp_path: Path) -> None:
    file = tmp_path / "never.html"
    scenario = tmp_path / "never.yaml"
    scenario.write_text("title: never\nsteps: [{expect: {state: Ready}}]")
    assert call("simulate", "-f", "examples/web.yaml", "--scenario", str(scenario), "--html", str(file)).code == 1
    assert "Expectation not met: state is None, not Ready." in file.read_text()
