"""Runs the commands of pages and of messages, with the kubectl of a Kubernetes release."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import ClassVar

from metahook.envtest.binaries import assets
from toolkit.programs import find_or_skip


class RealKubectl:
    """Runs commands in the cluster of *configuration*, a kubeconfig; skips the test without kubectl."""

    ended: ClassVar[float] = 0.0
    """When the last of all commands ended; what it has changed may not be recorded yet."""

    def __init__(self, configuration: Path) -> None:
        self._environment = {**os.environ, "KUBECONFIG": str(configuration), "PATH": require_kubectl()}

    def ends(self, command: str, namespace: str, folder: Path | None = None) -> tuple[int, str]:
        """Return the exit code of *command* in *namespace*, or in all if that is empty, and what it prints.

        Files are those in *folder*, by default those of this process.
        """
        option = f"--namespace={namespace}" if namespace else ""
        there = re.sub(r"kubectl (?!__complete)(?:myresource \w+ )?", lambda match: f"{match[0]}{option} ", command)
        done = subprocess.run(  # noqa: S602 - a document's command
            there,
            shell=True,
            cwd=folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        RealKubectl.ended = time.time()
        return done.returncode, done.stdout

    def run(self, command: str, namespace: str, folder: Path | None = None) -> str:
        """Return what *command* prints; it must succeed."""
        code, printed = self.ends(command, namespace, folder)
        assert code == 0, printed
        return printed


def require_kubectl() -> str:
    """Return the PATH with which the real kubectl is found; skip the test if there is none, in hosted CI fail it."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}:{assets()}"  # the first has our plugin of kubectl
    find_or_skip("kubectl", path)
    return path
