"""What is attacked: the hook as it is served, and its function behind FastAPI and uvicorn, as the control."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from metahook.envtest.free_port import free_port

MIB = 1024 * 1024

MOST_MEMORY = 200
"""MiB. The chart limits a Pod to 544 MiB, for the largest requests."""


@dataclass(frozen=True)
class Target:
    """A running server. The plain one has no port for health: its ``/livez`` is a path that it does not know."""

    name: str
    process: subprocess.Popen[bytes]
    port: int
    health_port: int

    def memory(self, field: str = "VmRSS") -> float:
        """Return its memory in MiB: what it has now, or the peak since :meth:`forget_peak` with ``VmHWM``."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return int(next(line.split()[1] for line in lines if line.startswith(field))) / 1024

    def forget_peak(self) -> None:
        """Begin a new peak of memory. Source: proc(5), clear_refs."""
        Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")

    def cpu(self) -> float:
        """Return the CPU seconds that it has used."""
        words = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(words[11]) + int(words[12])) / 100

    def sockets(self) -> int:
        """Return how many sockets it has open."""
        links = Path(f"/proc/{self.process.pid}/fd").iterdir()
        return sum(_target(link).startswith("socket:") for link in links)


def _target(link: Path) -> str:
    try:
        return str(link.readlink())
    except OSError:
        return ""


@contextmanager
def served(*options: str) -> Iterator[Target]:
    """Run ``myresource serve`` with *options*."""
    port, health_port = free_port(), free_port()
    command = ["-m", "app", "serve", f"--port={port}", f"--health-port={health_port}", "--drain=0", *options]
    with _running("served", command, port, health_port) as target:
        yield target


@contextmanager
def plain() -> Iterator[Target]:
    """Run the sync hook as a short FastAPI app, with uvicorn's own protocol and settings."""
    port = free_port()
    command = [
        "-m",
        "uvicorn",
        "bench.reliability.unprotected:app",
        f"--port={port}",
        "--no-access-log",
        "--log-level=critical",
    ]
    with _running("plain uvicorn", command, port, port) as target:
        yield target


@contextmanager
def _running(name: str, command: list[str], port: int, health_port: int) -> Iterator[Target]:
    quiet = subprocess.DEVNULL
    start = [sys.executable, *command]
    with subprocess.Popen(start, stdout=quiet, stderr=quiet) as process:  # noqa: S603 - a command of ours
        try:
            _wait_for(f"http://127.0.0.1:{health_port}/readyz")
            yield Target(name, process, port, health_port)
        finally:
            process.kill()


def _wait_for(url: str) -> None:
    """Wait until *url* answers anything but 503."""
    for _ in range(200):
        try:
            if httpx.get(url, trust_env=False).status_code != httpx.codes.SERVICE_UNAVAILABLE:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.05)
    message = f"nothing answers at {url}"
    raise TimeoutError(message)
