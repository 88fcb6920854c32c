"""Runs commands of the pages as they stand."""

import os
import subprocess
from pathlib import Path

from metahook.envtest.binaries import assets
from tests.documents import ROOT
from tests.node.layout import KEYS, KUBECONFIG, NAMESPACE
from tests.node.programs import path


class Failed(Exception):
    """Raised if a command fails. The message has the command and its output."""


class Shell:
    """Runs commands in the network namespace of the node, where the names of the registries lead to that of the node.

    *folder* is the working directory.
    """

    def __init__(self, folder: Path = ROOT) -> None:
        self._folder = folder

    def run(self, command: str) -> str:
        """Return what *command* prints; raise Failed."""
        # Why here: what builds an image reaches the registries and mirrors of the machine, not those of the node
        is_build = command.startswith("make ")
        inside: list[Path | str] = [] if is_build else [path("ip"), "netns", "exec", NAMESPACE]
        done = subprocess.run(
            [*inside, "bash", "-c", command],
            cwd=self._folder,
            env=None if is_build else _environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode:
            message = f"{command}\nends with {done.returncode}:\n{done.stdout}"
            raise Failed(message)
        return done.stdout


def _environment() -> dict[str, str]:
    certificate = {"SSL_CERT_FILE": str(KEYS / "ca.crt")}  # of the registry, for Helm and buildah
    return {**os.environ, **certificate, "KUBECONFIG": str(KUBECONFIG), "PATH": f"{os.environ['PATH']}:{assets()}"}
