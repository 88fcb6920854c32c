"""``simulate``: how a simulation ends, what it shows, and what it says to wrong options and scenarios."""

import io
import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from metahook.cli.simulation.screen import line_of
from metahook.simulator.history import Write
from metahook.simulator.objects import Key
from toolkit.cli.bound import call
from toolkit.command import assert_one_line
from toolkit.worlds import parent

WEB = ("-f", "web.yaml")


@pytest.fixture(autouse=True)
def _directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a directory with a Widget, an empty folder, and nothing on standard input."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    Path("web.yaml").write_text(yaml.safe_dump(parent()))
    Path("list.yaml").write_text("[]\n")
    Path("folder").mkdir()


READY = ["Building", "Ready"]
ENDS: dict[str, tuple[str, int, list[str], str]] = {
    "it becomes ready": ("", 0, READY, "Quiet after 2.1 s"),
    "an edit, with a finding": (
        "--apply-strategy dynamic-apply --set image=nginx:1.28 --at 5s",
        1,
        READY * 2,
        "ReadyTooEarly: Widget web: ",
    ),
    "an edit under server-side apply": (
        "--apply-strategy server-side-apply --set image=nginx:1.28 --at 5s",
        1,
        READY * 2,
        "",
    ),
    "an edit without a time": ("--set replicas=2", 0, READY, "2 desired, 2 updated, 2 total, 2 available"),
    "until ready": ("--until ready", 0, READY, "Stopped after 2.1 s"),
    "until quiet": ("--until quiet", 0, READY, "Quiet after 2.1 s"),
    "until 1s": ("--until 1s", 0, ["Building"], "Stopped after 1.0 s"),
    "until 0s": ("--until 0s", 0, [], "Stopped after 0.0 s"),
    "it does not become ready": ("--until ready --fail bad-image", 1, ["Building"], "state is Building, not Ready"),
    "a later failure recovers": ("--fail crash --at 10s --fail none --at 40s --until 2m", 0, READY * 2, ""),
}


@pytest.mark.parametrize(("options", "code", "states", "words"), ENDS.values(), ids=ENDS)
def test_a_simulation_ends_with_what_happened(options: str, code: int, states: list[str], words: str) -> None:
    ended = call("simulate", *WEB, *options.split())

    assert (ended.code, ended.err) == (code, "")
    found = re.findall(r"Widget web is (\w+)", ended.out)
    assert [state for number, state in enumerate(found) if found[number - 1 : number] != [state]][-4:] == states
    assert words in ended.out


STEPS = {
    "{wait: 1s}": (0, ""),
    "{wait: 1s}, {expect: {object: Service/web}}": (1, "Step 2: Expectation not met: Service/web does not exist."),
    "{delete: {object: Service/web}}": (1, "Step 1: Failed: error from server (NotFound): Service web not found."),
}


@pytest.mark.parametrize(("steps", "code", "words"), [(steps, *ends) for steps, ends in STEPS.items()])
def test_a_step_that_fails_is_named_by_its_number(
    steps: str, code: int, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"title: mine\nsteps: [{steps}]\nnext: [shown last]\n"))

    ended = call("simulate", "--scenario", "-")

    assert (ended.code, ended.err) == (code, "")
    assert words in ended.out
    assert ("shown last" in ended.out) is (code == 0)


def test_an_explicit_speed_is_kept_however_long_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    # Not time.sleep itself, which threads of other tests may call.
    monkeypatch.setattr("metahook.cli.simulation.run.time", SimpleNamespace(sleep=slept.append))

    assert call("simulate", *WEB, "--until", "30s", "--speed", "2").code == 0
    assert sum(slept) == pytest.approx(15)


def test_json_is_one_object_per_line_with_the_summary_last() -> None:
    ended = call("simulate", *WEB, "--set", "replicas=2", "-o", "json")
    *entries, last = map(json.loads, ended.out.splitlines())

    assert {"at", "actor", "verb", "object", "changed"} <= entries[0].keys()
    assert (entries[0]["verb"], entries[0]["object"]) == ("create", "Widget/default/web")
    assert [entry["actor"] for entry in entries].count("you") == 1  # the edit holds from the start
    assert {entry["actor"] for entry in entries} > {"you", "metacontroller", "kubelet"}
    assert last["summary"]["quiet"] is True
    assert last["summary"]["findings"] == []


def test_brief_leaves_out_kubernetes_controllers() -> None:
    brief, full = (call("simulate", *WEB, *more).out for more in (["--brief"], []))

    assert " kubelet " not in brief
    assert " kubelet " in full
    assert set(brief.splitlines()) < set(full.splitlines())


@pytest.mark.parametrize(("kind", "shown"), [("ConfigMap", "data.text=YmFy"), ("Secret", "data.text")])
def test_the_timeline_shows_no_value_of_a_secret(kind: str, shown: str) -> None:
    old, new = (
        {"kind": kind, "metadata": {"resourceVersion": text}, "data": {"text": text}} for text in ("Zm9v", "YmFy")
    )
    line = line_of(Write(0.0, "you", "update", Key(kind, "default", "token"), old, new), "Widget")

    assert line
    assert line.text == f"updates {kind} token: {shown}"


WRONG: dict[str, tuple[str, ...]] = {
    "": ("a Widget with -f", "--scenario"),
    "-f /no/such": ("/no/such: no such file", "standard input"),
    "-f web.yaml --set image": ("PATH=VALUE",),
    "-f web.yaml --set a..b=1": ("a..b is not a path",),
    "-f web.yaml --set image.a=1": ("not found in the spec",),
    "-f web.yaml --set image=a --at 5": ("--at", "90s, 10m or 1h"),
    "-f web.yaml --at 5s": ("each --at must follow",),
    "-f web.yaml --fail badly": ("--fail", "bad-image"),
    "-f web.yaml --until later": ("--until", "ready, or quiet"),
    "-f web.yaml --until 1s --fail oom --at 2s": ("before the last",),
    "-f web.yaml --until 99999h": ("--until 99999h", "up to 1000h"),
    "-f web.yaml --speed nan": ("--speed is not a number",),
    "-f web.yaml --svg nowhere/a.svg": ("nowhere/a.svg",),
    "--scenario /no/such": ("/no/such",),
    "--scenario a.yaml --fail oom": ("can't be used with --scenario",),
    "--scenario folder": ("folder", "directory"),
    "--scenario web.yaml": ("not a scenario", "unknown field"),
    "--scenario list.yaml": ("not a scenario", "must be an object, with its actions in steps"),
}


@pytest.mark.parametrize(("options", "words"), WRONG.items(), ids=WRONG)
def test_wrong_options_and_scenarios_are_named_with_the_remedy(options: str, words: tuple[str, ...]) -> None:
    assert_one_line(call("simulate", *options.split()), 2, *words, program="widgets")


def test_a_terminal_is_not_read_as_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", type("Terminal", (io.StringIO,), {"isatty": lambda _: True})())

    assert_one_line(call("simulate", "-f", "-"), 2, "nothing is piped", program="widgets")
