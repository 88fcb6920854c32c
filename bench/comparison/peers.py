"""The servers that are compared: this hook as it is installed, and short hooks that do a small part of its work."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench import process_tree
from bench.comparison.load import Client, NotAnswered
from bench.comparison.machine import on_core
from bench.comparison.requests import TOKEN
from bench.comparison.results import FASTAPI, GO, HOOK, HTTP_SERVER
from metahook.envtest.free_port import free_port

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "bench/peers"
BUILD = ROOT / "build/bench"

PATIENCE = 30.0
"""Seconds for a server to start."""

NO_GO = "skipped: the hook in Go needs Go 1.25 or later; install it to compare with it"


class NotServed(Exception):
    """A server does not start."""


@dataclass(frozen=True)
class Peer:
    """A server: its *name*, and the command that serves it on a port, given a folder for its files."""

    name: str
    command: Callable[[int, Path], list[str]]


@dataclass(frozen=True)
class Server:
    """A running server."""

    name: str
    process: subprocess.Popen[bytes]
    port: int
    start: float
    """Milliseconds from its start to its first answer."""

    def cpu(self) -> float:
        """Return the CPU seconds that it has used."""
        return process_tree.cpu(self.process.pid)

    def memory(self) -> float:
        """Return its memory in MiB."""
        return process_tree.memory(self.process.pid)

    def is_running(self) -> bool:
        """Return whether it still runs."""
        return self.process.poll() is None

    def state(self, request: bytearray) -> str:
        """Return the state in the response to *request*; raise NotAnswered if it is no response of a sync hook."""
        client = Client(self.port, 1)
        try:
            response = client.response(request)
        finally:
            client.close()
        try:
            content = json.loads(response.partition(b"\r\n\r\n")[2])
            deployment = next(each for each in content["children"] if each["kind"] == "Deployment")
            assert deployment["spec"]["template"]["spec"]["containers"][0]["image"]  # noqa: S101 - raises as others do
            return str(content["status"]["state"])
        except (ValueError, LookupError, TypeError, StopIteration, AssertionError) as error:
            message = f"{self.name} answered {response[:200]!r}"
            raise NotAnswered(message) from error


def peers() -> list[Peer]:
    """Return the servers that can run here; print a sentence about one that can't."""
    found = [Peer(HOOK, _hook), Peer(HTTP_SERVER, _http_server), Peer(FASTAPI, _fastapi)]
    if _build_go():
        found.append(Peer(GO, lambda port, _: [str(BUILD / "go-hook"), str(port)]))
    else:
        print(NO_GO)
    return found


def _hook(port: int, folder: Path) -> list[str]:
    token = folder / "token"
    token.write_text(TOKEN)
    options = ["--log-format=json", f"--tokens={token}", f"--health-port={free_port()}", "--drain=0"]
    return [sys.executable, "-m", "app", "serve", f"--port={port}", *options]


def _http_server(port: int, _: Path) -> list[str]:
    return [sys.executable, str(FOLDER / "http_server.py"), str(port)]


def _fastapi(port: int, _: Path) -> list[str]:
    options = ["--loop=uvloop", "--http=httptools", "--no-access-log"]
    return [sys.executable, "-m", "uvicorn", "bench.peers.fastapi_models:app", f"--port={port}", *options]


def _build_go() -> bool:
    """Build the hook in Go; return whether it could be built."""
    go = shutil.which("go")
    if go is None:
        return False
    BUILD.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "GOEXPERIMENT": "jsonv2", "GOTOOLCHAIN": "local"}
    command = [go, "build", "-o", str(BUILD / "go-hook"), "."]
    built = subprocess.run(command, cwd=FOLDER / "go", env=environment, capture_output=True, check=False)  # noqa: S603 - ours
    return built.returncode == 0


@contextmanager
def running(peer: Peer, request: bytearray, core: int) -> Iterator[Server]:
    """Serve *peer* on one *core*, until the block ends; *request* is the first that it answers."""
    port, quiet = free_port(), subprocess.DEVNULL
    with tempfile.TemporaryDirectory() as folder:
        command = peer.command(port, Path(folder))
        with on_core(core):
            begin = time.perf_counter()
            process = subprocess.Popen(command, cwd=ROOT, stdout=quiet, stderr=quiet)  # noqa: S603 - ours
        try:
            _wait_for(peer, process, port, request)
            yield Server(peer.name, process, port, (time.perf_counter() - begin) * 1000)
        finally:
            process.kill()
            process.wait()


def _wait_for(peer: Peer, process: subprocess.Popen[bytes], port: int, request: bytearray) -> None:
    """Wait until *request* is answered."""
    end = time.monotonic() + PATIENCE
    while True:
        client = Client(port, 1)
        try:
            client.response(request)
        except ConnectionError:
            time.sleep(0.002)
        else:
            return
        finally:
            client.close()
        if process.poll() is not None or time.monotonic() > end:
            message = f"{peer.name} is not served: {' '.join(map(str, process.args))}"  # type: ignore[arg-type] # a list
            raise NotServed(message)
