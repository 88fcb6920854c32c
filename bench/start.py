"""Compares the CPU time in which ``metahook --help`` starts with that of importing its two dependencies.

Run it with ``python -m bench.start``. The ratio is to stay below 1.5.
"""

import os
import subprocess
import sys

ROUNDS = 40
BASE = [sys.executable, "-c", "import click, msgspec"]
STARTED = [sys.executable, "-m", "metahook.cli", "--help"]


def cpu(command: list[str]) -> float:
    """Return the seconds of CPU that *command* takes."""
    before = os.times()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - the two commands above
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def main() -> None:
    """Print the mean of both times, taken in turn, and their ratio."""
    base, started = map(sum, zip(*((cpu(BASE), cpu(STARTED)) for _ in range(ROUNDS)), strict=True))
    means = [f"{total / ROUNDS * 1000:.0f} ms" for total in (base, started)]
    print(f"import click, msgspec: {means[0]}; metahook --help: {means[1]}; {started / base:.2f} x")


if __name__ == "__main__":
    main()
