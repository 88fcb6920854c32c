"""The part of ``make bench`` that shows growth: prints a table and the goals, and writes a file and a picture."""

from bench.growth.cost import growth
from bench.growth.memory import REQUESTS, memory
from bench.growth.requests import PARTS
from bench.growth.results import FILE, HEAD, Results, goals, row


def main(requests: int = REQUESTS) -> int:
    """Measure, print and write; return 1 if a goal is missed."""
    print("CPU of a sync in process. Slope: relative to json.loads of the same bytes. Bend: 25 % is a square.\n")
    print(HEAD, end="")
    growths = []
    for part in PARTS:
        growths.append(growth(part))
        print(row(growths[-1]), end="", flush=True)
    results = Results(growths, memory(requests))
    FILE.save(results)
    print("", *goals(results), sep="\n")
    return 0 if results.is_within else 1
