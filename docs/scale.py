"""The tables about many MyResources in docs/performance.md, from the committed results of ``make scale``."""

from collections.abc import Iterable, Sequence
from itertools import chain

from bench.scale.report import RESULTS, Row, load
from bench.scale.runs import GO, OURS, WITHOUT_PODS

Cell = tuple[int, int]
"""The numbers of MyResources and of namespaces."""

TYPICAL: Cell = (1000, 20)

_HEAD = (
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
    "longest queue",
)


def tables() -> dict[str, str]:
    """Return the tables of the committed results, by their names in the page."""
    return tables_of(load(RESULTS))


def tables_of(rows: Sequence[Row]) -> dict[str, str]:
    """Return each table of *rows*, by its name in the page."""
    return {"events": _events(rows), "sizes": _sizes(rows), "go": _compared(rows)}


def typical(rows: Sequence[Row]) -> Cell:
    """Return the TYPICAL cell, or the last one that was measured."""
    return TYPICAL if TYPICAL in map(_cell, rows) else _cell(rows[-1])


def _events(rows: Sequence[Row]) -> str:
    """Return what each event costs in the typical cell; counts are for each MyResource that it concerns."""
    size, namespaces = cell = typical(rows)
    shown = [row for row in rows if _cell(row) == cell and row.operator in (WITHOUT_PODS, OURS)]
    caption = f"{size:,} MyResources in {namespaces} namespaces:\n\n"
    return caption + _table(_HEAD, map(_event, shown))


def _event(row: Row) -> Sequence[str]:
    it = row.measurement
    cpu = (row.controller, it.cpu.get("hook", 0.0), it.cpu.get("kube-apiserver", 0.0))
    counts = (it.syncs, it.customizes, it.status_writes, it.child_writes)
    figures = (*(f"{each:.1f}" for each in cpu), *map(row.each, counts), str(it.longest_queue))
    return _name(row.operator, it.event), f"{it.seconds:.1f} s", f"{it.quiet_after:.0f} s", *figures


def _name(operator: str, event: str) -> str:
    return event if operator == OURS else f"{event}, without Pod diagnosis"


def _sizes(rows: Sequence[Row]) -> str:
    """Return the seconds of each event, and those of Metacontroller's CPU, by cell."""
    cells = list(dict.fromkeys(map(_cell, rows)))
    head = ("done after, CPU s of Metacontroller", *(f"{size:,} in {namespaces}" for size, namespaces in cells))
    events = dict.fromkeys((row.operator, row.measurement.event) for row in rows if row.operator != GO)
    found = {(row.operator, row.measurement.event, _cell(row)): row for row in rows}
    lines = ([_name(*key), *(_time(found.get((*key, cell))) for cell in cells)] for key in events)
    return _table(head, lines)


def _time(row: Row | None) -> str:
    return f"{row.measurement.seconds:.1f} s, {row.controller:.1f}" if row else ""


def _compared(rows: Sequence[Row]) -> str:
    """Return the events that were measured with both operators."""
    head = (
        "event",
        "MyResources",
        "this operator: done after",
        "CPU s",
        "API server",
        "Go: done after",
        "CPU s",
        "API server",
    )
    ours = {(row.measurement.event, _cell(row)): row for row in rows if row.operator == OURS}
    both = (
        (ours[key], row) for row in rows if row.operator == GO and (key := (row.measurement.event, _cell(row))) in ours
    )
    return _table(head, ([mine.measurement.event, _where(mine), *_figures(mine), *_figures(go)] for mine, go in both))


def _where(row: Row) -> str:
    return f"{row.size:,} in {row.namespaces}"


def _figures(row: Row) -> Sequence[str]:
    """Return when it is done, and the CPU seconds of the processes of the operator, and of the API server."""
    it = row.measurement
    own = row.controller + it.cpu.get("hook", 0.0)
    return f"{it.seconds:.1f} s", f"{own:.1f}", f"{it.cpu.get('kube-apiserver', 0.0):.1f}"


def _cell(row: Row) -> Cell:
    return row.size, row.namespaces


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = chain((head, ["---"] * len(head)), rows)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
