"""Calls a Controller in other processes: each has its own hash seed, and one has clocks that are moved.

This module is also the program of such a process: it reads calls from standard input, and writes the responses.
"""

import ctypes
import gc
import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from datetime import UTC, date, datetime
from typing import Any

import msgspec

from metahook.cli.errors import InputError
from metahook.cli.hooks.named_hook import read_controller
from metahook.simulator.hook import in_process

SEEDS = ("1", "2", "3", "4")
"""Hash seeds. A set of two texts has the same order with all of them once in eight times."""

SHIFTS = {"now": 0, "a minute": 60, "an hour": 3600, "a day": 86400}
"""By how many seconds the clock is moved in the first process; in the others it is not."""

OK = 200


class Call(msgspec.Struct):
    """A call of the hook of this *name*, with this *body*, at the time *now*."""

    name: str
    body: bytes
    now: datetime


Responses = list[list[bytes | None]]
"""For each call, the response with each clock; None where there was none."""


def start(text: str, seed: str) -> "subprocess.Popen[bytes]":
    """Start a process with the hash *seed* that calls the Controller that *text* names."""
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    return subprocess.Popen(  # noqa: S603 - this module, with the hook that the user named
        [sys.executable, "-P", "-m", __name__, text, seed],  # as the command, without the working directory
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )


def call_in_others(text: str, calls: list[Call], seconds: float) -> list[Responses]:
    """Return the responses to *calls* of the Controller that *text* names, in a process for each of SEEDS.

    Raise InputError if one has none, and TimeoutExpired if that takes more than *seconds*.
    """
    end = time.monotonic() + seconds
    body = msgspec.json.encode(calls)
    with ExitStack() as stack:
        processes = [stack.enter_context(start(text, seed)) for seed in SEEDS]
        for process in processes:
            stack.callback(process.kill)  # before the end of the block waits for them
        return [_responses(process, body, end - time.monotonic()) for process in processes]


def _responses(process: "subprocess.Popen[bytes]", calls: bytes, seconds: float) -> Responses:
    """Return what *process* responds to *calls*; raise as call_in_others does."""
    out, errors = process.communicate(calls, max(seconds, 0))
    with suppress(msgspec.DecodeError):
        return msgspec.json.decode(out, type=Responses)
    last = errors.decode(errors="replace").strip().rpartition("\n")[2]
    message = f"can't be called in a second process, {last or 'which ended'}; let its import have no effects"
    raise InputError(message)


def main(text: str, seed: str) -> None:
    """Respond to the calls in standard input with the Controller that *text* names."""
    out = os.dup(1)
    os.dup2(2, 1)  # what a hook prints is no response
    clock = _Clock()
    clock.install()
    controller = read_controller(text)
    found: Responses = []
    for call in msgspec.json.decode(sys.stdin.buffer.read(), type=list[Call]):
        found.append([])
        for seconds in SHIFTS.values() if seed == SEEDS[0] else (0,):
            clock.shift = seconds
            reply = in_process(controller, _constant(call.now))(call.name, call.body)
            found[-1].append(reply.body if reply.status == OK else None)
    os.write(out, msgspec.json.encode(found))


def _constant(now: datetime) -> Callable[[], datetime]:
    return lambda: now


class _Clock:
    """The clocks of this process, moved by ``shift`` seconds. Those that measure how long something takes stay."""

    def __init__(self) -> None:
        self.shift = 0
        self._time, self._time_ns = time.time, time.time_ns

    def install(self) -> None:
        """Replace the functions of the modules time and datetime, before a hook imports them."""
        time.time = lambda: self._time() + self.shift
        time.time_ns = lambda: self._time_ns() + self.shift * 10**9
        for name in ("ctime", "gmtime", "localtime"):
            setattr(time, name, _with_default(getattr(time, name), 0, time.time))
        for name, place in {"asctime": 0, "strftime": 1}.items():
            setattr(time, name, _with_default(getattr(time, name), place, time.localtime))
        _set_methods(date, today=lambda cls: cls.fromtimestamp(time.time()))
        _set_methods(
            datetime,
            now=lambda cls, tz=None: cls.fromtimestamp(time.time(), tz),
            today=lambda cls: cls.fromtimestamp(time.time()),
            utcnow=lambda cls: cls.fromtimestamp(time.time(), UTC).replace(tzinfo=None),
        )


def _with_default(function: Callable[..., Any], place: int, default: Callable[[], object]) -> Callable[..., Any]:
    return lambda *given: function(*given, *([default()] if len(given) == place else []))


def _set_methods(cls: type, **methods: Callable[..., Any]) -> None:
    """Set class methods of a built-in *cls*, which other modules have imported by its name."""
    names = gc.get_referents(cls.__dict__)[0]  # a subclass would be another type to msgspec
    names.update({name: classmethod(method) for name, method in methods.items()})
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(cls))


if __name__ == "__main__":
    main(*sys.argv[1:])
