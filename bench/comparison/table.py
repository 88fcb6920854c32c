"""The tables of the comparison, in Markdown: on the terminal and in docs/performance.md."""

from collections.abc import Iterable

from bench.comparison.results import HOOK, Figure, Ratio, Results, Scenario

CONNECTIONS = 5
"""Of the table of CPU: the number of workers of Metacontroller by default."""

LATENCY_SIZE = "6 KB"


def tables(results: Results) -> str:
    """Return all tables, with an empty line between them; none of latencies if they were not measured."""
    parts = (cpu_table(results), latency_table(results), process_table(results))
    return "\n".join(part for part in parts if part)


def cpu_table(results: Results) -> str:
    """Return the CPU of this hook per request, and its ratio to each peer, by the size of the requests."""
    scenarios = [each.scenario for each in results.measured if each.scenario.connections == CONNECTIONS]
    peers = [name for name in results.processes if name != HOOK]
    rows = [
        (
            f"{each.size} {each.kind}",
            _microseconds(results, each, HOOK),
            *(_ratio(results, each, name) for name in peers),
        )
        for each in scenarios
    ]
    return _table(("requests", "CPU per request", *(f"CPU / {name}" for name in peers)), rows)


def latency_table(results: Results) -> str:
    """Return p50 and p99 of each server, by the number of connections; nothing if they were not measured."""
    found = [each.scenario for each in results.measured if each.scenario.size == LATENCY_SIZE]
    scenarios = sorted(found, key=lambda each: (each.kind, each.connections))
    if not scenarios:
        return ""
    rows = [(name, *(_latency(results, each, name) for each in scenarios)) for name in results.processes]
    return _table(("p50, p99 in ms", *(str(each) for each in scenarios)), rows)


def process_table(results: Results) -> str:
    """Return memory and start-up of each server."""
    rows = [(name, f"{each.memory:.0f} MiB", f"{each.start:.0f} ms") for name, each in results.processes.items()]
    return _table(("server", "memory after the load", "start to first response"), rows)


def _microseconds(results: Results, scenario: Scenario, name: str) -> str:
    figure = results.figure(scenario, name)
    return f"{figure.cpu:,.0f} us" if figure else ""


def _ratio(results: Results, scenario: Scenario, name: str) -> str:
    figure = results.figure(scenario, name)
    return _spread(figure.cpu_ratio) if figure else ""


def _spread(ratio: Ratio) -> str:
    return f"{ratio.median:.2f} ({ratio.least:.2f}-{ratio.most:.2f})"


def _latency(results: Results, scenario: Scenario, name: str) -> str:
    figure: Figure | None = results.figure(scenario, name)
    return f"{figure.p50:.2f}, {figure.p99:.2f}" if figure else ""


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
