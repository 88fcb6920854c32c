"""The CPU of commands, relative to that of importing the packages that they are made with: a part of ``make bench``."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median

ROUNDS = 9
BASE = [sys.executable, "-c", "import pydantic, click, yaml, msgspec"]

WEB = "examples/minimal.yaml"
RENDER = f"myresource render -f {WEB}"
MOST = {
    "myresource --help": 0.6,
    "kubectl-myresource --help": 1.2,
    "myresource explain CrashLooping": 2.4,
    RENDER: 3.3,
    f"myresource diff {WEB} {WEB}": 3.5,
    "myresource import -f -": 3.1,
    f"myresource simulate -f {WEB}": 3.4,
}
"""The ratio that each command may have. Import reads what render prints."""


def ratios() -> dict[str, float]:
    """Return the ratio of each command: the median of the rounds, in which each has its turn."""
    given = _run(_words(RENDER))  # which also writes the bytecode
    rounds = []
    for _ in range(ROUNDS):
        base = _cpu(BASE)
        rounds.append({line: _cpu(_words(line), given) / base for line in MOST})
    return {line: median(each[line] for each in rounds) for line in MOST}


def _words(line: str) -> list[str]:
    program, *arguments = line.split()
    return [str(Path(sys.executable).with_name(program)), *arguments]


def _run(words: list[str], given: bytes = b"") -> bytes:
    return subprocess.run(words, check=True, input=given, stdout=subprocess.PIPE).stdout  # noqa: S603 - those above


def _cpu(words: list[str], given: bytes = b"") -> float:
    """Return the seconds of CPU that a command takes."""
    before = os.times()
    _run(words, given)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def table(found: dict[str, float]) -> Iterator[str]:
    """Yield the lines of the table in Markdown."""
    yield "| command | CPU / importing pydantic, click, yaml and msgspec | at most |"
    yield "| --- | --- | --- |"
    for line, ratio in found.items():
        yield f"| `{line}` | {ratio:.2f} | {MOST[line]:g}{'' if ratio <= MOST[line] else ', NOT within'} |"
