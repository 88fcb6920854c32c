"""``myresource simulate``: what it shows, how it ends, and what it says to wrong input."""

import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.cli.command import LISTENS, call
from toolkit.served.process import Served
from toolkit.slow import only_whole, short_or_whole

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


@pytest.mark.parametrize(
    ("options", "code", "last", "words"),
    [
        pytest.param("", 0, WHOLE_LIFE, "Quiet after 2.1 s", id="it becomes ready"),
        pytest.param(f"--apply-strategy dynamic-apply {EDIT}", 0, WHOLE_LIFE, "", id="an edit"),
        pytest.param(f"--apply-strategy server-side-apply {EDIT}", 0, WHOLE_LIFE, "", id="under server-side apply"),
        pytest.param(
            "--set replicas=2", 0, [READY], "2 desired, 2 updated, 2 total, 2 available", id="an edit without a time"
        ),
        pytest.param("--until ready", 0, [READY], "Stopped after 2.1 s", id="until ready"),
        pytest.param("--until quiet", 0, [READY], "Quiet after 2.1 s", id="until quiet"),
        pytest.param("--until 1s", 0, [ROLLING], "Stopped after 1.0 s", id="until 1s"),
        pytest.param("--until 0s", 0, [], "Stopped after 0.0 s", id="until 0s"),
        pytest.param(
            "--until ready --fail bad-image", 1, [], "state is Failed, not Ready", id="it does not become ready"
        ),
        pytest.param(
            "--fail crash --at 10s --fail none --at 40s",
            0,
            ["Degraded:CrashLooping", READY],
            "",
            id="a later failure recovers",
        ),
        # An image fails only by a whole word of its tag.
        pytest.param("--set image=ghcr.io/acme/chatroom:1.0", 0, [READY], "", id="oom in a name"),
        pytest.param("--set image=badger", 0, [READY], "", id="bad in a name"),
        pytest.param("--set image=nginx:bloom", 0, [READY], "", id="oom in a tag"),
        pytest.param(f"--set image=nginx@sha256:{'bad0' * 16}", 0, [READY], "", id="bad in a digest"),
        pytest.param("--set image=nginx:1.28-oom", 0, ["Failed:OOMKilled"], "", id="oom as a word of a tag"),
    ],
)
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


@pytest.mark.parametrize("seconds", ["0.00001s", "278h"])
def test_short_and_long_times_are_kept_as_they_are(seconds: str) -> None:
    ended = call("simulate", "-f", WEB, "--set", "suspend=true", "--until", seconds, "-o", "json")

    assert ended.code == 0
    assert json.loads(ended.out.splitlines()[-1])["summary"]["quiet"] == (seconds != "0.00001s")


def test_a_field_that_is_removed_is_shown_as_removed() -> None:
    ended = call("simulate", "--scenario", "drift")

    assert "you                   updates Deployment web-deployment: metadata.labels.myresource removed" in ended.out


def test_an_edit_happens_at_its_time() -> None:
    ended = call("simulate", "-f", WEB, "--set", "memory=1Gi", "--at", "7s", "--set", "spec.replicas=2", "--at", "3s")
    yours = [line.split() for line in ended.out.splitlines() if " you " in line]

    assert [line[0] for line in yours] == ["0.00s", "3.00s", "7.00s"]
    assert yours[1][-1] == "spec.replicas=2"
    assert yours[2][-1] == "spec.memory=1Gi"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fail", "shown", "state"),
    [
        ("bad-image", "ImagePullBackOff", "Failed:ImagePullFailed"),
        ("crash", "Error, CrashLoopBackOff", "Failed:CrashLooping"),
        ("oom", "OOMKilled, CrashLoopBackOff", "Failed:OOMKilled"),
        ("config-error", "CreateContainerConfigError", "Failed:ContainerConfigError"),
        ("unschedulable", "Unschedulable", "Failed:Unschedulable"),
        ("unready", "ready", "Ready:Available"),
        ("evicted", "Evicted", "Failed:Evicted"),
        ("node-lost", "creates Pod", "Failed:ProgressDeadlineExceeded"),
        ("slow", "ContainerCreating", "Ready:Available"),
    ][short_or_whole(1, 0) :: short_or_whole(2, 1)],
)
def test_containers_fail_in_the_requested_way(fail: str, shown: str, state: str) -> None:
    ended = call("simulate", "-f", WEB, "--fail", fail)

    assert shown in ended.out
    assert statuses(ended.out)[-1] == state


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


