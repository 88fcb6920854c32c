"""Processes that the tests start: each has a log, and is stopped by its id, whatever happened."""

import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

PATIENCE = 60.0
"""Seconds that a process may take to serve, or to end: others use the machine, too."""


class Ended(Exception):
    """Raised when a process ends, or does not serve in time. Its text has the end of its log."""


class Process:
    """One command, which may be started and stopped many times; *serves* tells whether it does its work."""

    def __init__(self, name: str, command: list[str], folder: Path, serves: Callable[[], bool]) -> None:
        self.name = name
        self.log = folder / f"{name}.log"
        self.command = command
        self.started = 0.0
        self._serves = serves
        self._running: subprocess.Popen[bytes] | None = None

    def start(self, *, cwd: Path | None = None) -> None:
        """Start it, and wait until it serves."""
        self.started = time.time()
        with self.log.open("ab") as log:
            self._running = subprocess.Popen(
                self.command, stdout=log, stderr=subprocess.STDOUT, cwd=cwd or self.log.parent, start_new_session=True
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

    def text(self) -> str:
        """Return its log."""
        return self.log.read_text(errors="replace") if self.log.exists() else ""
