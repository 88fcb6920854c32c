"""Findings: what a careless hook did to the world, read from its history.

Each rule is one of the ways in which answers destroy, or wear out, a real cluster. A hook without findings may still be
wrong; one with findings is.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from metahook.simulator.history import YOU, Call, History, Write
from metahook.simulator.metacontroller.claims import LABEL, NAME
from metahook.simulator.objects import Json, Key, labels
from metahook.simulator.promises import Answered, answers, lacks, unfinished

AGAIN = 4
"""Times in a row after which the same thing is no accident."""

STORM = 50
"""Calls about one parent within a second that are too many."""


@dataclass(frozen=True)
class Finding:
    """``rule`` is its name, ``key`` the object that it is about, ``at`` the second in which it happened."""

    rule: str
    key: Key
    at: float
    message: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.key}: {self.message}"


Rule = Callable[[History], Iterator[tuple[Key, float, str]]]


def findings(history: History) -> list[Finding]:
    """Return what there is to say against the hook, one finding for each rule and kind of object."""
    found: dict[tuple[str, str], Finding] = {}
    for name, rule in RULES.items():
        for key, at, message in rule(history):
            found.setdefault((name, key.kind), Finding(name, key, at, message))
    return list(found.values())


def _crashed(history: History) -> Iterator[tuple[Key, float, str]]:
    for event in history.events("Crash"):
        yield event.key, event.at, "the answer ended Metacontroller's process, for all controllers"


def _failing(history: History) -> Iterator[tuple[Key, float, str]]:
    """Parents whose syncs fail one after the other, for another cause than that the API server refused a child."""
    failed: dict[Key, int] = defaultdict(int)
    answered: set[Key] = set()
    refused = False
    for entry in history.entries:
        if isinstance(entry, Write):
            refused = refused or (entry.actor == NAME and entry.refused is not None)
        elif isinstance(entry, Call):
            failed[entry.key] = 0 if entry.key in answered else failed[entry.key]
            answered |= {entry.key} if entry.hook == "sync" else set()
            refused = False
        elif entry.reason == "SyncError":
            answered.discard(entry.key)
            failed[entry.key] += not refused
            if failed[entry.key] == AGAIN:
                yield entry.key, entry.at, "sync fails again and again, as the hook's answers can't be used"


def _overloaded(history: History) -> Iterator[tuple[Key, float, str]]:
    times: dict[Key, list[float]] = defaultdict(list)
    for call in history.calls("sync", "customize"):
        recent = [at for at in times[call.key] if at > call.at - 1] + [call.at]
        times[call.key] = recent
        if len(recent) > STORM:
            yield call.key, call.at, "the hook is called without a pause"


def _deleted(history: History) -> Iterator[tuple[Key, float, str]]:
    """Children that were deleted although an answer to the same generation lists them, or none ever did."""
    listed = [(answer, answer.keys) for answer in answers(history)]
    for write in history.writes(NAME):
        if write.verb != "delete" or not write.changed:
            continue
        by = [answer for answer, _ in listed if answer.at <= write.at and answer.owns(write.before)]
        if not any(write.key in keys for _, keys in listed):
            yield write.key, write.at, "deleted, and no answer ever listed it: it was somebody else's"
        elif by and any(write.key in keys for answer, keys in listed if answer.generation == by[-1].generation):
            yield write.key, write.at, "deleted, although the spec that asks for it is the same"


def _stripped(history: History) -> Iterator[tuple[Key, float, str]]:
    """Fields that an answer no longer has, although the generation is the same and the child is there."""
    before: dict[tuple[Key, int], Answered] = {}
    for answer in answers(history):
        earlier = before.get((answer.key, answer.generation))
        before[(answer.key, answer.generation)] = answer
        for key, child in answer.children.items() if earlier else ():
            gone = lacks(child.get("spec"), earlier.children.get(key, {}).get("spec"), "spec") if earlier else None
            if gone and key in answer.shown:
                yield key, answer.at, f"{gone} was taken back, although the spec of the parent is the same"


def _emptied(history: History) -> Iterator[tuple[Key, float, str]]:
    for write in history.writes(NAME):
        if write.verb == "update status" and len(_status(write.before)) > 1 and len(_status(write.after)) == 1:
            yield write.key, write.at, "the status was emptied: an answer must always hold all of it"


def _restless(history: History) -> Iterator[tuple[Key, float, str]]:
    for write, times in _alone(history, changed=True):
        if times == AGAIN:
            yield write.key, write.at, "written over and over, although nothing else happens"


def _useless(history: History) -> Iterator[tuple[Key, float, str]]:
    for write, times in _alone(history, changed=False):
        if times == AGAIN - 1:
            yield write.key, write.at, "each sync sends a write that changes nothing"


def _alone(history: History, *, changed: bool) -> Iterator[tuple[Write, int]]:
    """Yield Metacontroller's writes that changed something, or nothing, each with its place since anybody else's."""
    times: dict[Key, int] = defaultdict(int)
    for write in history.writes():
        if write.actor != NAME and write.changed:
            times.clear()
        elif write.actor == NAME and write.changed == changed and write.refused is None:
            times[write.key] += 1
            yield write, times[write.key]


def _taken_over(history: History) -> Iterator[tuple[Key, float, str]]:
    made: dict[Key, str] = {}
    for write in history.writes():
        if write.changed and write.before is None:
            made[write.key] = write.actor
        foreign = write.actor == NAME and write.changed and made.get(write.key) != NAME and write.before is not None
        if foreign and write.verb in ("apply", "update") and LABEL not in labels(write.before or {"metadata": {}}):
            yield write.key, write.at, "somebody else's object was taken over"


def _multiplied(history: History) -> Iterator[tuple[Key, float, str]]:
    made: dict[tuple[str, str], int] = defaultdict(int)
    for write in history.writes():
        if write.actor == YOU:
            made.clear()
        if write.actor == NAME and write.changed and write.before is None and write.after is not None:
            owner = str(write.after["metadata"].get("ownerReferences", [{}])[0].get("uid"))
            made[(owner, write.key.kind)] += 1
            if made[(owner, write.key.kind)] == AGAIN + 1:
                yield write.key, write.at, "more and more children are made"


def _silent(history: History) -> Iterator[tuple[Key, float, str]]:
    """Children that are refused for ever, while the status does not say that anything is wrong."""
    refused: dict[Key, int] = defaultdict(int)
    for write in history.writes(NAME):
        refused[write.key] = refused[write.key] + 1 if write.refused else 0
    last = {answer.key: answer for answer in answers(history)}
    for key, times in refused.items():
        tells = [answer for answer in last.values() if key in answer.keys]
        if times >= AGAIN and any(answer.ready != "False" for answer in tells):
            yield key, tells[-1].at, "refused for ever, and the status says nothing of it"


def _lying(history: History) -> Iterator[tuple[Key, float, str]]:
    """Ready although what the hook was shown is not rolled out, or not what it asks for."""
    for answer in answers(history):
        why = unfinished(answer) if answer.ready == "True" else None
        if why:
            yield answer.key, answer.at, f"Ready is True, although {why}"


def _status(item: Json | None) -> Json:
    status: Json = (item or {}).get("status") or {}
    return status


RULES: dict[str, Rule] = {
    "Crashed": _crashed,
    "Deleted": _deleted,
    "Stripped": _stripped,
    "TakenOver": _taken_over,
    "EmptiedStatus": _emptied,
    "Lying": _lying,
    "Silent": _silent,
    "Multiplied": _multiplied,
    "Restless": _restless,
    "Useless": _useless,
    "Overloaded": _overloaded,
    "Failing": _failing,
}
"""The rules by name, the worst first."""
