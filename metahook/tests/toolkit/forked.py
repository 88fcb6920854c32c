"""Processes of Python that are forked from one that has imported what they need, and so start in milliseconds."""

import multiprocessing
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Self

_FORKS = multiprocessing.get_context("forkserver")


def preload(*modules: str) -> None:
    """Import *modules*, too, before a process is forked."""
    own = ["metahook.cli.commands.record", "metahook.server.serve", "toolkit.widgets"]
    _FORKS.set_forkserver_preload([*own, *modules])


preload()


class Forked:
    """Runs Python *code* with *arguments*. What it has is as in ``subprocess.Popen``, with a pipe as stderr."""

    def __init__(self, code: str, *arguments: str, env: Mapping[str, str]) -> None:
        reader, writer = _FORKS.Pipe(duplex=False)
        self._process = _FORKS.Process(target=_run, args=(code, arguments, {**env}, writer), daemon=True)
        self._process.start()
        writer.close()
        self.pid = self._process.pid
        self.stderr = os.fdopen(os.dup(reader.fileno()))
        reader.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stderr.close()
        self._process.join()

    def send_signal(self, number: int) -> None:
        """Send a signal, if the process runs."""
        if self.poll() is None:
            with suppress(ProcessLookupError):  # it has ended, and its server has not told the exit code yet
                os.kill(self._process.pid or 0, number)

    def terminate(self) -> None:
        """Send SIGTERM."""
        self._process.terminate()

    def kill(self) -> None:
        """Send SIGKILL."""
        self._process.kill()

    def poll(self) -> int | None:
        """Return the exit code; None while the process runs."""
        return self._process.exitcode

    def wait(self, timeout: float) -> int:
        """Return the exit code; raise TimeoutExpired if there is none after *timeout* seconds."""
        self._process.join(timeout)
        if (code := self.poll()) is None:
            raise subprocess.TimeoutExpired(self._process.name, timeout)
        return code

    def communicate(self, timeout: float) -> tuple[None, str]:
        """Wait as ``wait`` does; return what is in stderr, which has room for 64 KiB."""
        self.wait(timeout)
        return None, self.stderr.read()


def _run(code: str, arguments: tuple[str, ...], env: Mapping[str, str], stderr: Connection) -> None:
    os.dup2(stderr.fileno(), 2)
    stderr.close()
    os.environ.update(env)
    sys.argv = ["-c", *arguments]
    exec(code, {"__name__": "__main__"})  # noqa: S102 - of a test


def started(command: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen[str] | Forked:
    """Start *command* with a pipe as stderr; fork it, if it is ``python -c``."""
    if tuple(command[:2]) == (sys.executable, "-c"):
        return Forked(*command[2:], env=environment)
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
