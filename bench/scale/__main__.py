"""The command ``make scale N=1000``: prints each row as soon as it is measured.

With a setting, such as ``python -m bench.scale 300 --workers 2``, it measures the first events alone.
"""

import argparse
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import get_args

from bench.peers.operators import PEERS, CannotPrepare
from bench.scale import report
from bench.scale.cluster import Cluster, cluster
from bench.scale.comparison import compare
from bench.scale.events import RELATED, alone, every_event, first_events, of_shards
from bench.scale.installation import Settings
from bench.scale.measurement import Measurement
from bench.scale.operators import prepare
from bench.scale.report import Run, costs_of, deviations, run_of
from metahook.envtest.binaries import Binaries, Missing, find_binaries
from metahook.simulator.metacontroller.settings import Mode

SHARDS = (1, 2, 4)
SIZE, MAX_SIZE = 1_000, 5_000
"""MyResources, by default and at most: etcd holds 2 GiB."""

REST = 120.0
_OPERATORS = 2 + len(PEERS)
_OF_OPERATOR, _EACH_OF_OPERATOR = 0.5, 0.0025
"""Minutes for all events of an operator but the rest, and for each MyResource."""
_DEFAULT = Settings()
_SPACE = 4
"""GiB of disk space that a run needs at most."""
_SETUP, _EACH = 6.0, 0.016
"""Minutes for all runs, and for each MyResource."""


def measure(binaries: Binaries, size: int) -> None:
    """Print what *size* MyResources cost, without shards and with them, and by the model in other installations."""
    minutes = _SETUP + size * _EACH
    _print(f"{size:,} MyResources; this takes about {minutes:.0f} minutes on two cores, and up to {_SPACE} GiB of disk")
    _print(*report.head(report.EVENTS))
    for measured in _run(binaries, size, alone, settings=Settings(options=("--no-watch-pods",))):
        _print(report.event(measured, ", without Pod diagnosis"))
    for measured in _run(binaries, size, every_event):
        _print(report.event(measured))
    _print("", *report.head(report.SHARDS))
    runs: list[Run] = []
    for shards in SHARDS:
        runs.append(run_of(size, shards, RELATED, list(_run(binaries, size, of_shards, shards))))
        _print(report.shards(runs[-1]))
    costs = costs_of(runs)
    _print("", *report.sizes(costs))
    ratios = deviations(costs, runs)
    _print(f"For the runs above, this model gives {min(ratios):.1f} to {max(ratios):.1f} times the CPU that they took.")


def measure_with(binaries: Binaries, size: int, settings: Settings) -> None:
    """Print what it costs to create *size* MyResources, and to change all their images, with these *settings*."""
    _print(f"{size:,} MyResources, {settings}", *report.head(report.EVENTS))
    for measured in _run(binaries, size, first_events, settings=settings):
        _print(report.event(measured))


def measure_operators(binaries: Binaries, sizes: Sequence[int], rest: float) -> None:
    """Print what the same job costs this operator and its peers, for each number of MyResources."""
    minutes = sum(_OPERATORS * (_OF_OPERATOR + rest / 60 + size * _EACH_OF_OPERATOR) for size in sizes)
    _print(f"{_OPERATORS} operators; this takes about {minutes:.0f} minutes on two cores")
    for number, size in enumerate(sizes):
        _print("", f"{size:,} MyResources:", "", *report.head(report.OPERATORS))
        with tempfile.TemporaryDirectory() as folder:
            for found in compare(binaries, Path(folder), size, rest, backwards=bool(number % 2)):
                _print(report.compared(found))


def _run(
    binaries: Binaries,
    size: int,
    events: Callable[[Cluster], Iterator[Measurement]],
    shards: int = 1,
    settings: Settings = _DEFAULT,
) -> Iterator[Measurement]:
    with tempfile.TemporaryDirectory() as folder, cluster(binaries, Path(folder), size, shards, settings) as running:
        yield from events(running)


def _print(*lines: str) -> None:
    print(*lines, sep="\n", flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description=__doc__)
    parser.add_argument("sizes", nargs="*", default=[SIZE], type=int, help=f"MyResources; default: {SIZE}")
    parser.add_argument("--peers", action="store_true", help="compare this operator with its peers, by the same job")
    parser.add_argument("--rest", type=float, default=REST, help="seconds of rest with --peers; default: %(default)s")
    parser.add_argument("--mode", choices=get_args(Mode), help="the apply strategy; default: server-side-apply")
    parser.add_argument("--workers", type=int, help="those of Metacontroller; default: 5")
    parser.add_argument("--qps", type=int, help="client-go-qps of Metacontroller, half of its burst; default: 500")
    parser.add_argument("--delay", type=int, help="milliseconds by which the hook answers late")
    parser.add_argument("--crd", type=Path, help="a file with another CRD")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure; return 1 if an event is not over in time."""
    parser = _parser()
    given = vars(parser.parse_args(arguments))
    sizes, peers, rest = given.pop("sizes"), given.pop("peers"), given.pop("rest")
    settings = Settings(**{name: value for name, value in given.items() if value is not None})
    if not all(0 < size <= MAX_SIZE for size in sizes):
        parser.error(f"the number of MyResources is one from 1 to {MAX_SIZE}, such as: make scale N=200")
    if peers and settings != _DEFAULT:
        parser.error("--peers has settings of its own: leave the others out")
    if shutil.disk_usage(tempfile.gettempdir()).free < _SPACE << 30:
        print(f"{tempfile.gettempdir()} has less than {_SPACE} GiB of free disk space; set TMPDIR", file=sys.stderr)
        return 1
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        binaries = find_binaries()
        if peers:
            prepare()
            measure_operators(binaries, sizes, rest)
        for size in () if peers else sizes:
            if settings == _DEFAULT:
                measure(binaries, size)
            else:
                measure_with(binaries, size, settings)
    except Missing as missing:
        print(missing)
    except (TimeoutError, CannotPrepare) as reason:
        print(f"stopped: {reason}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
