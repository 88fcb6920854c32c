"""Processes that are started and stopped, and free ports for them. Each has a log, and is always stopped by its id."""

import secrets
import shutil
import signal
import ssl
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import httpx

from metahook.server.options import Address, CannotListen

PATIENCE = 120.0
"""Timeout in seconds for a start or stop; long, because the machine is shared."""


_LEASH = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []
"""Stops a process when this process dies, if this command is installed."""


_NO_CA = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""No CA. By default, httpx loads all CAs for each request, which takes longer than the pause between two polls."""


class Ended(Exception):
    """Raised if a process exits, or does not serve in time. The message has the end of its log."""


class Process:
    """A command that can be started and stopped many times. *serves* returns whether it is up."""

    def __init__(
        self, name: str, command: list[str], folder: Path, serves: Callable[[], bool], *, cwd: Path | None = None
    ) -> None:
        self.name = name
        self.log = folder / f"{name}.log"
        self.command = command
        self._serves = serves
        self._cwd = cwd or folder
        self._running: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it serves; raise Ended if it does not."""
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
        """Stop it if it runs, and wait until it exits."""
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
        """Stop it and start it again; raise Ended if it does not run, or does not serve again."""
        if self._running is None or self._running.poll() is not None:
            message = f"{self.name} has ended by itself; its log ends: {self.text()[-2000:]}"
            raise Ended(message)
        self.stop(how)
        self.start()

    @property
    def pid(self) -> int:
        """Return the process id; raise Ended if it was not started."""
        if self._running is None:
            message = f"{self.name} does not run"
            raise Ended(message)
        return self._running.pid

    def text(self) -> str:
        """Return its log."""
        return self.log.read_text(errors="replace") if self.log.exists() else ""


def answers(url: str) -> bool:
    """Return whether *url*, of plain HTTP, is served."""
    try:
        return httpx.get(url, trust_env=False, verify=_NO_CA).is_success
    except httpx.TransportError:
        return False


_PORTS = range(12000, 32000)
"""Below those that systems give to clients, who would else take a port before it is listened on."""

_given: set[int] = set()


def free_port() -> int:
    """Return a free port that was not returned before: its listener may be about to start."""
    while True:
        port = secrets.choice(_PORTS)
        if port in _given:
            continue
        _given.add(port)
        try:
            Address("127.0.0.1", port).listen().close()
        except CannotListen:
            continue
        return port
