"""Processes: what their user is told, and that they end."""

import os
import signal
from pathlib import Path

import pytest

from metahook.envtest import Ended
from metahook.envtest.process import Process, answers

SLEEP = ["sleep", "600"]


def exists(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def test_it_runs_until_it_is_stopped_and_a_second_stop_is_nothing(tmp_path: Path) -> None:
    process = Process("it", SLEEP, tmp_path, lambda: True)
    process.start()
    running = process.pid
    assert exists(running)

    process.stop()
    process.stop()

    assert not exists(running)


def test_a_restart_is_another_process_with_the_same_log(tmp_path: Path) -> None:
    command = ["sh", "-c", "echo line; touch up; exec sleep 600"]
    process = Process("it", command, tmp_path, (tmp_path / "up").exists)
    process.start()
    first = process.pid
    (tmp_path / "up").unlink()

    process.restart(signal.SIGKILL)

    assert process.pid != first
    assert process.text() == "line\nline\n"
    process.stop()


def test_one_that_exits_before_it_serves_shows_the_end_of_its_log(tmp_path: Path) -> None:
    process = Process("it", ["sh", "-c", "echo no"], tmp_path, lambda: False)

    with pytest.raises(Ended, match=r"^it does not serve; its log ends: no\n$"):
        process.start()


def test_one_that_has_ended_by_itself_is_not_restarted(tmp_path: Path) -> None:
    process = Process("it", SLEEP, tmp_path, lambda: True)
    process.start()
    os.kill(process.pid, signal.SIGKILL)
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)

    with pytest.raises(Ended, match=r"^it has ended by itself"):
        process.restart()


def test_one_that_was_not_started_has_no_pid(tmp_path: Path) -> None:
    with pytest.raises(Ended, match=r"^it does not run$"):
        _ = Process("it", SLEEP, tmp_path, lambda: True).pid


def test_a_port_without_a_listener_does_not_answer() -> None:
    assert answers("http://127.0.0.1:1") is False
