"""The part of ``make bench`` that compares this hook with its peers: prints tables and goals, and writes a file."""

from pathlib import Path

from bench.comparison.goals import TOLERANCE, slower, verdicts
from bench.comparison.load import NotAnswered
from bench.comparison.peers import NotServed
from bench.comparison.results import Results, decoded
from bench.comparison.run import SIZES, compare
from bench.comparison.table import tables

ROOT = Path(__file__).parents[2]
MEASURED = ROOT / "build/bench.json"
COMMITTED = ROOT / "bench/ratios.json"

ROUNDS = 5


def main(rounds: int = ROUNDS, sizes: tuple[str, ...] = SIZES, *, is_check: bool = False) -> int:
    """Measure, print and write; return 1 if a goal is missed. A check compares with the committed results instead."""
    try:
        results = compare(rounds, sizes)
    except (NotAnswered, NotServed) as error:
        print(f"stopped: {error}")
        return 1
    MEASURED.parent.mkdir(exist_ok=True)
    MEASURED.write_bytes(results.encoded())
    print(", ".join(f"{name}: {value}" for name, value in results.machine.items()))
    print(f"\nCPU per request, and the ratio to each peer: median of {rounds} rounds (least-most)\n")
    print(tables(results))
    found = verdicts(results)
    for verdict in found:
        print(verdict.text)
    return _check(results) if is_check else int(not all(each.is_met for each in found))


def _check(results: Results) -> int:
    """Print what got slower since the committed results; return 1 if anything did."""
    found = slower(results, decoded(COMMITTED.read_bytes()))
    print(f"slower by more than {TOLERANCE - 1:.0%} than {COMMITTED.relative_to(ROOT)}: {len(found) or 'nothing'}")
    for line in found:
        print(f"  {line}")
    return 1 if found else 0


def write() -> None:
    """Commit the measured results: copy them to where pages and checks read them."""
    COMMITTED.write_bytes(MEASURED.read_bytes())
    print(f"{COMMITTED.relative_to(ROOT)}: run make generate now")
