"""How long ``serve`` takes to start, relative to the import of FastAPI and uvicorn alone."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.process_tree import memory
from metahook.envtest.free_port import free_port

ROUNDS = 9
PATIENCE = 30.0
"""Seconds."""

_BASE = "import fastapi, sys, uvicorn; print('imported', flush=True); sys.stdin.read()"
_POLL = 0.002
_ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""Why without: the image has bytecode, so the first start here, which is not counted, writes it."""


class NotStarted(Exception):
    """A process does not start."""


@dataclass(frozen=True)
class Start:
    """A start: *wall* and *cpu* time in milliseconds until the process is ready, and its *memory* in MiB."""

    wall: float
    cpu: float
    memory: float


def start_serve(*interpreter: str) -> Start:
    """Start ``serve`` until ``/readyz`` answers with 200; *interpreter* has options of Python."""
    port = free_port()
    command = [*interpreter, "-m", "app", "serve", f"--port={free_port()}", f"--health-port={port}", "--drain=0"]
    return _start([*command, "--log-format=json"], lambda _: _is_ready(port))


def start_base() -> Start:
    """Start Python with FastAPI and uvicorn, and nothing else."""
    return _start(["-c", _BASE], lambda process: process.stdout is not None and bool(process.stdout.readline()))


def _start(command: list[str], is_ready: Callable[["subprocess.Popen[bytes]"], bool]) -> Start:
    """Start Python with *command*, wait until it is ready, and stop it."""
    pipe, begin = subprocess.PIPE, time.monotonic()
    start = [sys.executable, *command]
    with subprocess.Popen(start, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=_ENVIRONMENT) as process:  # noqa: S603 - ours
        try:
            while not is_ready(process):
                if process.poll() is not None or time.monotonic() - begin > PATIENCE:
                    message = f"{' '.join(command[:4])} does not start"
                    raise NotStarted(message)
                time.sleep(_POLL)
            return Start((time.monotonic() - begin) * 1000, _cpu(process.pid), memory(process.pid))
        finally:
            process.kill()


def _is_ready(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), PATIENCE) as connection:
            connection.sendall(b"GET /readyz HTTP/1.1\r\nHost: hook\r\nConnection: close\r\n\r\n")
            return b" 200 " in connection.recv(64)
    except ConnectionError:
        return False


def _cpu(pid: int) -> float:
    """Return the milliseconds of CPU of all threads of a process. Source: proc(5), schedstat, in nanoseconds."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e6


@dataclass(frozen=True)
class Comparison:
    """The medians of some rounds; *ratio* is the median of the ratios of CPU within a round."""

    serve: Start
    base: Start
    ratio: float


def compare(rounds: int = ROUNDS) -> Comparison:
    """Start both in turn."""
    start_serve(), start_base()
    pairs = [(start_serve(), start_base()) for _ in range(rounds)]
    return Comparison(
        _median([serve for serve, _ in pairs]),
        _median([base for _, base in pairs]),
        median(serve.cpu / base.cpu for serve, base in pairs),
    )


def _median(starts: list[Start]) -> Start:
    return Start(
        median(start.wall for start in starts),
        median(start.cpu for start in starts),
        median(start.memory for start in starts),
    )
