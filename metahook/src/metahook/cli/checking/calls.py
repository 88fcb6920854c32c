"""Calls of the hook that is checked: within limits of time, with what went wrong in them."""

import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from types import FrameType
from typing import Any, NamedTuple

from metahook.cli.checking.other_process import Call, Responses, call_in_others
from metahook.cli.errors import InputError
from metahook.cli.hooks.named_hook import LocalHook, described
from metahook.protocol.controller import Controller
from metahook.protocol.gate import RefusedResponse
from metahook.protocol.purity import ImpureHook
from metahook.simulator.history import parent_in
from metahook.simulator.hook import Hook, Reply, Unreachable, in_process

LONGEST_CALL = 10.0
"""Seconds, the timeout of Metacontroller if a controller has no other."""

_FIRST = ", or give the URL of a hook"
"""What an error says of a hook that has not responded before."""

OK, TOO_MANY = 200, 429


class Stopped(BaseException):
    """Raised to end a check early. Its text says why."""


class _TooLong(BaseException):
    """Raised in a function of a hook that takes too long, whatever exceptions it catches."""


class FailedCall(NamedTuple):
    """A call that failed: the *hook*, the parent as in ``Greeting hi``, the *place* in the code, and the problem."""

    hook: str
    parent: str
    name: str
    place: str
    message: str


class CheckedHook:
    """Calls *hook*, and responds with status 500 where it fails, as a service would. ``failures`` has the reasons.

    The first call raises InputError if there is no hook. No call is made after *limit* seconds; then Stopped is raised.
    """

    def __init__(self, hook: Hook, limit: float) -> None:
        self.calls = 0
        self.failures: list[FailedCall] = []
        self._hook = hook
        self._end = time.monotonic() + limit
        self._limit = limit
        self._worked: tuple[str, bytes] | None = None

    @property
    def controller(self) -> Controller | None:
        """The Controller, if the hook is one in this process."""
        return self._hook.controller if isinstance(self._hook, LocalHook) else None

    @property
    def is_local(self) -> bool:
        """Whether the hook is a Controller in this process, whose time can be set."""
        return isinstance(self._hook, LocalHook)

    def set_time(self, now: datetime) -> None:
        """Let a hook in this process decide at the time *now*."""
        if isinstance(self._hook, LocalHook):
            self._hook.now = lambda: now

    def follow(self, clock: Any) -> None:  # noqa: ANN401 - a clock of a simulated cluster
        """Let a hook in this process decide at the time of *clock*."""
        if isinstance(self._hook, LocalHook):
            self._hook.now = clock.time

    def response(self, hook: str, body: bytes, at: datetime) -> bytes | None:
        """Return the response to *body* at the time *at*, or None if it fails; raise as a call does."""
        self.set_time(at)
        reply = self(hook, body)
        return reply.body if reply.status == OK else None

    def check_time(self) -> None:
        """Raise Stopped if no time is left."""
        if time.monotonic() > self._end:
            raise self._out_of_time()

    def _out_of_time(self) -> Stopped:
        return Stopped(f"stopped after {self._limit:.0f} s; --limit SECONDS allows more")

    def in_other_processes(self, calls: list[Call]) -> list[Responses]:
        """Return the responses to *calls* of a Controller in other processes; none if one fails. Raise Stopped."""
        if not isinstance(self._hook, LocalHook) or not calls:
            return []
        try:
            found = call_in_others(self._hook.text, calls, self._end - time.monotonic())
        except subprocess.TimeoutExpired as error:
            raise self._out_of_time() from error
        except InputError as error:
            self._failed(calls[0].name, calls[0].body, "FailedCall", "", str(error))
            return []
        self.calls += sum(len(responses) for process in found for responses in process)
        return found

    def __call__(self, hook: str, body: bytes) -> Reply:
        """Return the reply of *hook*; raise Unreachable, InputError or Stopped."""
        self.check_time()
        self.calls += 1
        try:
            reply = self._local(self._hook, hook, body) if isinstance(self._hook, LocalHook) else self._hook(hook, body)
        except InputError as error:
            # A hook that has worked before fails for this request; one that has not is not there.
            if self._worked is None:
                raise
            if isinstance(error.__cause__, Unreachable):
                self._failed(hook, body, "FailedCall", "", str(error.__cause__))
                self._check_alive(self._worked, str(error.__cause__))
                raise error.__cause__ from error
            text = str(error).removeprefix("--hook: ").removeprefix(f"{hook} ").removesuffix(_FIRST)
            self._failed(hook, body, "FailedCall", "", text)
            return Reply(500, b"")
        self._worked = (hook, body)
        return reply

    def _check_alive(self, worked: tuple[str, bytes], problem: str) -> None:
        """Raise Stopped if the hook no longer responds to a request that has *worked* before."""
        try:
            self._hook(*worked)
        except InputError as error:
            message = f"stopped, because the hook no longer responds: {problem}"
            raise Stopped(message) from error

    def _local(self, local: LocalHook, hook: str, body: bytes) -> Reply:
        """Call a Controller in this process."""

        def report(error: Exception) -> None:
            if isinstance(error, RefusedResponse):
                self._failed(hook, body, "RefusedResponse", "", error.detail)
            elif isinstance(error, ImpureHook):
                self._failed(hook, body, "NotPure", "", str(error))
            else:
                place, what = described(error, "")
                self._failed(hook, body, "Exception", place, what)

        before = len(self.failures)
        try:
            with _alarm(LONGEST_CALL):
                reply = in_process(local.controller, local.now, report)(hook, body)
        except _TooLong as error:
            message = f"--hook: {hook} takes over {LONGEST_CALL:.0f} s, the timeout of Metacontroller; make it shorter"
            raise InputError(message) from error
        if reply.status not in (OK, TOO_MANY) and len(self.failures) == before:
            message = f"refuses the request: {reply.body.decode(errors='replace')}"
            self._failed(hook, body, "FailedCall", "", message)
        return reply

    def _failed(self, hook: str, body: bytes, name: str, place: str, message: str) -> None:
        self.failures.append(FailedCall(hook, parent_of(body), name, place, message))


def parent_of(body: bytes) -> str:
    """Return the kind and the name of the parent in the *body* of a request."""
    parent = parent_in(body)
    return f"{parent.get('kind')} {(parent.get('metadata') or {}).get('name')}"


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    """Raise _TooLong in the code of the with block after *seconds*, where the system has signals."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(_: int, __: FrameType | None) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
