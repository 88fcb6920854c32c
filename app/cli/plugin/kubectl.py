"""Runs kubectl, which is on PATH. What it prints on standard error is shown as it is, and its exit code is kept."""

import json
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar

import click

from app.cli.errors import InputError

T = TypeVar("T")
Json = dict[str, Any]


@dataclass(frozen=True)
class Kubectl:
    """kubectl, with the options that say which cluster and which namespace."""

    options: tuple[str, ...] = ()

    def read(self, *arguments: str, quiet: bool = False) -> Json:
        """Return the object, or the list of objects, that ``kubectl get`` prints; *quiet* shows no errors."""
        errors = subprocess.DEVNULL if quiet else None
        printed = self._run("get", *arguments, "--output=json", stdout=subprocess.PIPE, stderr=errors)
        found: Json = json.loads(printed)
        return found

    def show(self, *arguments: str) -> None:
        """Run a command that prints for the user."""
        self._run(*arguments)

    def _run(self, *arguments: str, **streams: int | None) -> bytes:
        program = shutil.which("kubectl")
        if program is None:
            message = "kubectl is not on PATH; install it: https://kubernetes.io/docs/tasks/tools/"
            raise InputError(message)
        ended = subprocess.run([program, *arguments, *self.options], check=False, **streams)  # type: ignore[call-overload] # noqa: S603 - streams are those of subprocess; the user's own kubectl
        if ended.returncode:
            raise click.exceptions.Exit(ended.returncode)
        return ended.stdout or b""


def with_kubectl(command: Callable[..., T]) -> Callable[..., T]:
    """Give *command* the argument ``kubectl``, and the options for it."""

    @wraps(command)
    def run(**given: object) -> T:
        return command(kubectl=kubectl_of(given), **{name: given[name] for name in given if name not in _OPTIONS})

    for option in reversed(_OPTIONS.values()):
        run = option(run)
    return run


def kubectl_of(given: Mapping[str, object]) -> Kubectl:
    """Return kubectl with those of its options that are *given*."""
    return Kubectl(tuple(f"--{name}={given[name]}" for name in _OPTIONS if given.get(name)))


_OPTIONS = {
    "namespace": click.option("-n", "--namespace", metavar="NAME", help="Namespace of the MyResource."),
    "context": click.option("--context", metavar="NAME", help="Context of the kubeconfig file."),
    "kubeconfig": click.option("--kubeconfig", metavar="FILE", help="Path of the kubeconfig file."),
}
