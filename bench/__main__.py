"""Measures the hook: ``make bench``, or ``python -m bench NAME...`` for some parts."""

import argparse
from collections.abc import Callable

from bench import installation, logs, pods, served
from bench.comparison import report
from bench.comparison.run import SIZES
from bench.growth import report as growth
from bench.growth.results import FILE as GROWTH
from bench.startup import report as startup
from bench.startup.results import FILE as STARTUP

PARTS: dict[str, Callable[[], int | None]] = {
    "pods": pods.main,
    "installation": installation.main,
    "served": served.main,
    "logs": logs.main,
    "growth": growth.main,
    "startup": startup.main,
}
"""Besides the comparison, which has options of its own."""

COMPARISON, WRITE = "comparison", "write"


def main() -> int:
    """Run the parts that are named, or all; return 1 if one misses a goal."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    names = [COMPARISON, *PARTS, WRITE]
    parser.add_argument("parts", nargs="*", metavar="NAME", help=f"of: {', '.join(names)}; default: all but write")
    parser.add_argument("--check", action="store_true", help="only compare, with bench/ratios.json")
    parser.add_argument("--rounds", type=int, default=report.ROUNDS, help=f"default: {report.ROUNDS}")
    parser.add_argument("--sizes", default=",".join(SIZES), help="of the requests; default: %(default)s")
    given = parser.parse_args()
    sizes = tuple(given.sizes.split(","))
    for each, known in [(name, names) for name in given.parts] + [(size, list(SIZES)) for size in sizes]:
        if each not in known:
            parser.error(f"{each!r} is not one of: {', '.join(known)}")
    if given.rounds < 1:
        parser.error("--rounds must be at least 1")
    parts = given.parts or ([COMPARISON] if given.check else [COMPARISON, *PARTS])
    codes = [_run(name, given.rounds, sizes, is_check=given.check) for name in parts]
    return max(codes)


def _run(name: str, rounds: int, sizes: tuple[str, ...], *, is_check: bool) -> int:
    """Run the part *name*; return its exit code."""
    print(f"== {name}", flush=True)
    if name == COMPARISON:
        return report.main(rounds, sizes, is_check=is_check)
    if name == WRITE:
        if report.MEASURED.exists():
            report.write()
        GROWTH.write()
        STARTUP.write()
        return 0
    return PARTS[name]() or 0


if __name__ == "__main__":
    raise SystemExit(main())
