"""The hook of this checkout as a process, other versions of it, and the recorder in front of one."""

import socket
import sys
from pathlib import Path
from typing import Any

from metahook.envtest.process import Process, answers, free_port
from tests.e2e.installed import ROOT
from tests.e2e.watched import OPTIONS

THIS = (sys.executable, "-m", "app")

_NEXT = """
import app.core.sync
from tests.e2e.hook import wordier

app.core.sync.parent_status = wordier(app.core.sync.parent_status)

from app.cli import main

main()
"""
NEXT = (sys.executable, "-c", _NEXT)
"""A version with other messages and the same children."""


_AHEAD = """
from datetime import timedelta

from metahook import clock

right = clock.utc_now
clock.utc_now = lambda: right() + timedelta(minutes=10)

from app.cli import main

main()
"""
AHEAD = (sys.executable, "-c", _AHEAD)
"""This version, with a clock that is ten minutes ahead."""


class Hook(Process):
    """A hook that listens on free ports."""

    def __init__(self, name: str, folder: Path, *options: str, version: tuple[str, ...] = THIS) -> None:
        port, health = free_port(), free_port()
        self.url = f"http://127.0.0.1:{port}"
        command = [*version, "serve", f"--port={port}", f"--health-port={health}", "--drain=0", *OPTIONS, *options]
        super().__init__(name, command, folder, lambda: answers(f"http://127.0.0.1:{health}/readyz"), cwd=ROOT)


def wordier(status: Any) -> Any:
    """Return a function like *status* that adds a word to each message."""

    def changed(*arguments: Any) -> Any:
        made = status(*arguments)
        worded = [{**item, "message": f"{item['message']} Next."} for item in made.fields["conditions"]]
        return made._replace(fields={**made.fields, "conditions": worded})

    return changed


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
