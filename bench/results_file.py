"""The results of a part of ``make bench``: as measured, in build/, and as committed, for the pages of the docs."""

from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

T = TypeVar("T")

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class ResultsFile(Generic[T]):
    """The file *name* with results of the type *kind*, a dataclass."""

    name: str
    kind: type[T]

    @property
    def _measured(self) -> Path:
        return ROOT / "build" / self.name

    @property
    def _committed(self) -> Path:
        return ROOT / "bench" / self.name

    def save(self, results: T) -> None:
        """Write *results* as measured."""
        self._measured.parent.mkdir(exist_ok=True)
        self._measured.write_bytes(msgspec.json.format(msgspec.json.encode(results), indent=1) + b"\n")

    def committed(self) -> T:
        """Return the committed results."""
        return msgspec.json.decode(self._committed.read_bytes(), type=self.kind)

    def write(self) -> None:
        """Commit the results that were measured, if any were: copy them to where the pages read them."""
        if self._measured.exists():
            self._committed.write_bytes(self._measured.read_bytes())
            print(f"{self._committed.relative_to(ROOT)}: run make generate now")
