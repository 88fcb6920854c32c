"""The processes of the node. They run on when the command that started them ends, so each has a file with its id."""

import os
import signal
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

from tests.node.layout import FOLDER, LOGS, NAMESPACE, RUN
from tests.node.programs import path
from tests.waiting import eventually

Condition = Callable[[], bool]


class Late(Exception):
    """Raised if something does not happen in time."""


def start(name: str, command: list[str | Path], environment: dict[str, str] | None = None) -> None:
    """Start a process in the network namespace of the node."""
    with (LOGS / f"{name}.log").open("ab") as log:
        started = subprocess.Popen(
            [path("nsenter"), f"--net=/run/netns/{NAMESPACE}", *command],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(environment or {})},
            start_new_session=True,
        )
    (RUN / f"{name}.pid").write_text(str(started.pid))


def running() -> list[str]:
    """Return the names of the processes that run."""
    return [file.stem for file in sorted(RUN.glob("*.pid")) if _runs(int(file.read_text()))]


def stop(names: Iterable[str], patience: float = 10) -> None:
    """Stop processes, all at the same time; kill those that run after *patience* seconds."""
    pids = [int((RUN / f"{name}.pid").read_text()) for name in names]
    for how in (signal.SIGTERM, signal.SIGKILL):
        for pid in filter(_runs, pids):
            os.kill(pid, how)
        eventually(lambda: not any(map(_runs, pids)), patience)


def wait_for(what: str, holds: Condition, patience: float = 90) -> None:
    """Wait until *holds* returns True; raise Late."""
    if not eventually(holds, patience, pause=0.1):
        message = f"{what} is not there after {patience:.0f} s: see {LOGS}"
        raise Late(message)


def _runs(pid: int) -> bool:
    """Return whether *pid* is a process of the node: after a reboot, another process can have its id."""
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
    return str(FOLDER).encode() in command  # each has a file of the folder as an argument
