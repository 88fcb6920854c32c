"""A hook that runs as a process of its own, on free ports."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx

from metahook.envtest.free_port import free_port


@dataclass(frozen=True)
class Served:
    """Where a hook is served."""

    process: subprocess.Popen[str]
    url: str
    health_url: str


@contextmanager
def served(*command: str) -> Iterator[Served]:
    """Run *command* (default: ``python -m app serve``) with ``--port`` and ``--health-port`` until the block ends.

    Unless *command* has the option, it stops without a drain.
    """
    port, health_port = free_port(), free_port()
    start = [*(command or (sys.executable, "-m", "app", "serve")), f"--port={port}", f"--health-port={health_port}"]
    environment = {"MYRESOURCE_DRAIN": "0", **os.environ}
    with subprocess.Popen(start, stderr=subprocess.PIPE, text=True, env=environment) as process:
        try:
            health_url = f"http://127.0.0.1:{health_port}"
            _wait_for(f"{health_url}/readyz")
            yield Served(process, f"http://127.0.0.1:{port}", health_url)
        finally:
            process.send_signal(signal.SIGINT)  # which stops without a drain, also a hook that has no such option


def _wait_for(url: str) -> None:
    for _ in range(200):
        try:
            if httpx.get(url).is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.05)
    message = f"nothing answers at {url}"
    raise TimeoutError(message)
