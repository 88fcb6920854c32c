"""The command ``make scale``."""

import argparse
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.scale.operators import MissingGo
from bench.scale.report import FOLDER, Row, save, table
from bench.scale.runs import Run, all_events, all_features, measure
from metahook.envtest.binaries import Binaries, Missing, find_binaries
from metahook.simulator.metacontroller.settings import MODES

MATRIX = ((1000, 1), (1000, 20), (1000, 200), (3000, 20))
"""The sizes and numbers of namespaces that are measured by default."""

QUICK = (1, 20)
"""The numbers of namespaces for a given size."""

MAX_SIZE = 5_000
"""Maximum number of MyResources: etcd holds 2 GiB."""

_SPACE = 4
"""GiB of disk space that a run needs at most."""

_SETUP, _EACH = 180.0, 0.3
"""Seconds for each number of namespaces, and for each MyResource in it."""

_PATTERN = "make scale N=200"


def rows(binaries: Binaries, runs: Sequence[Run], sizes: Sequence[tuple[int, int]]) -> Iterator[Row]:
    """Yield each row as soon as it is complete; a run that fails prints why, and the next one follows."""
    for size, spread in sizes:
        for run in runs:
            try:
                yield from measure(binaries, run, size, spread)
            except (MissingGo, TimeoutError) as reason:
                progress(f"{run.name}, {size} in {spread}: {reason}")


def progress(text: str) -> None:
    """Print a line with the time."""
    print(time.strftime("%H:%M:%S"), text, flush=True)


def size_of(text: str) -> int:
    """Return the number of MyResources; exit with a message if *text* is not a valid one."""
    if not text.isdecimal() or not 0 < int(text) <= MAX_SIZE:
        sys.exit(f"N must be a whole number from 1 to {MAX_SIZE}, such as: {_PATTERN}")
    return int(text)


def main(runs: Sequence[Run], sizes: Sequence[tuple[int, int]], file: Path) -> int:
    """Measure *runs* with all *sizes* into *file*: print a line for each event, then the table; return the status."""
    try:
        binaries = find_binaries()
    except Missing as missing:
        print(missing)
        return 0
    if shutil.disk_usage(tempfile.gettempdir()).free < _SPACE << 30:
        return _fail(f"{tempfile.gettempdir()} has less than {_SPACE} GiB of free disk space; set TMPDIR")
    progress(f"measuring {', '.join(f'{size} in {spread}' for size, spread in sizes)}; {_duration(sizes)}")
    done, status = list[Row](), 0
    try:
        for row in rows(binaries, runs, sizes):
            done.append(row)
            save(done, file)
            progress(row.progress())
    except KeyboardInterrupt:
        progress("interrupted")
        status = 130  # as a shell reports it
    for line in table(done):
        print(line)
    return status


def _duration(sizes: Sequence[tuple[int, int]]) -> str:
    """Return roughly how long it takes."""
    minutes = round(sum(_SETUP + size * _EACH for size, _ in sizes) / 60)
    return f"this takes about {max(minutes, 1)} minutes on two cores, and up to {_SPACE} GiB of disk space for a time"


def _fail(message: str) -> int:
    print(message, file=sys.stderr)
    return 1


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description=__doc__)
    parser.add_argument("--size", type=size_of, help="number of MyResources; by default several are measured")
    parser.add_argument("--namespaces", type=int, action="append", help="number of namespaces; repeat it for several")
    parser.add_argument("--apply-strategy", choices=MODES, default="server-side-apply")
    parser.add_argument("--features", action="store_true", help="compare what each feature costs, instead")
    given = parser.parse_args()
    chosen = (
        MATRIX if given.size is None else [(given.size, min(each, given.size)) for each in given.namespaces or QUICK]
    )
    compared, result = (all_features, "features.json") if given.features else (all_events, "scale.json")
    raise SystemExit(main(compared(given.apply_strategy), chosen, FOLDER / result))
