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
from tests.service.operator import served
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


def test_a_myresource_becomes_ready() -> None:
    ended = call("simulate", "-f", WEB)

    assert (ended.code, ended.err) == (0, "")
    assert statuses(ended.out) == ["Building:Building", "Building:RollingOut", "Ready:Available"]


@pytest.mark.parametrize("mode", ["dynamic-apply", "server-side-apply"])
def test_both_apply_strategies_have_the_same_result(mode: str) -> None:
    ended = call("simulate", "-f", WEB, "--apply-strategy", mode, "--set", "image=nginx:1.28", "--at", "5s")

    assert ended.code == 0
    assert statuses(ended.out)[-3:] == ["Building:Building", "Building:RollingOut", "Ready:Available"]


def test_an_edit_happens_at_its_time() -> None:
    ended = call("simulate", "-f", WEB, "--set", "memory=1Gi", "--at", "7s", "--set", "spec.replicas=2", "--at", "3s")
    yours = [line.split() for line in ended.out.splitlines() if " you " in line]

    assert [line[0] for line in yours] == ["0.00s", "3.00s", "7.00s"]
    assert yours[1][-1] == "spec.replicas=2"
    assert yours[2][-1] == "spec.memory=1Gi"


def test_an_edit_without_a_time_holds_from_the_start() -> None:
    ended = call("simulate", "-f", WEB, "--set", "replicas=2", "-o", "json")
    first = json.loads(ended.out.splitlines()[0])

    assert (first["verb"], first["object"]) == ("create", "MyResource/default/web")
    assert "2 desired, 2 updated, 2 total, 2 available" in call("simulate", "-f", WEB, "--set", "replicas=2").out


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
    ][:: short_or_whole(2, 1)],
)
def test_containers_fail_in_the_requested_way(fail: str, shown: str, state: str) -> None:
    ended = call("simulate", "-f", WEB, "--fail", fail)

    assert shown in ended.out
    assert statuses(ended.out)[-1] == state


def test_a_later_failure_is_degraded_and_recovers() -> None:
    ended = call("simulate", "-f", WEB, "--fail", "crash", "--at", "10s", "--fail", "none", "--at", "40s")

    found = statuses(ended.out)
    assert found[found.index("Degraded:CrashLooping") + 1 :] == ["Ready:Available"]


@pytest.mark.parametrize(
    ("until", "code", "last"),
    [
        ("ready", 0, "Stopped after 2.1 s"),
        ("quiet", 0, "Quiet after 2.1 s"),
        ("1s", 0, "Stopped after 1.0 s"),
        ("0s", 0, "Stopped after 0.0 s"),
    ],
)
def test_until_says_when_to_stop(until: str, code: int, last: str) -> None:
    ended = call("simulate", "-f", WEB, "--until", until)

    assert ended.code == code
    assert last in ended.out


@pytest.mark.parametrize("seconds", ["0.00001s", "278h"])
def test_short_and_long_times_are_kept_as_they_are(seconds: str) -> None:
    ended = call("simulate", "-f", WEB, "--until", seconds, "-o", "json")

    assert ended.code == 0
    assert json.loads(ended.out.splitlines()[-1])["summary"]["quiet"] == (seconds != "0.00001s")


def test_a_scenario_may_come_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("title: mine\nsteps: [{wait: 1s}]\n"))

    ended = call("simulate", "--scenario", "-")

    assert (ended.code, ended.err) == (0, "")


def test_an_explicit_speed_is_kept_however_long_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    # Not time.sleep itself, which threads of other tests may call.
    monkeypatch.setattr("metahook.cli.simulation.run.time", SimpleNamespace(sleep=slept.append))

    assert call("simulate", "-f", WEB, "--until", "30s", "--speed", "2").code == 0
    assert sum(slept) == pytest.approx(15)


def test_an_image_fails_only_by_a_whole_word_of_its_tag() -> None:
    for image in ("ghcr.io/acme/chatroom:1.0", "badger", "nginx:bloom", "nginx@sha256:" + "bad0" * 16):
        assert statuses(call("simulate", "-f", WEB, "--set", f"image={image}").out)[-1] == "Ready:Available"
    assert statuses(call("simulate", "-f", WEB, "--set", "image=nginx:1.28-oom").out)[-1] == "Failed:OOMKilled"


def test_a_myresource_that_does_not_become_ready_exits_with_1() -> None:
    ended = call("simulate", "-f", WEB, "--until", "ready", "--fail", "bad-image")

    assert ended.code == 1
    assert "state is Failed, not Ready" in ended.out


def test_json_is_one_object_per_line_with_the_summary_last() -> None:
    ended = call("simulate", "-f", WEB, "-o", "json")
    *entries, last = map(json.loads, ended.out.splitlines())

    assert {"at", "actor", "verb", "object", "changed"} <= entries[0].keys()
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


def test_a_failed_step_is_named_by_its_number(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("title: mine\nsteps: [{wait: 1s}, {expect: {object: Service/web}}]\nnext: [never shown]\n")
    ended = call("simulate", "--scenario", str(file))

    assert ended.code == 1
    assert "Step 2: Expectation not met: Service/web does not exist." in ended.out
    assert "never shown" not in ended.out


def test_an_error_of_a_step_is_named_by_its_number(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("title: mine\nsteps: [{delete: {object: Service/web}}]\n")
    ended = call("simulate", "--scenario", str(file))

    assert ended.code == 1
    assert "Step 1: Failed: error from server (NotFound): Service web not found." in ended.out


def test_a_field_that_is_removed_is_shown_as_removed() -> None:
    ended = call("simulate", "--scenario", "drift")

    assert "you                   updates Deployment web-deployment: metadata.labels.myresource removed" in ended.out


def test_a_pod_is_deleted_by_its_replica_set_and_removed_by_the_kubelet() -> None:
    lines = call("simulate", "-f", WEB, "--set", "replicas=0", "--at", "5s").out.splitlines()
    actions = [line.split()[1:4] for line in lines if " deletes " in line or " removes " in line]

    assert actions == [["replicaset-controller", "deletes", "Pod"], ["kubelet", "removes", "Pod"]]


def test_a_hook_at_a_url_is_called() -> None:
    with served() as hook:
        ended = call("simulate", "-f", WEB, "--hook", hook.url)

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

    assert file.read_text() == (ROOT / "docs/images/rollback.svg").read_text()


def test_the_picture_of_the_readme_is_at_most_700_pixels_high() -> None:
    (height,) = re.findall(r'^<svg [^>]*viewBox="0 0 [\d.]+ ([\d.]+)"', (ROOT / "docs/images/rollback.svg").read_text())

    assert float(height) <= 700


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
