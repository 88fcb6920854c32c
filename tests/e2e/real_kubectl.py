"""The kubectl of a Kubernetes release, where what it does itself is tested."""

import os
import shutil
import subprocess
from pathlib import Path

from tests.e2e.binaries import ASSETS


class RealKubectl:
    """Runs commands of the pages in the cluster of *configuration*, a kubeconfig."""

    def __init__(self, configuration: Path) -> None:
        self._environment = {
            **os.environ,
            "KUBECONFIG": str(configuration),
            "PATH": f"{os.environ['PATH']}:{ASSETS}",
        }

    def ends(self, command: str, namespace: str) -> tuple[int, str]:
        """Return the exit code of *command* in *namespace*, and what it prints."""
        there = command.replace("kubectl ", f"kubectl --namespace={namespace} ")
        done = subprocess.run(  # noqa: S602 - a document's command
            there,
            shell=True,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout

    def run(self, command: str, namespace: str) -> str:
        """Return what *command* prints; it must succeed."""
        code, printed = self.ends(command, namespace)
        assert code == 0, printed
        return printed


def is_installed() -> bool:
    """Tell whether there is a kubectl."""
    return shutil.which("kubectl", path=f"{os.environ['PATH']}:{ASSETS}") is not None
