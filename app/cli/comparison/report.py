"""A report: what a replay found, as text and as JSON."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from app.cli.comparison.difference import ChildChange, Difference, Pods
from app.cli.files.recordings import Recording

Json = dict[str, Any]

_MOST_PATHS = 4
"""As many of a child are shown as text; JSON has all."""

_LOUD = {Pods.KEEP: [], Pods.RESTART: ["RESTART"], Pods.END: ["PODS END"]}


@dataclass(frozen=True)
class Found:
    """A request, and how the answers to it differ; None if there was nothing to compare with."""

    recording: Recording
    difference: Difference | None

    @property
    def whose(self) -> str:
        """Namespace and name of the parent."""
        metadata = self.recording.parent.get("metadata")
        found = metadata if isinstance(metadata, dict) else {}
        return f"{found.get('namespace')}/{found.get('name')}"


@dataclass(frozen=True)
class Report:
    """What was found for each request."""

    found: list[Found]

    @property
    def different(self) -> list[Found]:
        """The requests whose answers differ."""
        return [item for item in self.found if item.difference]

    def _compared(self) -> list[Found]:
        return [item for item in self.found if item.difference is not None]

    def _whose_pods(self, pods: Pods) -> list[str]:
        return sorted({item.whose for item in self.different if item.difference and item.difference.pods is pods})

    def lines(self) -> list[str]:
        """Return a line for each request that differs, and the summary."""
        return [*(_printable(_line(item)) for item in self.different), self.summary()]

    def summary(self) -> str:
        """Return the counts in a sentence."""
        compared, different = len(self._compared()), len(self.different)
        left = len(self.found) - compared
        restarts, ends = (len(self._whose_pods(pods)) for pods in (Pods.RESTART, Pods.END))
        parts = [
            f"{_counted(len(self.found), 'request')}: {compared - different} the same",
            f"{different} {'differs' if different == 1 else 'differ'}",
            *([f"{left} with nothing to compare with"] if left else []),
        ]
        pods = [
            *([f"Pods of {_counted(restarts, 'MyResource')} would restart"] if restarts else ["no Pods restart"]),
            *([f"Pods of {_counted(ends, 'MyResource')} would end"] if ends else []),
        ]
        return f"{', '.join(parts)}; {', '.join(pods)}"

    def json(self) -> Json:
        """Return all of it."""
        return {
            "requests": len(self.found),
            "same": len(self._compared()) - len(self.different),
            "differ": len(self.different),
            "notCompared": len(self.found) - len(self._compared()),
            "restart": self._whose_pods(Pods.RESTART),
            "end": self._whose_pods(Pods.END),
            "differences": [_as_json(item) for item in self.different],
        }


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _line(item: Found) -> str:
    return f"{item.recording.file}: {item.whose}: {'; '.join(_parts(item.difference or Difference()))}"


def _parts(difference: Difference) -> Iterator[str]:
    if difference.codes:
        yield "answered with {} -> {}".format(*difference.codes)
    yield from (_child(change) for change in difference.children)
    if difference.said:
        yield "status {} -> {}".format(*difference.said)
    elif difference.status:
        yield _paths("status", [path.removeprefix("status.") for path in difference.status])
    if difference.rules:
        yield _paths("customize rules", difference.rules)
    if difference.resync:
        yield "another resync"
    yield from _LOUD[difference.pods]


def _child(change: ChildChange) -> str:
    name = f"{change.kind} {change.name} {change.what}"
    return _paths(name, change.paths) if change.paths else name


def _paths(what: str, paths: list[str]) -> str:
    more = f" and {len(paths) - _MOST_PATHS} more" if len(paths) > _MOST_PATHS else ""
    return f"{what} ({', '.join(paths[:_MOST_PATHS])}{more})"


def _as_json(item: Found) -> Json:
    difference = item.difference or Difference()
    children = [
        {"change": change.what, "kind": change.kind, "name": change.name, "paths": change.paths}
        for change in difference.children
    ]
    return {
        "file": item.recording.file,
        "hook": item.recording.hook,
        "myresource": item.whose,
        "answeredWith": list(difference.codes or []),
        "children": children,
        "said": list(difference.said or []),
        "status": difference.status,
        "rules": difference.rules,
        "resync": difference.resync,
        "pods": difference.pods.value,
    }


def _printable(line: str) -> str:
    """Return *line* without what would move a terminal's cursor: names in a file are anybody's."""
    return "".join(letter if letter.isprintable() else "?" for letter in line)
