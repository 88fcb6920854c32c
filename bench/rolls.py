"""Replaces the replicas of the hook one by one under load, and counts the requests that fail: ``make rolls ROLLS=50``.

The client and the Service are the Go program in ``bench/rolls``: a client with the connection pool of Metacontroller,
and a balancer that keeps established connections when an endpoint is removed, as kube-proxy does. The endpoint of a
replica is removed a while after SIGTERM. The same rolls without a drain, and with uvicorn alone, are the controls: they
lose requests. With ``--tls`` the hook has a certificate, and asks for one of the client.
"""

import argparse
import json
import shutil
import ssl
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
import trustme

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
    """A way to serve the hooks. *options* are those of uvicorn or of ``serve``, as are *tls*, with TLS."""

    name: str
    options: tuple[str, ...]
    tls: tuple[str, ...]
    loses_requests: bool = True


@dataclass(frozen=True)
class Certificates:
    """Files of certificates for the hook at 127.0.0.1 and for its client, of the same CA, in *folder*."""

    folder: Path

    def create(self) -> None:
        """Create the files."""
        ca = trustme.CA()
        ca.cert_pem.write_to_path(self._file("ca"))
        for name in ("127.0.0.1", "client.example.com"):
            issued = ca.issue_cert(name)
            issued.cert_chain_pems[0].write_to_path(self._file(f"{name}.crt"))
            issued.private_key_pem.write_to_path(self._file(f"{name}.key"))

    def _file(self, name: str) -> str:
        return str(self.folder / name)

    @property
    def server(self) -> dict[str, str]:
        """The files of the hook."""
        return {"cert": self._file("127.0.0.1.crt"), "key": self._file("127.0.0.1.key"), "ca": self._file("ca")}

    @property
    def client(self) -> dict[str, str]:
        """The files of its client."""
        return {
            **self.server,
            "cert": self._file("client.example.com.crt"),
            "key": self._file("client.example.com.key"),
        }

    def context(self) -> ssl.SSLContext:
        """Return what a client in Python needs."""
        made = ssl.create_default_context(cafile=self.client["ca"])
        made.load_cert_chain(self.client["cert"], self.client["key"])
        return made


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
    certificates: Certificates | None

    def command(self, variant: Variant, port: int) -> list[str]:
        """Return the command that serves *variant* on *port*."""
        files = self.certificates.server if self.certificates else {}
        tls = [option.format(**files) for option in variant.tls] if files else []
        return [sys.executable, "-m", *variant.options, *tls, f"--port={port}"]

    def answers(self, port: int) -> bool:
        """Return whether hooks are served on *port*."""
        scheme, verify = ("https", self.certificates.context()) if self.certificates else ("http", True)
        try:
            url = f"{scheme}://127.0.0.1:{port}/openapi.json"
            return httpx.get(url, trust_env=False, verify=verify).is_success
        except httpx.TransportError:
            return False


def variants(drain: float) -> list[Variant]:
    """Return the ways to serve: the one that loses no request, and the controls."""
    serve, tls = ("app", "serve", "--health-port=0"), ("--tls-cert={cert}", "--tls-key={key}", "--tls-client-ca={ca}")
    uvicorn = ("uvicorn", "app.main:app", "--timeout-keep-alive=120", "--no-access-log")
    with_files = ("--ssl-certfile={cert}", "--ssl-keyfile={key}", "--ssl-ca-certs={ca}", "--ssl-cert-reqs=2")
    return [
        Variant(f"drain {drain:g} s", (*serve, f"--drain={drain:g}"), tls, loses_requests=False),
        Variant("no drain", (*serve, "--drain=0"), tls),
        Variant("uvicorn alone", uvicorn, with_files),
    ]


def run(setup: Setup, variant: Variant, workers: int, rolls: int) -> dict[str, Any]:
    """Return what *workers* saw while replicas were replaced *rolls* times."""
    codes, slowest = set(), 0.0
    with ExitStack() as stack:
        replicas = [stack.enter_context(_replica(setup, variant)) for _ in range(2)]
        client = stack.enter_context(_client(setup, workers, replicas))
        for _ in range(rolls):
            replicas.append(stack.enter_context(_replica(setup, variant)))
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
def _replica(setup: Setup, variant: Variant) -> Iterator[Replica]:
    port = free_port()
    with subprocess.Popen(setup.command(variant, port), stderr=subprocess.DEVNULL, text=True) as process:  # noqa: S603 - ours
        try:
            end = time.monotonic() + PATIENCE
            while not setup.answers(port):
                if process.poll() is not None or time.monotonic() > end:
                    message = f"{variant.name} is not served"
                    raise TimeoutError(message)
                time.sleep(0.05)
            yield Replica(process, f"127.0.0.1:{port}")
        finally:
            process.kill()


@contextmanager
def _client(setup: Setup, workers: int, replicas: list[Replica]) -> Iterator[subprocess.Popen[str]]:
    endpoints = ",".join(replica.address for replica in replicas)
    files = setup.certificates.client if setup.certificates else {}
    tls = [f"-{name}={file}" for name, file in files.items()]
    command = [str(setup.client), f"-workers={workers}", f"-body={setup.request}", f"-endpoints={endpoints}", *tls]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - ours
        try:
            yield process
        finally:
            process.kill()


def main(rolls: int, drain: float, removed_after: float, *, tls: bool) -> int:
    """Print a line for each run; return 1 if a drain loses a request, or a control none."""
    go = shutil.which("go")
    if go is None:
        print("skipped: the client that behaves like Metacontroller needs Go; install it and try again")
        return 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        certificates = Certificates(folder) if tls else None
        if certificates:
            certificates.create()
        setup = Setup(folder / "client", folder / "request.json", removed_after, certificates)
        subprocess.run([go, "build", "-o", setup.client, SOURCE], check=True)  # noqa: S603 - ours
        setup.request.write_text(json.dumps(json.loads(REQUEST.read_text())["request"]))
        wrong = [each for each in variants(drain) if bool(_failed(setup, each, rolls)) != each.loses_requests]
    return 1 if wrong else 0


def _failed(setup: Setup, variant: Variant, rolls: int) -> int:
    """Print a line for each number of workers; return how many requests failed."""
    failed = 0
    for workers in WORKERS:
        result = run(setup, variant, workers, min(rolls, CONTROL_ROLLS) if variant.loses_requests else rolls)
        print(json.dumps(result), flush=True)
        failed += result["failed"]
    return failed


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.rolls", description=__doc__.partition("\n")[0])
    parser.add_argument("rolls", type=int)
    parser.add_argument("--drain", type=float, default=1, help="seconds")
    parser.add_argument("--removed-after", type=float, default=0.3, help="seconds from SIGTERM")
    parser.add_argument("--tls", action="store_true", help="with certificates of the hook and of the client")
    raise SystemExit(main(**vars(parser.parse_args())))
