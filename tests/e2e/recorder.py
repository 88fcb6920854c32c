"""The recorder of this checkout as a process, in front of a hook."""

import socket
import sys
from pathlib import Path

from metahook.envtest.free_port import free_port
from metahook.envtest.process import Process
from tests.e2e.installed import ROOT


class Recorder(Process):
    """A recorder that listens on a free port and writes what *hook*, a URL, decides to *output*, with values."""

    def __init__(self, folder: Path, hook: str, output: Path) -> None:
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        options = [f"--listen=127.0.0.1:{port}", f"--hook={hook}", f"--output={output}", "--limit=4000", "--values"]
        command = [sys.executable, "-m", "app", "record", *options]
        super().__init__(f"recorder-{output.name}", command, folder, lambda: _listens(port), cwd=ROOT)


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True
