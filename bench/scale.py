"""Measures each feature with many MyResources on a real control plane: ``make scale N=1000``."""

import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.crowd import Crowd
from bench.features import FEATURES, Feature
from bench.usage import Usage, usage
from metahook.envtest.binaries import Binaries, Missing, find_binaries
from tests.e2e.cluster import Cluster
from tests.e2e.hook import Hook

SPREADS = (1, 20, 200)
"""Numbers of namespaces."""

MAX_SIZE = 10_000
"""Maximum number of MyResources."""

SETTLES = 3.0
"""Seconds to wait after the last MyResource is Ready, until the last events are processed."""


@dataclass(frozen=True)
class Run:
    """The measurement of one feature."""

    feature: Feature
    spread: int
    seconds: float
    used: Usage


def run(binaries: Binaries, feature: Feature, size: int, spread: int) -> Run:
    """Measure *feature* with *size* MyResources in *spread* namespaces."""
    with tempfile.TemporaryDirectory() as folder:
        cluster = Cluster(binaries, Path(folder), secrets="--watch-secrets" in feature.options)
        cluster.hook = Hook("hook", Path(folder), *feature.options)  # replaces the default one, which records requests
        metacontroller = cluster.metacontroller("server-side-apply")
        try:
            cluster.start()
            crowd = Crowd(cluster, size, spread)
            crowd.prepare()
            metacontroller.start()
            before = usage(cluster, metacontroller)
            seconds = crowd.create(feature.spec)
            time.sleep(SETTLES)
            return Run(feature, spread, seconds, usage(cluster, metacontroller) - before)
        finally:
            metacontroller.stop()
            cluster.stop()


def runs(binaries: Binaries, size: int) -> Iterator[tuple[Run, Run]]:
    """Yield each run, with the run without rules in as many namespaces."""
    for spread in sorted({min(spread, size) for spread in SPREADS}):
        plain = None
        for feature in FEATURES:
            done = run(binaries, feature, size, spread)
            plain = plain or done
            yield done, plain


HEAD = "| namespaces | watched | rules | Ready after | Metacontroller | hook | API server | sync | customize |"


def row(done: Run, plain: Run) -> str:
    """Return the row for *done*: seconds, and their ratio to those of *plain*."""
    used, base = done.used, plain.used
    cells = (
        done.spread,
        done.feature.name,
        done.feature.rules,
        _with_ratio(done.seconds, plain.seconds),
        _with_ratio(used.metacontroller, base.metacontroller),
        _with_ratio(used.hook, base.hook),
        _with_ratio(used.apiserver, base.apiserver),
        used.syncs,
        used.customizes,
    )
    return f"| {' | '.join(map(str, cells))} |"


def _with_ratio(seconds: float, plain: float) -> str:
    return f"{seconds:.1f} s ({seconds / max(plain, 0.01):.1f})"


def size_of(text: str) -> int:
    """Return the number of MyResources; exit with a message if *text* is not a valid one."""
    if not text.isdecimal() or not 0 < int(text) <= MAX_SIZE:
        sys.exit(f"N must be a whole number from 1 to {MAX_SIZE}, such as: make scale N=200")
    return int(text)


def main(size: int) -> None:
    """Print the table for *size* MyResources, row by row."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        binaries = find_binaries()
    except Missing as missing:
        print(missing)
        return
    print(f"{size} MyResources, server-side apply; in brackets: the ratio to the run without rules")
    print(HEAD)
    print("|---" * HEAD.count(" | ") + "|---|")
    for done, plain in runs(binaries, size):
        print(row(done, plain), flush=True)


if __name__ == "__main__":
    main(size_of(sys.argv[1]))
