"""The table of measurements, and the files that have all of them."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.scale.measurement import Measurement

FOLDER = Path(__file__).parent.parent.parent / "build"
"""Where the results of the last run are, in scale.json, or features.json for a comparison of features."""

RESULTS = Path(__file__).parent / "results.json"
"""The committed results, which docs/performance.md shows: a copy of build/scale.json."""

HEAD = (
    "| measured | MyResources | namespaces | event | done after | quiet after | CPU s: controller | hook "
    "| API server | etcd | kube-controller-manager "
    "| syncs | customize | status writes | child writes | child requests | longest queue |"
)
RULE = "|---" * (HEAD.count("|") - 1) + "|"

_OTHERS = ("hook", "kube-apiserver", "etcd", "kube-controller-manager")


@dataclass(frozen=True)
class Row:
    """A measurement, and where it was made."""

    operator: str
    size: int
    namespaces: int
    measurement: Measurement

    @property
    def controller(self) -> float:
        """The CPU seconds of Metacontroller, or of the operator in Go."""
        return sum(seconds for name, seconds in self.measurement.cpu.items() if name not in _OTHERS)

    def each(self, count: int) -> str:
        """Return *count* for each MyResource that the event concerns."""
        return f"{count / self.measurement.affected:.1f}" if count else "0"

    def text(self) -> str:
        """Return the row of the table."""
        it = self.measurement
        cpu = (self.controller, *(it.cpu.get(name, 0.0) for name in _OTHERS))
        counts = (it.syncs, it.customizes, it.status_writes, it.child_writes, it.child_requests)
        cells = (
            *(self.operator, self.size, self.namespaces, it.event),
            *(f"{it.seconds:.1f} s", f"{it.quiet_after:.1f} s"),
            *(f"{seconds:.1f}" for seconds in cpu),
            *map(self.each, counts),
            it.longest_queue,
        )
        return f"| {' | '.join(map(str, cells))} |"

    def progress(self) -> str:
        """Return a line for whoever waits."""
        it = self.measurement
        return f"{self.operator}, {self.size} in {self.namespaces}: {it.event}, {it.seconds:.1f} s"


def save(rows: Iterable[Row], file: Path) -> None:
    """Write *file*."""
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")


def load(file: Path) -> list[Row]:
    """Return the rows that *file* has."""
    read = json.loads(file.read_text())
    return [Row(**{**row, "measurement": Measurement(**row["measurement"])}) for row in read]


def table(rows: Iterable[Row]) -> Iterator[str]:
    """Yield the lines of the table."""
    yield from (HEAD, RULE, *(row.text() for row in rows))
