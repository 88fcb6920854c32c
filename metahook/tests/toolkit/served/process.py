"""A hook that runs as a process of its own, on free ports."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from metahook.envtest.process import free_port
from toolkit.forked import Forked, started
from toolkit.waiting import eventually

_TESTS = str(Path(__file__).parents[2])
WIDGETS = (sys.executable, "-c", "from toolkit.serve_widgets import main; main()")
"""Serves Widgets, with the options of :mod:`toolkit.serve_widgets`."""

CLIENT = httpx.Client(limits=httpx.Limits(max_keepalive_connections=0))
"""Has a connection for each request, as ``httpx.get`` has; but to make a client takes 20 ms of CPU."""


@dataclass(frozen=True)
class Served:
    """Where a hook is served."""

    process: subprocess.Popen[str] | Forked
    url: str
    health_url: str

    @property
    def port(self) -> int:
        """The port of :attr:`url`."""
        return urlsplit(self.url).port or 0

    def memory(self, field: str = "VmRSS") -> float:
        """Return its memory in MiB: what it has now, or with ``VmHWM`` the most that it ever had. Source: proc(5)."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return int(next(line.split()[1] for line in lines if line.startswith(field))) / 1024


@contextmanager
def served(*command: str, **defaults: str) -> Iterator[Served]:
    """Run *command* (default: serve Widgets) with ``--port`` and ``--health-port`` until the block ends.

    Variables of the environment have *defaults*. The process finds the toolkit's helpers of tests. One of ``python -c``
    is forked.
    """
    port, health_port = free_port(), free_port()
    environment = {**defaults, **os.environ}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, (_TESTS, environment.get("PYTHONPATH"))))
    start = [*(command or WIDGETS), f"--port={port}", f"--health-port={health_port}"]
    with started(start, environment) as process:
        try:
            health_url = f"http://127.0.0.1:{health_port}"
            if not eventually(lambda: _is_ready(health_url), pause=0.05):
                message = f"nothing answers at {health_url}"
                raise TimeoutError(message)
            yield Served(process, f"http://127.0.0.1:{port}", health_url)
        finally:
            process.send_signal(signal.SIGINT)  # which stops without a drain, also a hook that has no such option


def _is_ready(health_url: str) -> bool:
    try:
        return CLIENT.get(f"{health_url}/readyz").is_success
    except httpx.TransportError:
        return False
