"""Processes that the tests start: each has a log, and is stopped by its id, whatever happened."""

import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import httpx

PATIENCE = 120.0
"""Seconds that a process may take to serve, or to end: others use the machine, too."""


_LEASH = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []
"""Ends a process when the tests end without having stopped it, where there is this command."""


class Ended(Exception):
    """Raised when a process ends, or does not serve in time. Its text has the end of its log."""


class Process:
    """One command, which may be started and stopped many times; *serves* tells whether it does its work."""

    def __init__(
        self, name: str, command: list[str], folder: Path, serves: Callable[[], bool], *, cwd: Path | None = None
    ) -> None:
        self.name = name
        self.log = folder / f"{name}.log"
        self.command = command
        self.started = 0.0
        self._serves = serves
        self._cwd = cwd or folder
        self._running: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it serves."""
        self.started = time.time()
        with self.log.open("ab") as log:
            self._running = subprocess.Popen(
                [*_LEASH, *self.command], stdout=log, stderr=subprocess.STDOUT, cwd=self._cwd, start_new_session=True
            )
        end = time.monotonic() + PATIENCE
        while not self._serves():
            if self._running.poll() is not None or time.monotonic() > end:
                self.stop()
                message = f"{self.name} does not serve; its log ends: {self.text()[-2000:]}"
                raise Ended(message)
            time.sleep(0.05)

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """Stop it if it runs, and wait for its end."""
        running, self._running = self._running, None
        if running is None:
            return
        running.send_signal(how)
        try:
            running.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()

    def restart(self, how: signal.Signals = signal.SIGTERM) -> None:
        """Stop it, which must run still, and start it again."""
        if self._running is None or self._running.poll() is not None:
            message = f"{self.name} has ended by itself; its log ends: {self.text()[-2000:]}"
            raise Ended(message)
        self.stop(how)
        self.start()

    @property
    def pid(self) -> int:
        """Return the id of the process, which must run."""
        if self._running is None:
            message = f"{self.name} does not run"
            raise Ended(message)
        return self._running.pid

    def text(self) -> str:
        """Return its log."""
        return self.log.read_text(errors="replace") if self.log.exists() else ""


def answers(url: str) -> bool:
    """Tell whether *url* is served."""
    try:
        return httpx.get(url, trust_env=False).is_success
    except httpx.TransportError:
        return False
