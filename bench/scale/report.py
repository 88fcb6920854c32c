"""The table of measurements, and the file build/scale.json that has all of them."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.scale.measurement import Measurement

FILE = Path(__file__).parent.parent.parent / "build" / "scale.json"

HEAD = (
    "| MyResources | namespaces | event | done after | quiet after | CPU s: controller | hook | API server | etcd "
    "| kube-controller-manager | syncs | customize | status writes | child writes | child requests | longest queue |"
)
RULE = "|---" * (HEAD.count("|") - 1) + "|"


@dataclass(frozen=True)
class Row:
    """A measurement, and where it was made."""

    operator: str
    size: int
    namespaces: int
    measurement: Measurement

    def text(self) -> str:
        """Return the row of the table."""
        it = self.measurement
        cpu = dict(it.cpu)
        others = [cpu.pop(name, 0.0) for name in ("hook", "kube-apiserver", "etcd", "kube-controller-manager")]
        cells = (
            *(self.size, self.namespaces, it.event),
            *(f"{it.seconds:.1f} s", f"{it.quiet_after:.1f} s"),
            *(f"{seconds:.1f}" for seconds in (sum(cpu.values()), *others)),
            *(self._each(count) for count in (it.syncs, it.customizes, it.status_writes, it.child_writes)),
            self._each(it.child_requests),
            it.longest_queue,
        )
        return f"| {' | '.join(map(str, cells))} |"

    def progress(self) -> str:
        """Return a line for whoever waits."""
        it = self.measurement
        return f"{self.operator}, {self.size} in {self.namespaces}: {it.event}, {it.seconds:.1f} s"

    def _each(self, count: int) -> str:
        """Return *count* for each MyResource that the event concerns."""
        return f"{count / self.measurement.affected:.1f}" if count else "0"

    def as_json(self) -> dict[str, Any]:
        """Return all of it."""
        where = {"operator": self.operator, "size": self.size, "namespaces": self.namespaces}
        return {**where, **self.measurement.as_json()}


def save(rows: Iterable[Row]) -> None:
    """Write FILE."""
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(json.dumps([row.as_json() for row in rows], indent=1) + "\n")


def tables(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the lines of a table for each operator."""
    for operator in dict.fromkeys(row.operator for row in rows):
        yield from (f"\n{operator}\n", HEAD, RULE, *(row.text() for row in rows if row.operator == operator))
