"""A recorder that runs as a process of its own, on a free port."""

import json
import os
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen
from typing import Any

from metahook.envtest.process import free_port
from toolkit.forked import Forked, started

GENERIC = (sys.executable, "-c", "import runpy; runpy.run_module('metahook.record', run_name='__main__')")

PATIENCE = 20
"""Seconds."""


@dataclass(frozen=True)
class Running:
    """Where a recorder listens, and what it wrote."""

    process: Popen[str] | Forked
    url: str
    folder: Path

    def stop(self) -> str:
        """Stop it, and return its log."""
        self.process.terminate()
        _, log = self.process.communicate(timeout=PATIENCE)
        return log

    def kept(self) -> list[dict[str, Any]]:
        """Return what is recorded when it has stopped."""
        self.stop()
        return [json.loads(file.read_text()) for file in sorted(self.folder.iterdir())]


@contextmanager
def recording(
    hook: str, folder: Path, *options: str, command: tuple[str, ...] = GENERIC, scheme: str = "http"
) -> Iterator[Running]:
    """Run a recorder in front of *hook*, which writes to *folder*, until the block ends."""
    port = free_port()
    start = [*command, f"--listen=127.0.0.1:{port}", f"--hook={hook}", f"--output={folder}", *options]
    with started(start, os.environ) as process:
        try:
            wait_for(port, process)
            yield Running(process, f"{scheme}://127.0.0.1:{port}", folder)
        finally:
            process.terminate()


def wait_for(port: int, process: Popen[str] | Forked) -> None:
    """Wait until *process* listens on *port*."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            assert process.poll() is None, process.stderr and process.stderr.read()
            assert time.monotonic() < end
            time.sleep(0.05)
        else:
            return
