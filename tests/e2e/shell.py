"""Runs the commands of a page: helm with Helm's own engine, and all others as they are, with the real kubectl."""

import itertools
import shlex
from pathlib import Path
from typing import Any

import helm_python as helm

from tests.e2e.installed import ROOT
from tests.e2e.real_kubectl import RealKubectl

PATIENCE = 90
"""Timeout of a Helm command in seconds."""


class Shell:
    """Runs commands in the directory *root*. The image has the tag 1.0.0 in place of what ``make version`` prints."""

    def __init__(self, kubeconfig: Path, root: Path = ROOT) -> None:
        self._kubectl = RealKubectl(kubeconfig)
        self._kubeconfig = kubeconfig
        self._root = root
        self._assigned: list[str] = []

    def run(self, command: str) -> str:
        """Run *command*, and return what it prints; an assignment counts for the commands after it."""
        if command.startswith("helm "):
            self._helm(*shlex.split(command.replace("$version", "1.0.0"))[1:])
            return ""
        if command.partition("=$(")[0].isidentifier():
            self._assigned.append(command)
        return self._kubectl.run("\n".join([*self._assigned, command]), "", self._root)

    def _helm(self, verb: str, *words: str) -> None:
        """Install, upgrade, roll back or uninstall a release, as *verb* says.

        Upgrade as with --reset-then-reuse-values: new defaults, then the previous values, then ``--set``.
        """
        options = dict(itertools.pairwise(words))
        namespace, changed = options["--namespace"], helm.parse_set_string(options.get("--set", ""))
        name, chart = words[0], self._root / words[1]
        with helm.Config(kubeconfig_path=self._kubeconfig, namespace=namespace) as releases:
            waiting: dict[str, Any] = {"wait": "watcher", "timeout": PATIENCE}
            if verb == "install":
                releases.install(chart, name, changed, namespace=namespace, create_namespace=True, **waiting)
            elif verb == "upgrade":
                values = {**releases.get_values(name), **changed}
                releases.upgrade(chart, name, values, namespace=namespace, **waiting)
            else:
                getattr(releases, verb)(name, **waiting)
