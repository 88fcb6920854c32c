"""The tables of ``make scale``, in Markdown.

docs/contributing/performance.md and docs/clusters/scale.md show them as they were printed.
"""

from collections.abc import Iterable, Iterator, Sequence

from bench.scale.measurement import Measurement
from bench.scale.sizing import SETUPS, Costs, Run, estimate

EVENTS = (
    "event",
    "done after",
    "quiet after",
    "CPU s of Metacontroller",
    "of the hook",
    "of the API server",
    "syncs",
    "customize calls",
    "status writes",
    "child writes",
    "API requests",
    "longest queue",
)
SHARDS = (
    "shards",
    "created after",
    "CPU s of each Metacontroller: create",
    "restart",
    "1,000 related events",
    "memory of each",
)
SIZES = (
    "MyResources",
    "shards",
    "watch Pods",
    "qps, burst, workers",
    "`replicaCount`",
    "memory of each Metacontroller",
    "create all",
    "restart",
    "resync",
)


def event(measured: Measurement, note: str = "") -> str:
    """Return the row of an event; counts are for each MyResource that it concerns."""

    def each(count: int) -> str:
        return f"{count / measured.affected:.1f}" if count else "0"

    counts = (measured.syncs, measured.customizes, measured.status_writes, measured.child_writes, measured.requests)
    return _line(
        (
            measured.event + note,
            f"{measured.seconds:.1f} s",
            f"{measured.quiet_after:.0f} s",
            f"{measured.metacontrollers:.1f}",
            f"{measured.cpu.get('hook', 0):.1f}",
            f"{measured.cpu.get('kube-apiserver', 0):.1f}",
            *map(each, counts),
            str(measured.longest_queue),
        )
    )


def shards(run: Run) -> str:
    """Return the row of a number of shards."""
    cpu = (run.create, run.restart, run.many)
    cells = (str(run.shards), f"{run.seconds:.1f} s", *(f"{each:.1f}" for each in cpu), f"{run.memory:.0f} MiB")
    return _line(cells)


def sizes(costs: Costs) -> Iterator[str]:
    """Yield the table of what the installations of docs/clusters/scale.md cost by the model."""
    yield from head(SIZES)
    for setup in SETUPS:
        found = estimate(costs, setup)
        yield _line(
            (
                f"{setup.size:,}",
                str(setup.shards),
                "yes" if setup.has_pods else "no",
                f"{setup.qps}, {setup.qps * 2}, {setup.workers}",
                str(setup.replicas),
                f"about {_rounded(found.memory)}",
                *map(_time, (found.create, found.restart, found.resync)),
            )
        )


def head(names: Sequence[str]) -> Iterator[str]:
    """Yield the head of a table."""
    yield _line(names)
    yield _line(["---"] * len(names))


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _rounded(mib: float) -> str:
    """Return *mib* as text of two digits, in GiB from 10 GiB on."""
    return f"{mib / 1024:.0f} GiB" if mib >= 10 * 1024 else f"{float(f'{mib:.2g}'):,.0f} MiB"


def _time(seconds: float) -> str:
    """Return *seconds* as text of about two digits."""
    return next(f"{seconds / unit:{digits}} {name}" for most, unit, digits, name in _UNITS if seconds < most)


_UNITS = ((9.5, 1, ".1f", "s"), (120, 1, ".0f", "s"), (7200, 60, ".0f", "min"), (float("inf"), 3600, ".0f", "h"))
"""Each with the seconds below which it is used, its seconds, and its digits."""
