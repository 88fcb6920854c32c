"""What is attacked: ``myresource serve`` as a process, and an app without limits behind uvicorn as the control."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from metahook.envtest.free_port import free_port
from metahook.protocol.request_builder import sync_request
from tests.requests.builders import grouped, my_resource
from tests.service.attacks.senders import request
from tests.service.operator import serve_with
from toolkit.waiting import eventually

MOST_MEMORY = 200
"""MiB. The chart limits a Pod to 544 MiB, for the largest requests."""

REQUEST = request(sync_request(my_resource(), grouped(), {}))
"""A usual request, as it is sent."""


@dataclass(frozen=True)
class Target:
    """A running server. The control has no port for health: its ``/livez`` is a path that it does not know."""

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


@contextmanager
def served(*options: str, **limits: float) -> Iterator[Target]:
    """Run ``myresource serve`` with *options* and *limits*; it drains for no time, unless they say how long."""
    port, health_port = free_port(), free_port()
    command = [*serve_with(**limits), f"--port={port}", f"--health-port={health_port}", "--drain=0", *options]
    with _running(command, port, health_port) as target:
        yield target


@contextmanager
def unprotected() -> Iterator[Target]:
    """Run the same sync hook without limits, with uvicorn's own protocol and settings."""
    port = free_port()
    app = "tests.service.attacks.unprotected:app"
    with _running(
        [sys.executable, "-m", "uvicorn", app, f"--port={port}", "--log-level=critical"], port, port
    ) as target:
        yield target


@contextmanager
def _running(command: list[str], port: int, health_port: int) -> Iterator[Target]:
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=quiet, stderr=quiet) as process:
        try:
            assert eventually(lambda: _answers(f"http://127.0.0.1:{health_port}/readyz"))
            yield Target(process, port, health_port)
        finally:
            process.kill()


def _answers(url: str) -> bool:
    """Return whether *url* answers anything but 503."""
    try:
        return httpx.get(url, trust_env=False).status_code != httpx.codes.SERVICE_UNAVAILABLE
    except httpx.TransportError:
        return False
