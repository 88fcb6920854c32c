"""What each feature costs with many MyResources, on a real control plane: ``make scale N=1000``."""

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
from tests.e2e.binaries import Binaries, Missing, found
from tests.e2e.cluster import Cluster
from tests.e2e.hook import Hook

SPREADS = (1, 20, 200)
"""Namespaces."""

MOST = 10_000
"""MyResources."""

SETTLES = 3.0
"""Seconds after the last is Ready: then the last events have been looked at."""


@dataclass(frozen=True)
class Run:
    """What one feature has cost."""

    feature: Feature
    spread: int
    seconds: float
    used: Usage


def run(binaries: Binaries, feature: Feature, size: int, spread: int) -> Run:
    """Return what *feature* costs *size* MyResources in as many namespaces as *spread*."""
    with tempfile.TemporaryDirectory() as folder:
        cluster = Cluster(binaries, Path(folder), secrets="--watch-secrets" in feature.options)
        cluster.hook = Hook("hook", Path(folder), *feature.options)  # one that records nothing
        metacontroller = cluster.metacontroller("server-side-apply")
        try:
            cluster.start()
            crowd = Crowd(cluster, size, spread)
            crowd.prepare()
            metacontroller.start()
            before = usage(cluster, metacontroller)
            seconds = crowd.make(feature.spec)
            time.sleep(SETTLES)
            return Run(feature, spread, seconds, usage(cluster, metacontroller) - before)
        finally:
            metacontroller.stop()
            cluster.stop()


def runs(binaries: Binaries, size: int) -> Iterator[tuple[Run, Run]]:
    """Yield each run, with the one without rules in as many namespaces."""
    for spread in sorted({min(spread, size) for spread in SPREADS}):
        plain = None
        for feature in FEATURES:
            done = run(binaries, feature, size, spread)
            plain = plain or done
            yield done, plain


HEAD = "| namespaces | watched | rules | Ready after | Metacontroller | hook | API server | sync | customize |"


def row(done: Run, plain: Run) -> str:
    """Return the row for *done*: seconds, and how many times those of *plain* they are."""
    used, base = done.used, plain.used
    cells = (
        done.spread,
        done.feature.name,
        done.feature.rules,
        _against(done.seconds, plain.seconds),
        _against(used.metacontroller, base.metacontroller),
        _against(used.hook, base.hook),
        _against(used.apiserver, base.apiserver),
        used.syncs,
        used.customizes,
    )
    return f"| {' | '.join(map(str, cells))} |"


def _against(seconds: float, plain: float) -> str:
    return f"{seconds:.1f} s ({seconds / max(plain, 0.01):.1f})"


def size_of(text: str) -> int:
    """Return how many MyResources *text* asks for; exit with a sentence if it is no such number."""
    if not text.isdecimal() or not 0 < int(text) <= MOST:
        sys.exit(f"N is not a number of MyResources; write one from 1 to {MOST}, such as: make scale N=200")
    return int(text)


def main(size: int) -> None:
    """Print the table for *size* MyResources, row by row."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        binaries = found()
    except Missing as missing:
        print(missing)
        return
    print(f"{size} MyResources, server-side apply; in brackets: how many times as much as without rules")
    print(HEAD)
    print("|---" * HEAD.count(" | ") + "|---|")
    for done, plain in runs(binaries, size):
        print(row(done, plain), flush=True)


if __name__ == "__main__":
    main(size_of(sys.argv[1]))
