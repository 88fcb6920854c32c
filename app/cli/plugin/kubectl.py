"""Runs kubectl, which is on PATH. What it prints on standard error is shown as it is, and its exit code is kept."""

import json
import shutil
import subprocess
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from functools import wraps
from typing import TypeVar

import click
from msgspec import Struct

from app import Json
from metahook.commands import InputError

T = TypeVar("T")


class Kubectl(Struct, frozen=True):
    """kubectl, with the options that say which cluster and which namespace."""

    options: tuple[str, ...] = ()

    def read(self, *arguments: str, quiet: bool = False) -> Json:
        """Return the object, or the list of objects, that ``kubectl get`` prints; *quiet* shows no errors."""
        command = self._command("get", *arguments, "--output=json")
        errors = subprocess.DEVNULL if quiet else None
        ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=errors, check=False)  # noqa: S603 - the user's kubectl
        _check(ended.returncode)
        found: Json = json.loads(ended.stdout)
        return found

    def watch(self, *arguments: str) -> Generator[Json]:
        """Yield an object each time that ``kubectl get --watch`` prints it; kubectl ends when no more are taken."""
        command = self._command("get", *arguments, "--watch", "--output=json")
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:  # noqa: S603 - the same
            try:
                yield from _documents(process.stdout or ())
            finally:
                process.terminate()

    def show(self, *arguments: str) -> None:
        _check(subprocess.run(self._command(*arguments), check=False).returncode)  # noqa: S603 - the same

    def _command(self, *arguments: str) -> list[str]:
        program = shutil.which("kubectl")
        if program is None:
            message = "kubectl is not on PATH; install it: https://kubernetes.io/docs/tasks/tools/"
            raise InputError(message)
        return [program, *arguments, *self.options]


def _check(code: int) -> None:
    """Exit with the *code* of kubectl, if it failed: it has shown the error itself."""
    if code:
        raise click.exceptions.Exit(code)


def _documents(lines: Iterable[bytes]) -> Iterator[Json]:
    """Yield the objects in *lines*: each ends with a brace at the start of a line."""
    read = b""
    for line in lines:
        read += line
        if line.rstrip() == b"}":
            yield json.loads(read)
            read = b""


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
