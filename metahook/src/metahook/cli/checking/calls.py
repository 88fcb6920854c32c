"""Calls of the hook that is checked: within limits of time, with what went wrong in them.

The same request has to give the same response: twice, an hour later, and in another process with another clock.
"""

import re
import signal
import subprocess
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from itertools import chain, islice
from types import FrameType
from typing import Any, NamedTuple

import msgspec

from metahook.cli.checking.other_process import SHIFTS, Call as OtherCall, Responses, call_in_others
from metahook.cli.errors import InputError
from metahook.cli.hooks.named_hook import LocalHook, described
from metahook.clock import utc_now
from metahook.protocol.controller import Controller
from metahook.protocol.gate import RefusedResponse
from metahook.protocol.purity import LATER, ImpureHook, differ, differing, unasked
from metahook.simulator.clock import START
from metahook.simulator.history import Call, History, parent_in
from metahook.simulator.hook import Hook, Reply, Unreachable, in_process
from metahook.simulator.objects import Key

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

    def in_other_processes(self, calls: list[OtherCall]) -> list[Responses]:
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


TICK = 1.1
"""Real seconds in which a clock that shows seconds moves on."""

UNSEEN = "the clock and the hash seed of a hook at a URL are its own, so they were not changed"
"""What is not checked of a hook that is not in this process."""

_STAMP = re.compile(rb'"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?Z"')


class Impurity(NamedTuple):
    """A *rule* that *hook* breaks for a parent, and how."""

    rule: str
    hook: str
    key: Key
    message: str


def requests_of(history: History) -> list[Call]:
    """Return the first and the last call of each hook for each parent that got a response."""
    found: dict[tuple[str, Key], list[Call]] = {}
    for call in history.calls("sync", "customize", "finalize"):
        if call.status == OK:
            found.setdefault((call.hook, call.key), []).append(call)
    ends = (each for calls in found.values() for each in (calls[0], calls[-1]))
    return list({(call.hook, call.request): call for call in ends}.values())


def impurities(hook: CheckedHook, calls: Iterable[Call]) -> Iterator[Impurity]:
    """Call *hook* again with the requests of *calls*, and yield what differs, at most one for each hook and rule."""
    calls = list(calls)

    def again(call: Call, now: datetime | None = None) -> bytes | None:
        return hook.response(call.hook, call.request, now or _time_of(call))

    first = {}
    for call in calls:
        first[call] = again(call)
        other = next((each for each in calls if each.hook == call.hook and each.key != call.key), None)
        if other:
            again(other, _time_of(call))
        paths = differing(first[call], again(call), stored=_is_settled(call))
        yield from _not_pure(call, "same request twice", paths, "compute a response from its request alone")
    yield from _changing_rules(hook, calls)
    settled = [call for call in calls if _is_settled(call) and first[call] is not None]
    if hook.is_local:
        for call in settled:
            before, after = again(call), again(call, _time_of(call) + LATER)
            yield from _needs_resync(call, before, after, "one hour later")
        yield from _in_another_process(hook, calls)
    else:
        yield from _later_elsewhere(hook, settled)


def _changing_rules(hook: CheckedHook, calls: list[Call]) -> Iterator[Impurity]:
    """Yield the related rules that change once the parent has its status."""
    settled = {call.key: call.parent for call in calls if call.hook == "sync" and _is_settled(call)}
    for call in calls:
        if call.hook == "customize" and call.key in settled and not _is_settled(call):
            request = {**msgspec.json.decode(call.request), "parent": settled[call.key]}
            paths = differing(call.response, hook.response(call.hook, msgspec.json.encode(request), _time_of(call)))
            remedy = "decide the rules from the spec alone, as Metacontroller keeps them for 20 minutes"
            yield from _not_pure(call, "with a status", paths, remedy)


def _in_another_process(hook: CheckedHook, calls: list[Call]) -> Iterator[Impurity]:
    """Yield what differs in processes with other hash seeds, and with the clock of one moved while *now* stays."""
    found = hook.in_other_processes([OtherCall(call.hook, call.request, _time_of(call)) for call in calls])
    for call, (now, *moved), *others in zip(calls, *found, strict=True) if found else ():
        pairs = [
            (f"with the clock of its process {when} later", response, "take the time from the argument now")
            for when, response in zip([*SHIFTS][1:], moved, strict=True)
        ]
        remedy = "sort what comes from a set, and use no hash()"
        pairs += [("same request in another process", response, remedy) for (response,) in others]
        found_here = (_not_pure(call, when, differing(now, response), remedy) for when, response, remedy in pairs)
        yield from islice(chain.from_iterable(found_here), 1)


def _later_elsewhere(hook: CheckedHook, calls: list[Call]) -> Iterator[Impurity]:
    """Let a second pass, and then move the times in the requests into the past, as the hook has a clock of its own."""

    def response(call: Call, request: bytes) -> bytes | None:
        return hook.response(call.hook, request, utc_now())

    recent = {call: _moved(call.request, utc_now() - _time_of(call)) for call in calls}
    before = {call: response(call, recent[call]) for call in calls}
    time.sleep(TICK if calls else 0)
    for call in calls:
        found = list(_needs_resync(call, before[call], response(call, recent[call]), "a second later"))
        if not found:
            later = response(call, _moved(recent[call], -LATER))
            # Times that the hook copies from the request are earlier by as much.
            found = list(_needs_resync(call, _moved_like(before[call], recent[call]), later, "one hour later"))
        yield from found


def _not_pure(call: Call, when: str, paths: str, remedy: str) -> Iterator[Impurity]:
    if paths:
        yield Impurity("NotPure", call.hook, call.key, f"{when}: {differ(paths)}; {remedy}")


def _needs_resync(call: Call, before: bytes | None, after: bytes | None, when: str) -> Iterator[Impurity]:
    paths = unasked(before, after) if call.hook == "sync" else ""
    if paths:
        message = f"{when}: {differ(paths)}, and no resyncAfterSeconds asks for a sync by then"
        yield Impurity("NeedsResync", call.hook, call.key, message)


def _time_of(call: Call) -> datetime:
    return START + timedelta(seconds=call.at)


def _moved_like(response: bytes | None, request: bytes) -> bytes | None:
    """Return *response* with the times that are also in *request* moved by an hour into the past."""
    if response is None:
        return None
    own = {match[0] for match in _STAMP.finditer(request)}
    return _STAMP.sub(lambda match: _moved(match[0], -LATER) if match[0] in own else match[0], response)


def _moved(body: bytes, by: timedelta) -> bytes:
    def move(match: re.Match[bytes]) -> bytes:
        try:
            moved = datetime.fromisoformat(match[1].decode()) + by
        except (ValueError, OverflowError):
            return match[0]
        return f'"{moved:%Y-%m-%dT%H:%M:%S}'.encode() + (match[2] or b"") + b'Z"'

    return _STAMP.sub(move, body)


def _is_settled(call: Call) -> bool:
    """Tell whether the parent in the request has a status."""
    return bool(call.parent.get("status"))
