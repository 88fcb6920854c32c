"""Runs commands as a reader types them, in a cluster of the reader's own."""

import os
import re
import subprocess
from pathlib import Path

from metahook.envtest.binaries import assets
from tests.docs.commands import section_commands
from tests.docs.documents import ROOT

OPERATOR = "myresource-operator"
"""The name of the operator's release, of its namespace and of its Deployment."""


_ENDLESS = r"^(kubectl (?:.* --watch|(?:.* )?port-forward .*))$"
"""A command that a reader interrupts."""


def steps(page: str, *sections: str) -> list[str]:
    """Return the commands of *sections* of *page*, as they stand and in their order, except those that do not end."""
    found = [command for section in sections for command in section_commands(page, section)]
    return [re.sub(_ENDLESS, r"timeout 5 \1 || [ $? = 124 ]", command) for command in found]


class Failed(Exception):
    """Raised if a command fails. The message has the command and its output."""


class Shell:
    """A shell whose kubectl and Helm use one *context*, by a kubeconfig of its own in *folder*."""

    def __init__(self, context: str, folder: Path) -> None:
        self._kubeconfig = folder / "kubeconfig"
        self._kubeconfig.touch(mode=0o600)
        only = ["kubectl", "config", "view", "--raw", "--flatten", "--minify", f"--context={context}"]
        self._environment = {**os.environ, "PATH": f"{os.environ['PATH']}:{assets()}"}
        found = subprocess.run(only, env=self._environment, check=True, stdout=subprocess.PIPE).stdout
        self._kubeconfig.write_bytes(found)
        self._environment["KUBECONFIG"] = str(self._kubeconfig)

    def run(self, command: str, folder: Path = ROOT) -> str:
        """Return what *command* prints, with *folder* as its working directory; raise Failed."""
        done = subprocess.run(
            ["/bin/bash", "-c", command],
            cwd=folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode:
            message = f"{command}\nends with {done.returncode}:\n{done.stdout}"
            raise Failed(message)
        return done.stdout

    def in_hook(self, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
        """Run Python with *arguments* in the container of the hook, and *given* as standard input."""
        execute = ["kubectl", "exec", "--stdin", f"--namespace={OPERATOR}", f"deployment/{OPERATOR}", "--"]
        return subprocess.run(
            [*execute, "/venv/bin/python", *arguments],
            env=self._environment,
            capture_output=True,
            text=True,
            input=given,
            check=False,
        )
