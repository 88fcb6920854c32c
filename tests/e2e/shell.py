"""Runs the commands of a page: helm with Helm's own engine, kubectl with requests."""

import json
import re
import shlex
from pathlib import Path

import helm_python as helm

from metahook.envtest.client import Client
from tests.e2e.installed import ROOT
from tests.e2e.kubectl import PATIENCE, Files, Kubectl

_TAKE_A_VALUE = ("-f", "-k", "-n", "-o", "-p", "--namespace", "--set")
_INNER = re.compile(r"\$\((kubectl [^)]+)\)")


class Shell:
    """Runs commands in the directory *root*; *files* are those that the reader of a page writes.

    The image has the tag 1.0.0 in place of what ``make version`` prints.
    """

    def __init__(self, client: Client, kubeconfig: Path, root: Path = ROOT) -> None:
        self.files = Files()
        self._tools = {"kubectl": Kubectl(client, root, self.files), "helm": _Helm(kubeconfig, root)}
        self._variables: dict[str, str] = {"version": "1.0.0"}

    def run(self, command: str) -> str:
        """Run *command*, and return its output if a test needs it."""
        variable, assigns, value = command.partition("=$(")
        if assigns and variable.isidentifier():
            self._variables[variable] = self.run(value.removesuffix(")"))
            return ""
        for name, known in self._variables.items():
            command = command.replace(f"${name}", known)
        words = shlex.split(_INNER.sub(lambda found: self.run(found[1]), command), comments=True)
        if "|" in words:
            at = words.index("|")
            self._jq(self.run(shlex.join(words[:at])), words[at + 2], words[-1])
            return ""
        (verb, *arguments), options = _parsed(words[1:])
        done: str | None = getattr(self._tools[words[0]], verb)(*arguments, **options)
        return done or ""

    def _jq(self, text: str, program: str, file: str) -> None:
        """Write a file without the statuses and metadata fields that the jq *program* removes."""
        assert program.startswith("del(.items[].status, .items[].metadata[")
        self.files[file] = json.loads(text)["items"]
        for item in self.files[file]:
            item.pop("status", None)
            for name in re.findall(r'"(\w+)"', program):
                item["metadata"].pop(name, None)


class _Helm:
    def __init__(self, kubeconfig: Path, root: Path) -> None:
        self._kubeconfig = kubeconfig
        self._root = root

    def install(self, name: str, chart: str, **options: str) -> None:
        namespace, values = options["namespace"], helm.parse_set_string(options.get("set", ""))
        here = self._root / chart
        with self._releases(namespace) as releases:
            releases.install(
                here, name, values, namespace=namespace, create_namespace=True, wait="watcher", timeout=PATIENCE
            )

    def upgrade(self, name: str, chart: str, *, namespace: str, **options: str) -> None:
        """Upgrade as with --reset-then-reuse-values: new defaults, then the previous values, then ``--set``."""
        changed = helm.parse_set_string(options["set"]) if "set" in options else {}
        with self._releases(namespace) as releases:
            values = {**releases.get_values(name), **changed}
            releases.upgrade(self._root / chart, name, values, namespace=namespace, wait="watcher", timeout=PATIENCE)

    def rollback(self, name: str, *, namespace: str, **_: str) -> None:
        with self._releases(namespace) as releases:
            releases.rollback(name, wait="watcher", timeout=PATIENCE)

    def uninstall(self, name: str, *, namespace: str, **_: str) -> None:
        with self._releases(namespace) as releases:
            releases.uninstall(name, wait="watcher", timeout=PATIENCE)

    def _releases(self, namespace: str) -> helm.Config:
        return helm.Config(kubeconfig_path=self._kubeconfig, namespace=namespace)


def _parsed(words: list[str]) -> tuple[list[str], dict[str, str]]:
    """Return the arguments and the options among *words*."""
    arguments: list[str] = []
    options: dict[str, str] = {}
    left = iter(words)
    for word in left:
        name, _, value = word.partition("=")
        if word.startswith("-"):
            options[name.lstrip("-").replace("-", "_")] = next(left) if word in _TAKE_A_VALUE else value
        else:
            arguments.append(word)
    return arguments, options
