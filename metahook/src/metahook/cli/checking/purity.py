"""Purity: the same request gives the same response: twice, an hour later, and in another process with another clock."""

import re
import time
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from itertools import chain, islice
from typing import NamedTuple

import msgspec

from metahook.cli.checking.calls import OK, CheckedHook
from metahook.cli.checking.other_process import SHIFTS
from metahook.cli.checking.other_process import Call as OtherCall
from metahook.clock import utc_now
from metahook.protocol.checks.purity import LATER, differ, differing, unasked
from metahook.simulator.clock import START
from metahook.simulator.history import Call, History
from metahook.simulator.objects import Key

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
    """Return *body* with all times moved."""

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
