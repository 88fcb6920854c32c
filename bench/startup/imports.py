"""The imports that take most of the time to start, by ``python -X importtime``."""

import re
import subprocess
import sys
from dataclasses import dataclass

ROUNDS = 5
SLOWEST = 10

_LINE = re.compile(r"^import time:\s+(?P<own>\d+) \|\s+\d+ \|\s+(?P<module>\S+)$", re.MULTILINE)
_CODE = "from app.cli import main, serve"


@dataclass(frozen=True)
class Import:
    """The import of a *module*: its *own* milliseconds, without those of the modules that it imports."""

    module: str
    own: float


def slowest_imports() -> list[Import]:
    """Return the slowest imports of ``serve``; each time is the least of some rounds, as other work only adds to it."""
    rounds = [_own_times() for _ in range(ROUNDS)]
    least = [Import(module, min(each.get(module, own) for each in rounds)) for module, own in rounds[0].items()]
    return sorted(least, key=lambda each: -each.own)[:SLOWEST]


def _own_times() -> dict[str, float]:
    command = [sys.executable, "-X", "importtime", "-c", _CODE]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stderr  # noqa: S603 - a command of ours
    return {found["module"]: int(found["own"]) / 1000 for found in _LINE.finditer(text)}
