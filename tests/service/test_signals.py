"""The operator's service gets a signal, at any moment."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from metahook.envtest.process import free_port
from tests.cli.command import LISTENS
from tests.service.operator import SERVE
from toolkit.slow import short_or_whole
from toolkit.waiting import eventually

UNSHARE = ("unshare", "--fork", "--pid", "--kill-child")
HAS_NAMESPACES = bool(shutil.which("unshare")) and not subprocess.run([*UNSHARE, "true"], check=False).returncode


def handles(pid: int, sign: signal.Signals) -> bool:
    """Tell whether the process has a handler for *sign*."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    caught = next(line.split()[1] for line in lines if line.startswith("SigCgt:"))
    return bool(int(caught, 16) >> (sign - 1) & 1)


def command() -> list[str]:
    return [*LISTENS, *SERVE, f"--port={free_port()}", f"--health-port={free_port()}", "--log-level=error", "--drain=0"]


@pytest.mark.slow
@pytest.mark.parametrize("after", short_or_whole([0.02], [0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8]))
def test_ctrl_c_at_any_moment_of_the_start_prints_no_traceback(after: float) -> None:
    with subprocess.Popen(command(), stderr=subprocess.PIPE, text=True) as process:
        try:
            assert eventually(lambda: handles(process.pid, signal.SIGTERM), pause=0.001)
            time.sleep(after)

            process.send_signal(signal.SIGINT)
            _, log = process.communicate(timeout=30)
        finally:
            process.kill()

    assert (process.returncode in (0, 130), log) == (True, "")


@pytest.mark.skipif(not HAS_NAMESPACES, reason="no permission to create a pid namespace")
@pytest.mark.slow
@pytest.mark.parametrize("after", short_or_whole([0.1], [0, 0.05, 0.1, 0.2, 0.4, 0.8]))
def test_process_1_stops_at_a_sigterm_at_any_moment_of_its_start(after: float) -> None:
    with subprocess.Popen([*UNSHARE, *command()], stderr=subprocess.DEVNULL) as parent:
        try:
            children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children")
            assert eventually(lambda: bool(children.read_text()), pause=0.001)
            pid = int(children.read_text())
            assert eventually(lambda: handles(pid, signal.SIGTERM), pause=0.001)
            time.sleep(after)

            os.kill(pid, signal.SIGTERM)

            assert parent.wait(timeout=30) in (0, 143)
        finally:
            parent.kill()
