"""Replaces the replicas of the hook one by one under load, and counts the requests that fail: ``make rolls ROLLS=50``.

The client and the Service are the Go program in ``bench/rolls``: a client with the connection pool of Metacontroller,
and a balancer that keeps established connections when an endpoint is removed, as kube-proxy does. The endpoint of a
replica is removed a while after SIGTERM. The same rolls without a drain, and with uvicorn alone, are the controls: they
lose requests.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from metahook.envtest.free_port import free_port
from tests.traffic import FOLDER

SOURCE = Path(__file__).parent / "rolls" / "main.go"
REQUEST = FOLDER / "server-side-apply" / "service-1-changed-first.json"
WORKERS = (2, 5)
CONTROL_ROLLS = 5
"""Rolls of a control, at most: it loses requests in nearly every one."""

PATIENCE = 60.0
"""Seconds."""


@dataclass(frozen=True)
class Variant:
    """A way to serve the hooks. *options* are those of uvicorn or of ``serve``."""

    name: str
    options: tuple[str, ...]
    loses_requests: bool = True

    def command(self, port: int) -> list[str]:
        """Return the command that serves on *port*."""
        return [sys.executable, "-m", *self.options, f"--port={port}"]


@dataclass(frozen=True)
class Replica:
    """A process that serves the hooks at *address*."""

    process: subprocess.Popen[str]
    address: str


@dataclass(frozen=True)
class Setup:
    """What all runs have in common. Times are in seconds."""

    client: Path
    request: Path
    removed_after: float


def variants(drain: float) -> list[Variant]:
    """Return the ways to serve: the one that loses no request, and the controls."""
    serve = ("app", "serve", "--health-port=0")
    return [
        Variant(f"drain {drain:g} s", (*serve, f"--drain={drain:g}"), loses_requests=False),
        Variant("no drain", (*serve, "--drain=0")),
        Variant("uvicorn alone", ("uvicorn", "app.main:app", "--timeout-keep-alive=120", "--no-access-log")),
    ]


def run(setup: Setup, variant: Variant, workers: int, rolls: int) -> dict[str, Any]:
    """Return what *workers* saw while replicas were replaced *rolls* times."""
    codes, slowest = set(), 0.0
    with ExitStack() as stack:
        replicas = [stack.enter_context(_replica(variant)) for _ in range(2)]
        client = stack.enter_context(_client(setup, workers, replicas))
        for _ in range(rolls):
            replicas.append(stack.enter_context(_replica(variant)))
            old = replicas.pop(0)
            seconds, code = _replace(client, old, replicas[-1], setup.removed_after)
            slowest = max(slowest, seconds)
            codes.add(code)
        result: dict[str, Any] = json.loads(client.communicate("stop\n", PATIENCE)[0])
    head = {"variant": variant.name, "workers": workers, "rolls": rolls}
    return {**head, **result, "exit_codes": sorted(codes), "slowest_exit_s": round(slowest, 1)}


def _replace(client: subprocess.Popen[str], old: Replica, new: Replica, removed_after: float) -> tuple[float, int]:
    """Replace a replica; return the time until it exits, in seconds, and its exit code."""
    _tell(client, "add", new)
    start = time.monotonic()
    old.process.terminate()
    time.sleep(removed_after)
    _tell(client, "remove", old)
    code = old.process.wait(PATIENCE)
    return time.monotonic() - start, code


def _tell(client: subprocess.Popen[str], command: str, replica: Replica) -> None:
    print(command, replica.address, file=client.stdin, flush=True)


@contextmanager
def _replica(variant: Variant) -> Iterator[Replica]:
    port = free_port()
    with subprocess.Popen(variant.command(port), stderr=subprocess.DEVNULL, text=True) as process:  # noqa: S603 - ours
        try:
            _wait_for(f"http://127.0.0.1:{port}/openapi.json")
            yield Replica(process, f"127.0.0.1:{port}")
        finally:
            process.kill()


def _wait_for(url: str) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            if httpx.get(url, trust_env=False).is_success:
                return
        except httpx.TransportError:
            time.sleep(0.05)
    message = f"nothing answers at {url}"
    raise TimeoutError(message)


@contextmanager
def _client(setup: Setup, workers: int, replicas: list[Replica]) -> Iterator[subprocess.Popen[str]]:
    endpoints = ",".join(replica.address for replica in replicas)
    command = [str(setup.client), f"-workers={workers}", f"-body={setup.request}", f"-endpoints={endpoints}"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - ours
        try:
            yield process
        finally:
            process.kill()


def main(rolls: int, drain: float, removed_after: float) -> int:
    """Print a line for each run; return 1 if a drain loses a request, or a control none."""
    go = shutil.which("go")
    if go is None:
        print("skipped: the client that behaves like Metacontroller needs Go; install it and try again")
        return 0
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        setup = Setup(Path(folder) / "client", Path(folder) / "request.json", removed_after)
        subprocess.run([go, "build", "-o", setup.client, SOURCE], check=True)  # noqa: S603 - ours
        setup.request.write_text(json.dumps(json.loads(REQUEST.read_text())["request"]))
        for variant in variants(drain):
            failed = 0
            for workers in WORKERS:
                result = run(setup, variant, workers, min(rolls, CONTROL_ROLLS) if variant.loses_requests else rolls)
                print(json.dumps(result), flush=True)
                failed += result["failed"]
            wrong += variant.loses_requests != bool(failed)
    return 1 if wrong else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.rolls", description=__doc__.partition("\n")[0])
    parser.add_argument("rolls", type=int)
    parser.add_argument("--drain", type=float, default=1, help="seconds")
    parser.add_argument("--removed-after", type=float, default=0.3, help="seconds from SIGTERM")
    raise SystemExit(main(**vars(parser.parse_args())))
