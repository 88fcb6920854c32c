"""Runs an image with runc as a Pod would: its user and start command, a read-only root, no capabilities, a network of
its own with loopback alone.
"""

import ctypes
import json
import os
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from tests.documents import ROOT
from tests.image.programs import run, succeeds

Json = dict[str, Any]

FILES = ROOT / "tests/data/traffic"
"""What each container has at /files."""

_CLONE_NEWNET = 0x40000000


@dataclass(frozen=True)
class Image:
    """A mounted image: its root directory, and its configuration as in OCI."""

    root: Path
    config: Json


@dataclass(frozen=True)
class Container:
    """A running container; *process* is runc, which ends as process 1 of the container does."""

    name: str
    process: subprocess.Popen[str]

    @property
    def pid(self) -> int:
        """The process 1 of the container, as this machine numbers it."""
        pid: int = json.loads(run("runc", "state", self.name))["pid"]
        return pid

    def send(self, signal: str) -> None:
        """Send *signal*, such as TERM, to process 1."""
        run("runc", "kill", self.name, signal)

    @contextmanager
    def network(self) -> Iterator[httpx.Client]:
        """Return a client whose connections are made in the network of the container, for a with block."""
        # Why ctypes: os.setns came with Python 3.12. It moves this thread alone.
        libc = ctypes.CDLL(None, use_errno=True)
        own, other = (os.open(f"/proc/{which}/ns/net", os.O_RDONLY) for which in ("thread-self", self.pid))
        try:
            if libc.setns(other, _CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), "setns")
            with httpx.Client(trust_env=False) as client:
                yield client
        finally:
            libc.setns(own, _CLONE_NEWNET)
            os.close(own)
            os.close(other)


@contextmanager
def mounted(name: str) -> Iterator[Image]:
    """Mount the image *name* for a with block."""
    container = run("buildah", "from", "--pull-never", name)
    try:
        root = Path(run("buildah", "mount", container))
        yield Image(root, json.loads(run("buildah", "inspect", "--type", "image", name))["OCIv1"])
    finally:
        run("buildah", "rm", container)


def ended(
    image: Image, folder: Path, *command: str, given: str = "", beside: Container | None = None
) -> subprocess.CompletedProcess[str]:
    """Run *command* in a container until it ends, with *given* as standard input; *folder* is for its files.

    It has the network of the container *beside*, if one is given.
    """
    start = _bundle(image, folder, list(command), beside)
    return subprocess.run(start, check=False, capture_output=True, text=True, input=given, timeout=120)


def myresource(image: Image, folder: Path, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """Run the image with *arguments* instead of its default ones, until it ends."""
    return ended(image, folder, *image.config["config"]["Entrypoint"], *arguments, given=given)


@contextmanager
def serving(image: Image, folder: Path, *arguments: str) -> Iterator[Container]:
    """Run the image with *arguments*, or with its default ones, for a with block, which starts when it is ready."""
    config = image.config["config"]
    start = _bundle(image, folder, [*config["Entrypoint"], *(arguments or config["Cmd"])])
    with subprocess.Popen(start, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        container = Container(start[-1], process)
        try:
            _wait_until_ready(container)
            yield container
        finally:
            succeeds("runc", "kill", container.name, "KILL")


def _wait_until_ready(container: Container) -> None:
    for _ in range(600):
        if container.process.poll() is not None:
            raise AssertionError(container.process.communicate())
        try:
            with container.network() as client:
                client.get("http://127.0.0.1:8081/readyz").raise_for_status()
        except (httpx.HTTPError, subprocess.CalledProcessError):
            time.sleep(0.1)
        else:
            return
    message = "the container does not get ready"
    raise TimeoutError(message)


def _bundle(image: Image, folder: Path, command: list[str], beside: Container | None = None) -> list[str]:
    """Write what runc needs below *folder*; return the command that runs it, which ends with the container's name."""
    bundle = tempfile.mkdtemp(dir=folder)
    run("runc", "spec", "--bundle", bundle)
    file = Path(bundle, "config.json")
    spec = json.loads(file.read_text())
    process, config = spec["process"], image.config["config"]
    uid, gid = (int(part) for part in config["User"].split(":"))
    process |= {"terminal": False, "user": {"uid": uid, "gid": gid}, "args": command, "env": config["Env"]}
    process |= {"cwd": config["WorkingDir"], "capabilities": {}, "noNewPrivileges": True}
    spec["root"] = {"path": str(image.root), "readonly": True}
    if beside:
        (network,) = [namespace for namespace in spec["linux"]["namespaces"] if namespace["type"] == "network"]
        network["path"] = f"/proc/{beside.pid}/ns/net"
    spec["mounts"].append({"destination": "/files", "type": "bind", "source": str(FILES), "options": ["bind", "ro"]})
    file.write_text(json.dumps(spec))
    return ["runc", "run", "--bundle", bundle, f"test-{uuid.uuid4().hex[:12]}"]
