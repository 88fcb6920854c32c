"""Operators that do the same job as this one, in other ways: two with kopf, and one with controller-runtime in Go.

Each makes a Deployment of a MyResource, with its image, memory and replicas, reverts what others change in it, and says
in the status whether it is Ready. Use :data:`PEERS`: prepare each, which raises Missing if a tool is missing, and run
its command.
"""

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from metahook.envtest.binaries import Missing

HERE = Path(__file__).parent
REQUIREMENTS = HERE / "requirements.txt"


class CannotPrepare(Exception):
    """Raised when a peer can't be installed or built, although its tools are there."""


@dataclass(frozen=True)
class Peer:
    """An operator, with the files of its *source*."""

    name: str
    source: tuple[Path, ...]
    prepare: Callable[[Path], None]
    """Installs or builds what it needs into a folder, unless that is done; raises Missing or CannotPrepare."""
    _program: Callable[[Path], list[str]]

    def command(self, kubeconfig: Path, folder: Path) -> list[str]:
        """Return the command of its only process, with what *prepare* made in *folder*; SIGTERM ends it."""
        return ["env", f"KUBECONFIG={kubeconfig}", *self._program(folder)]

    @property
    def lines(self) -> int:
        """The number of lines of its source that are not empty."""
        return sum(bool(line.strip()) for file in self.source for line in file.read_text().splitlines())


def _install_kopf(folder: Path) -> None:
    version = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()
    done = folder / "kopf/version"
    if done.exists() and done.read_text() == version:
        return
    pip = [str(folder / "kopf/bin/pip"), "install", "--quiet", "--disable-pip-version-check", "--require-hashes"]
    _run([sys.executable, "-m", "venv", "--clear", str(folder / "kopf")])
    _run([*pip, "--only-binary", ":all:", "-r", str(REQUIREMENTS)])
    done.write_text(version)


def _build_controller(folder: Path) -> None:
    go = shutil.which("go") or shutil.which("/usr/local/go/bin/go")
    if go is None:
        message = "not found: go; install Go 1.26 or later"
        raise Missing(message)
    _run([go, "build", "-trimpath", "-o", str(folder.resolve() / "controller"), "./cmd"], HERE / "go")


def _run(command: list[str], folder: Path = HERE) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        message = f"failed: {' '.join(command)}: {done.stderr[-1000:]}"
        raise CannotPrepare(message)


def _kopf(file: Path) -> Callable[[Path], list[str]]:
    options = ["run", "--standalone", "--all-namespaces"]
    return lambda folder: [str(folder / "kopf/bin/kopf"), *options, str(file)]


def _with_kopf(name: str, file: Path) -> Peer:
    return Peer(name, (file, HERE / "kopf_objects.py"), _install_kopf, _kopf(file))


_GO = (*HERE.glob("go/cmd/*.go"), *HERE.glob("go/internal/*/*.go"), *HERE.glob("go/api/*/[!z]*.go"))

PEERS = (
    _with_kopf("kopf, synchronous", HERE / "kopf_sync.py"),
    _with_kopf("kopf, asynchronous", HERE / "kopf_async.py"),
    Peer("controller-runtime", _GO, _build_controller, lambda folder: [str(folder / "controller")]),
)
