"""A report: the comparisons of a replay, as text and as JSON."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from app.cli.comparison.comparison import Comparison
from app.cli.comparison.difference import ChildChange, Difference, PodsEffect
from metahook.protocol.printable import printable

Json = dict[str, Any]

_MAX_PATHS = 4
"""Paths of a child that are printed as text; JSON has all."""

_PODS_WORDS = {PodsEffect.KEEP: [], PodsEffect.RESTART: ["RESTART"], PodsEffect.END: ["PODS END"]}


@dataclass(frozen=True)
class Report:
    """The comparisons, in the order of the requests."""

    comparisons: list[Comparison]

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
            f"{_count(len(self.comparisons), 'request')}: {compared - different} the same",
            f"{different} {'differs' if different == 1 else 'differ'}",
            *([f"{skipped} not compared"] if skipped else []),
        ]
        pods = [
            *([f"Pods of {_count(restarts, 'MyResource')} would restart"] if restarts else ["no Pods restart"]),
            *([f"Pods of {_count(ends, 'MyResource')} would end"] if ends else []),
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
            "differences": [_as_json(item) for item in self.different],
        }


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


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


def _as_json(item: Comparison) -> Json:
    difference = item.difference or Difference()
    children = [
        {"change": change.change, "kind": change.kind, "name": change.name, "paths": change.paths}
        for change in difference.children
    ]
    return {
        "file": item.recording.file,
        "hook": item.recording.hook,
        "myresource": item.parent,
        "statusCodes": list(difference.codes or []),
        "children": children,
        "states": list(difference.states or []),
        "status": difference.status,
        "rules": difference.rules,
        "resync": difference.resync,
        "pods": difference.pods.value,
    }
