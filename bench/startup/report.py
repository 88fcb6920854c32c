"""The part of ``make bench`` that shows how ``serve`` starts: prints tables and the goals, and writes a file."""

from bench.startup.imports import slowest_imports
from bench.startup.results import FILE, Results, goals, imports_table, table
from bench.startup.starts import compare


def main() -> int:
    """Measure, print and write; return 1 if a goal is missed."""
    results = Results(compare(), slowest_imports())
    FILE.save(results)
    print(table(results), imports_table(results), *goals(results), sep="\n")
    return 0 if results.is_within else 1
