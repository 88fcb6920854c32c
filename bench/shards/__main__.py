"""Prints the table for N MyResources, row by row: ``make shards N=400``."""

import signal
import sys

from bench.shards.report import FILE, HEAD, row, save
from bench.shards.run import Result, run
from metahook.envtest.binaries import Missing, find_binaries

SHARDS = (1, 2, 4)
MAX_SIZE = 10_000
"""MyResources."""


def size_of(text: str) -> int:
    """Return the number of MyResources; exit with a message if *text* is not a valid one."""
    if not text.isdecimal() or not 0 < int(text) <= MAX_SIZE:
        sys.exit(f"N must be a whole number from 1 to {MAX_SIZE}, such as: make shards N=400")
    return int(text)


def main(size: int) -> None:
    """Measure *size* MyResources in each number of shards."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        binaries = find_binaries()
    except Missing as missing:
        print(missing)
        return
    print(f"{size} MyResources, server-side apply; a Metacontroller for each shard, CPU in seconds")
    print(HEAD)
    print("|---" * HEAD.count(" | ") + "|---|", flush=True)
    results: list[Result] = []
    for shards in SHARDS:
        results.append(run(binaries, shards, size))
        print(row(results[-1]), flush=True)
        save(results)
    print(f"The figures are in {FILE}.")


if __name__ == "__main__":
    main(size_of(sys.argv[1]))