def test_a_pod_is_deleted_by_its_replica_set_and_removed_by_the_kubelet() -> None:
    lines = call("simulate", "-f", WEB, "--set", "replicas=0", "--at", "5s").out.splitlines()
    actions = [line.split()[1:4] for line in lines if " deletes " in line or " removes " in line]

    assert actions == [["replicaset-controller", "deletes", "Pod"], ["kubelet", "removes", "Pod"]]


def test_a_hook_at_a_url_is_called(operator: Served) -> None:
    ended = call("simulate", "-f", WEB, "--hook", operator.url)

    assert ended.code == 0
    assert statuses(ended.out)[-1] == "Ready:Available"


def test_the_picture_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    file = tmp_path / "web.svg"

    assert call("simulate", "-f", WEB, "--svg", str(file)).code == 0
    assert file.read_text().startswith("<svg")
    assert file.read_text().rstrip().endswith("</svg>")
    assert "url(http" not in file.read_text()
    assert "@font-face" not in file.read_text()


def test_the_committed_picture_shows_what_the_scenario_prints_today(tmp_path: Path) -> None:
    file = tmp_path / "rollback.svg"
    call("simulate", "--scenario", "rollback", "--brief", "--svg", str(file))

    drawn = file.read_text()
    (height,) = re.findall(r'^<svg [^>]*viewBox="0 0 [\d.]+ ([\d.]+)"', drawn)
    assert drawn == (ROOT / "docs/images/rollback.svg").read_text()
    assert float(height) <= 700  # as the README shows it


def _command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "app", "simulate", *arguments]


@pytest.mark.slow
@only_whole
def test_a_pipe_that_ends_early_is_no_error() -> None:
    shell = f"{' '.join(_command('--scenario', 'demo'))} | head -1"
    ended = subprocess.run(["/bin/bash", "-o", "pipefail", "-c", shell], capture_output=True, text=True, check=False)

    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.slow
@only_whole
def test_ctrl_c_exits_with_130_and_without_a_traceback() -> None:
    command = [*LISTENS, *_command("--scenario", "demo", "--speed", "0.1")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)

    assert process.returncode == 130
    assert "Traceback" not in err


@pytest.mark.slow
@only_whole
def test_on_a_terminal_it_is_coloured_and_elsewhere_plain() -> None:
    main, side = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"}
    with subprocess.Popen(
        _command("-f", WEB, "--speed", "0", "--until", "1s"), stdout=side, env=environment
    ) as process:
        os.close(side)
        shown = b""
        while chunk := _read(main):
            shown += chunk
    assert process.returncode == 0
    assert b"\x1b[" in shown
    assert "\x1b[" not in call("simulate", "-f", WEB).out


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


def test_a_terminal_is_not_read_as_standard_input() -> None:
    main, side = pty.openpty()
    ended = subprocess.run(_command("-f", "-"), stdin=side, capture_output=True, text=True, check=False)
    os.close(main)
    os.close(side)

    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1
    assert "nothing is piped" in ended.stderr


def test_the_end_is_not_before_the_last_line() -> None:
    ended = call("simulate", "-f", WEB, "--fail", "crash", "--at", "10s")

    *_, last, _, summary = ended.out.splitlines()
    assert float(last.split()[0].removesuffix("s")) <= float(summary.split()[2])
