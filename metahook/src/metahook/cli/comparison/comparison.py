"""A comparison: this version's response to one request, and the one that it is compared with; and a report of many."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from metahook.cli.comparison.children import name_file_in_errors
from metahook.cli.comparison.difference import (
    ChildChange,
    Difference,
    PodsEffect,
    compare_responses,
    compare_with_observed,
)
from metahook.cli.comparison.responses import (
    MALFORMED,
    OK,
    HookResponse,
    HookVersion,
    UnreadableResponse,
    other_response,
    parse_response,
    without_times,
)
from metahook.cli.errors import InputError, program_name
from metahook.cli.files.recordings import Recording
from metahook.protocol.objects import Json, counted, printable
from metahook.simulator.hook import Hook


@dataclass(frozen=True)
class Comparison:
    """A request, and how the responses to it differ; None if there was nothing to compare with."""

    recording: Recording
    difference: Difference | None

    @property
    def parent(self) -> str:
        """Namespace and name of the parent."""
        metadata = self.recording.parent.get("metadata")
        known = metadata if isinstance(metadata, dict) else {}
        return f"{known.get('namespace')}/{known.get('name')}"


def compare(recording: Recording, now: datetime, other: Hook | None, version: HookVersion) -> Comparison:
    """Return how the responses to *recording* differ; raise InputError.

    With the hook of an *other* version, its response is the new one. Without, the response of *version* is the new one,
    and the old one is the recorded response or, if there is none, the observed children.
    """
    with name_file_in_errors(recording.file):
        if other:
            return Comparison(recording, _compare_versions(recording, now, other, version))
        return Comparison(recording, _compare_with_recorded(recording, now, version))


def _compare_versions(recording: Recording, now: datetime, other: Hook, version: HookVersion) -> Difference:
    old, new = (
        without_times(response, version.uncompared, same_time=False)
        for response in (version.respond(recording, now), other_response(recording, other, "--against"))
    )
    return compare_responses(recording, old, new, version.structs(recording))


def _compare_with_recorded(recording: Recording, now: datetime, version: HookVersion) -> Difference | None:
    same_time = recording.time is not None  # decide at the time of the recorded response
    new = without_times(version.respond(recording, recording.time or now), version.uncompared, same_time=same_time)
    recorded = _recorded_response(recording)
    if recorded:
        return compare_responses(
            recording, without_times(recorded, version.uncompared, same_time=same_time), new, version.structs(recording)
        )
    if new.code == MALFORMED:
        remedy = f"give what {program_name()} record wrote, or a request's body"
        message = f"{recording.file}: not a hook request: {new.broken_rule}; {remedy}"
        raise InputError(message)
    return compare_with_observed(recording, new, version.structs(recording)) if recording.hook == "sync" else None


def _recorded_response(recording: Recording) -> HookResponse | None:
    if recording.response is None and recording.status in (None, OK):
        return None
    try:
        return parse_response(recording.hook, recording.status or OK, recording.response)
    except UnreadableResponse as error:
        message = f"{recording.file}: its response is not one of a hook; record it again, or remove the response"
        raise InputError(message) from error


_MAX_PATHS = 4
"""Paths of a child that are printed as text; JSON has all."""

_PODS_WORDS = {PodsEffect.KEEP: [], PodsEffect.RESTART: ["RESTART"], PodsEffect.END: ["PODS END"]}


@dataclass(frozen=True)
class Report:
    """The comparisons, in the order of the requests. *noun* is what a parent is called."""

    comparisons: list[Comparison]
    noun: str = "parent"

    @property
    def different(self) -> list[Comparison]:
        """The comparisons with a difference."""
        return [item for item in self.comparisons if item.difference]

    def _count_compared(self) -> int:
        return sum(item.difference is not None for item in self.comparisons)

    def _parents(self, pods: PodsEffect) -> list[str]:
        return sorted({item.parent for item in self.different if item.difference and item.difference.pods is pods})

    def lines(self) -> list[str]:
        """Return a line for each request that differs, and the summary."""
        return [*(printable(_line(item)) for item in self.different), self.summary()]

    def summary(self) -> str:
        """Return the counts in a sentence."""
        compared, different = self._count_compared(), len(self.different)
        skipped = len(self.comparisons) - compared
        restarts, ends = (len(self._parents(pods)) for pods in (PodsEffect.RESTART, PodsEffect.END))
        parts = [
            f"{counted(len(self.comparisons), 'request')}: {compared - different} the same",
            f"{different} {'differs' if different == 1 else 'differ'}",
            *([f"{skipped} not compared"] if skipped else []),
        ]
        pods = [
            *([f"Pods of {counted(restarts, self.noun)} would restart"] if restarts else ["no Pods restart"]),
            *([f"Pods of {counted(ends, self.noun)} would end"] if ends else []),
        ]
        return f"{', '.join(parts)}; {', '.join(pods)}"

    def json(self) -> Json:
        """Return all of it."""
        return {
            "requests": len(self.comparisons),
            "same": self._count_compared() - len(self.different),
            "differ": len(self.different),
            "notCompared": len(self.comparisons) - self._count_compared(),
            "restart": self._parents(PodsEffect.RESTART),
            "end": self._parents(PodsEffect.END),
            "differences": [_as_json(item, self.noun) for item in self.different],
        }


def _line(item: Comparison) -> str:
    return f"{item.recording.file}: {item.parent}: {'; '.join(_parts(item.difference or Difference()))}"


def _parts(difference: Difference) -> Iterator[str]:
    if difference.codes:
        yield "status code {} -> {}".format(*difference.codes)
    yield from (_child(change) for change in difference.children)
    if difference.states:
        yield "status {} -> {}".format(*difference.states)
    elif difference.status:
        yield _with_paths("status changed", [path.removeprefix("status.") for path in difference.status])
    if difference.rules:
        yield _with_paths("customize rules changed", difference.rules)
    if difference.resync:
        yield "resync changed"
    yield from _PODS_WORDS[difference.pods]


def _child(change: ChildChange) -> str:
    words = f"{change.kind} {change.name} {change.change}"
    return _with_paths(words, change.paths) if change.paths else words


def _with_paths(words: str, paths: list[str]) -> str:
    more = f" and {len(paths) - _MAX_PATHS} more" if len(paths) > _MAX_PATHS else ""
    return f"{words} ({', '.join(paths[:_MAX_PATHS])}{more})"


def _as_json(item: Comparison, noun: str) -> Json:
    difference = item.difference or Difference()
    children = [
        {"change": change.change, "kind": change.kind, "name": change.name, "paths": change.paths}
        for change in difference.children
    ]
    return {
        "file": item.recording.file,
        "hook": item.recording.hook,
        noun.lower(): item.parent,
        "statusCodes": list(difference.codes or []),
        "children": children,
        "states": list(difference.states or []),
        "status": difference.status,
        "rules": difference.rules,
        "resync": difference.resync,
        "pods": difference.pods.value,
    }
