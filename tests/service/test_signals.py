"""The operator's service gets a signal, at any moment."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from metahook.envtest.free_port import free_port
from tests.service.operator import SERVE
from toolkit.slow import short_or_whole


def wait_for(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.001)


UNSHARE = ("unshare", "--fork", "--pid", "--kill-child")


HAS_NAMESPACES = bool(shutil.which("unshare")) and not subprocess.run([*UNSHARE, "true"], check=False).returncode


as_process_1 = pytest.mark.skipif(not HAS_NAMESPACES, reason="no permission to create a pid namespace")


_UNPREPARED = (sys.executable, "-c", "import sys; from app.cli import main; main(sys.argv[1:])", "serve")
"""The command without the handler of ``python -m app``."""


@dataclass(frozen=True)
class First:
    """A hook that is the first process of a pid namespace, which *parent* created."""

    parent: subprocess.Popen[Any]
    pid: int
    health: int

    def handles(self, sign: signal.Signals) -> bool:
        """Tell whether it has a handler for *sign*."""
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        caught = next(line.split()[1] for line in lines if line.startswith("SigCgt:"))
        return bool(int(caught, 16) >> (sign - 1) & 1)

    def is_listening(self) -> bool:
        """Tell whether its port of health is open."""
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.health)) == 0


@contextmanager
def first_process(*command: str) -> Iterator[First]:
    """Run a hook as the first process of a pid namespace until the block ends."""
    port, health = free_port(), free_port()
    options = [f"--port={port}", f"--health-port={health}", "--drain=0"]
    with subprocess.Popen([*UNSHARE, *command, *options], stderr=subprocess.DEVNULL) as parent:
        try:
            children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children")
            wait_for(lambda: bool(children.read_text()))
            yield First(parent, int(children.read_text()), health)
        finally:
            parent.kill()


@pytest.mark.slow
@pytest.mark.parametrize("after", short_or_whole([0.02], [0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8]))
def test_ctrl_c_at_any_moment_of_the_start_prints_no_traceback(after: float) -> None:
    options = [f"--port={free_port()}", f"--health-port={free_port()}", "--log-level=error"]
    with subprocess.Popen([*SERVE, *options], stderr=subprocess.PIPE, text=True) as process:
        first = First(process, process.pid, 0)
        wait_for(lambda: first.handles(signal.SIGTERM))
        time.sleep(after)

        process.send_signal(signal.SIGINT)
        _, log = process.communicate(timeout=30)

    assert (process.returncode in (0, 130), log) == (True, "")


@as_process_1
@pytest.mark.slow
@pytest.mark.parametrize("after", short_or_whole([0.1], [0, 0.05, 0.1, 0.2, 0.4, 0.8]))
def test_process_1_stops_at_a_sigterm_at_any_moment_of_its_start(after: float) -> None:
    with first_process(*SERVE) as first:
        wait_for(lambda: first.handles(signal.SIGTERM))
        time.sleep(after)

        os.kill(first.pid, signal.SIGTERM)

        assert first.parent.wait(timeout=30) in (0, 143)


@as_process_1
def test_without_the_handler_process_1_ignores_a_sigterm_while_it_starts() -> None:
    with first_process(*_UNPREPARED) as first:
        wait_for(lambda: first.handles(signal.SIGINT))  # Python runs
        assert not first.handles(signal.SIGTERM)

        os.kill(first.pid, signal.SIGTERM)

        wait_for(first.is_listening)
