"""Purity: the same request gives the same response: twice, an hour later, and in another process with another clock."""

import re
import time
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import msgspec

from metahook.cli.checking.calls import OK, CheckedHook
from metahook.cli.checking.other_process import SHIFTS
from metahook.cli.checking.other_process import Call as OtherCall
from metahook.protocol.purity import LATER, TIMES, differing
from metahook.server.clock import utc_now
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
    first = {}
    for call in calls:
        hook.set_time(_time_of(call))
        first[call] = _body(hook, call.hook, call.request)
        for other in calls:
            if other.hook == call.hook and other.key != call.key:
                _body(hook, other.hook, other.request)
                break
        yield from _not_pure(
            call,
            "same request twice",
            _difference(first[call], _body(hook, call.hook, call.request), is_stored=_is_settled(call)),
            "compute a response from its request alone",
        )
    yield from _changing_rules(hook, calls)
    settled = [call for call in calls if _is_settled(call) and first[call] is not None]
    if hook.is_local:
        yield from _later_in_process(hook, settled)
        yield from _in_another_process(hook, calls)
    else:
        yield from _later_elsewhere(hook, settled)


def _changing_rules(hook: CheckedHook, calls: list[Call]) -> Iterator[Impurity]:
    """Yield rules for related objects that are others once the parent has its status."""
    settled = {call.key: call.parent for call in calls if call.hook == "sync" and _is_settled(call)}
    for call in calls:
        if call.hook == "customize" and call.key in settled and not _is_settled(call):
            request = {**msgspec.json.decode(call.request), "parent": settled[call.key]}
            later = _body(hook, call.hook, msgspec.json.encode(request))
            remedy = "decide the rules from the spec alone, as Metacontroller keeps them for 20 minutes"
            yield from _not_pure(call, "with a status", _difference(call.response, later, is_stored=True), remedy)


def _not_pure(call: Call, when: str, paths: str, remedy: str) -> Iterator[Impurity]:
    if paths:
        yield Impurity("NotPure", call.hook, call.key, f"{when}: {differ(paths)}; {remedy}")


def differ(paths: str) -> str:
    """Return that *paths* differ, as a clause."""
    return f"{paths} {'differ' if ',' in paths or ' and ' in paths else 'differs'}"


def _in_another_process(hook: CheckedHook, calls: list[Call]) -> Iterator[Impurity]:
    """Yield what differs in processes with other hash seeds, and with the clock of one moved while *now* stays."""
    found = hook.in_other_processes([OtherCall(call.hook, call.request, _time_of(call)) for call in calls])
    for place, call in enumerate(calls if found else ()):
        now, *others = (responses[place] for responses in found)
        moved = [(when, now[index]) for index, when in enumerate(SHIFTS) if index]
        for when, response in moved:
            if paths := _difference(now[0], response, is_stored=True):
                yield from _not_pure(
                    call, f"with the clock of its process {when} later", paths, "take the time from the argument now"
                )
                break
        else:
            for other in others:
                if paths := _difference(now[0], other[0], is_stored=True):
                    yield from _not_pure(
                        call, "same request in another process", paths, "sort what comes from a set, and use no hash()"
                    )
                    break


def _later_in_process(hook: CheckedHook, calls: list[Call]) -> Iterator[Impurity]:
    for call in calls:
        hook.set_time(_time_of(call))
        before = _body(hook, call.hook, call.request)
        hook.set_time(_time_of(call) + LATER)
        yield from _unasked(call, before, _body(hook, call.hook, call.request), "one hour later")


def _later_elsewhere(hook: CheckedHook, calls: list[Call]) -> Iterator[Impurity]:
    """Let a second pass, and then move the times in the requests into the past, as the hook has a clock of its own."""
    recent = {call: _moved(call.request, utc_now() - _time_of(call)) for call in calls}
    before = {call: _body(hook, call.hook, recent[call]) for call in calls}
    time.sleep(TICK if calls else 0)
    for call in calls:
        found = list(_unasked(call, before[call], _body(hook, call.hook, recent[call]), "a second later"))
        if not found:
            later = _body(hook, call.hook, _moved(recent[call], -LATER))
            # Times that the hook copies from the request are earlier by as much.
            found = list(_unasked(call, _moved_like(before[call], recent[call]), later, "one hour later"))
        yield from found


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


def _unasked(call: Call, before: bytes | None, after: bytes | None, when: str) -> Iterator[Impurity]:
    paths = _difference(before, after, is_stored=True)
    if paths and call.hook == "sync" and not _resync(before):
        message = f"{when}: {differ(paths)}, and no resyncAfterSeconds asks for a sync by then"
        yield Impurity("NeedsResync", call.hook, call.key, message)


def _resync(body: bytes | None) -> Any:  # noqa: ANN401 - any JSON
    response = msgspec.json.decode(body or b"{}")
    return isinstance(response, dict) and response.get("resyncAfterSeconds")


def _is_settled(call: Call) -> bool:
    """Tell whether the parent in the request has a status."""
    return bool(call.parent.get("status"))


def _body(hook: CheckedHook, name: str, request: bytes) -> bytes | None:
    reply = hook(name, request)
    return reply.body if reply.status == OK else None


def _difference(old: bytes | None, new: bytes | None, *, is_stored: bool) -> str:
    """Return the paths at which two responses differ, for a sentence."""
    return "" if old is None or new is None else differing(old, new, but=() if is_stored else TIMES)
