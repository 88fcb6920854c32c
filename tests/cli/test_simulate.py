"""``myresource simulate``: what it shows, how it ends, and what it says to wrong input."""

import io
import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.cli.command import Terminal, assert_one_line, call

WEB = "examples/web.yaml"
ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(autouse=True)
def _at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def statuses(out: str) -> list[str]:
    """Return the statuses of the MyResource in order, each as state and reason of Ready."""
    found = re.findall(r"MyResource web is (\w+)(?: \((\w+)\))?: ", out)
    return [f"{state}:{reason or state}" for state, reason in found]


EDIT = "--set image=nginx:1.28 --at 5s"
BUILDING, ROLLING, READY = "Building:Building", "Building:RollingOut", "Ready:Available"
WHOLE_LIFE = [BUILDING, ROLLING, READY]


ENDS = {
    "it becomes ready": ("", 0, WHOLE_LIFE, "Quiet after 2.1 s"),
    "an edit": (f"--apply-strategy dynamic-apply {EDIT}", 0, WHOLE_LIFE, ""),
    "under server-side apply": (f"--apply-strategy server-side-apply {EDIT}", 0, WHOLE_LIFE, ""),
    "an edit without a time": ("--set replicas=2", 0, [READY], "2 desired, 2 updated, 2 total, 2 available"),
    "until ready": ("--until ready", 0, [READY], "Stopped after 2.1 s"),
    "until quiet": ("--until quiet", 0, [READY], "Quiet after 2.1 s"),
    "until 1s": ("--until 1s", 0, [ROLLING], "Stopped after 1.0 s"),
    "until 0s": ("--until 0s", 0, [], "Stopped after 0.0 s"),
    "it does not become ready": ("--until ready --fail bad-image", 1, [], "state is Failed, not Ready"),
    "a later failure recovers": ("--fail crash --at 10s --fail none --at 40s", 0, ["Degraded:CrashLooping", READY], ""),
    "oom as a word of a tag": ("--set image=nginx:1.28-oom", 0, ["Failed:OOMKilled"], ""),
}


@pytest.mark.parametrize(("options", "code", "last", "words"), ENDS.values(), ids=ENDS)
def test_a_simulation_ends_with_what_happened(options: str, code: int, last: list[str], words: str) -> None:
    ended = call("simulate", "-f", WEB, *options.split())

    assert (ended.code, ended.err) == (code, "")
    assert statuses(ended.out)[-len(last) :] == last or not last
    assert words in ended.out


@pytest.mark.parametrize(
    ("scenario", "code", "words"),
    [
        pytest.param("{wait: 1s}", 0, "", id="from standard input"),
        pytest.param(
            "{wait: 1s}, {expect: {object: Service/web}}",
            1,
            "Step 2: Expectation not met: Service/web does not exist.",
            id="a step that fails",
        ),
        pytest.param(
            "{delete: {object: Service/web}}",
            1,
            "Step 1: Failed: error from server (NotFound): Service web not found.",
            id="an error of a step",
        ),
    ],
)
def test_a_step_that_fails_is_named_by_its_number(
    scenario: str, code: int, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"title: mine\nsteps: [{scenario}]\nnext: [shown last]\n"))

    ended = call("simulate", "--scenario", "-")

    assert (ended.code, ended.err) == (code, "")
    assert words in ended.out
    assert ("shown last" in ended.out) is (code == 0)


def test_an_explicit_speed_is_kept_however_long_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    # Not time.sleep itself, which threads of other tests may call.
    monkeypatch.setattr("metahook.cli.simulation.run.time", SimpleNamespace(sleep=slept.append))

    assert call("simulate", "-f", WEB, "--until", "30s", "--speed", "2").code == 0
    assert sum(slept) == pytest.approx(15)


def test_json_is_one_object_per_line_with_the_summary_last() -> None:
    ended = call("simulate", "-f", WEB, "--set", "replicas=2", "-o", "json")
    *entries, last = map(json.loads, ended.out.splitlines())

    assert {"at", "actor", "verb", "object", "changed"} <= entries[0].keys()
    assert (entries[0]["verb"], entries[0]["object"]) == ("create", "MyResource/default/web")
    assert [entry["actor"] for entry in entries].count("you") == 1  # the edit holds from the start
    assert {entry["actor"] for entry in entries} > {"you", "metacontroller", "kubelet"}
    assert last["summary"]["quiet"] is True
    assert last["summary"]["findings"] == []


def test_brief_leaves_out_kubernetes_controllers() -> None:
    brief, full = (call("simulate", "-f", WEB, *more).out for more in (["--brief"], []))

    assert " kubelet " not in brief
    assert " kubelet " in full
    assert set(brief.splitlines()) < set(full.splitlines())


def test_a_scenario_is_found_by_its_name_or_its_file() -> None:
    by_name, by_file = (call("simulate", "--scenario", name) for name in ("crash", "examples/scenarios/crash.yaml"))

    assert by_name == by_file
    assert by_name.code == 0


def test_the_committed_picture_shows_what_the_scenario_prints_today(tmp_path: Path) -> None:
    file = tmp_path / "rollback.svg"
    call("simulate", "--scenario", "rollback", "--brief", "--svg", str(file))

    drawn = file.read_text()
    (height,) = re.findall(r'^<svg [^>]*viewBox="0 0 [\d.]+ ([\d.]+)"', drawn)
    assert drawn == (ROOT / "docs/images/rollback.svg").read_text()
    assert float(height) <= max(700, 32 * len("MyResource"))  # as the README shows it; a long kind breaks lines


def test_a_terminal_is_not_read_as_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", Terminal())

    assert_one_line(call("simulate", "-f", "-"), 2, "nothing is piped")
