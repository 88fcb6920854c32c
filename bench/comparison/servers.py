"""The servers that are compared, each as a process on one core."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from bench.comparison.requests import TOKEN
from metahook.envtest.process import free_port

ROOT = Path(__file__).parents[2]

PATIENCE = 30.0
"""Seconds for a server to start."""

HOOK, PLAIN_ROUTE, FASTAPI = "this hook", "plain route", "FastAPI"


@dataclass(frozen=True)
class Server:
    """A running server."""

    name: str
    process: subprocess.Popen[bytes]
    port: int

    def answer(self, body: bytes) -> httpx.Response:
        """Return the answer to the sync request *body*; raise httpx.HTTPError if it is none."""
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        url = f"http://127.0.0.1:{self.port}/sync"
        return httpx.post(url, content=body, headers=headers, timeout=PATIENCE, trust_env=False).raise_for_status()


def _hook(port: int, folder: Path) -> list[str]:
    token = folder / "token"
    token.write_text(TOKEN)
    options = ["--log-format=json", f"--tokens={token}", f"--health-port={free_port()}", "--drain=0"]
    return [sys.executable, "-m", "app", "serve", f"--port={port}", *options]


def _uvicorn(app: str) -> Callable[[int, Path], list[str]]:
    options = ["--loop=uvloop", "--http=httptools", "--no-access-log"]
    return lambda port, _: [sys.executable, "-m", "uvicorn", app, f"--port={port}", *options]


COMMANDS: dict[str, Callable[[int, Path], list[str]]] = {
    HOOK: _hook,
    PLAIN_ROUTE: _uvicorn("bench.peers.plain_route:app"),
    FASTAPI: _uvicorn("bench.peers.fastapi_models:app"),
}
"""By name: the command that serves on a port, given a folder for its files."""


@contextmanager
def running(name: str, body: bytes, core: int) -> Iterator[Server]:
    """Serve *name* on one *core*, until the block ends; *body* is the first request that it answers."""
    port, quiet = free_port(), subprocess.DEVNULL
    with tempfile.TemporaryDirectory() as folder:
        command = COMMANDS[name](port, Path(folder))
        with on_core(core):
            process = subprocess.Popen(command, cwd=ROOT, stdout=quiet, stderr=quiet)  # noqa: S603 - one of COMMANDS
        server = Server(name, process, port)
        try:
            _wait_for(server, body)
            yield server
        finally:
            process.kill()
            process.wait()


def _wait_for(server: Server, body: bytes) -> None:
    """Wait until *body* is answered; raise TimeoutError."""
    end = time.monotonic() + PATIENCE
    while server.process.poll() is None and time.monotonic() < end:
        try:
            server.answer(body)
        except httpx.TransportError:
            time.sleep(0.05)
        else:
            return
    message = f"{server.name} is not served: {server.process.args!r}"
    raise TimeoutError(message)


@contextmanager
def on_core(core: int) -> Iterator[None]:
    """Run on *core* until the block ends. Processes that are started meanwhile stay there."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
