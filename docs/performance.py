"""docs/performance.md, and the picture of the comparison, from the committed results of ``make bench``."""

from pathlib import Path

from bench.comparison.goals import verdicts
from bench.comparison.picture import picture as drawn
from bench.comparison.results import Results, decoded
from bench.comparison.table import cpu_table, latency_table, process_table
from docs.growth import parts as growth_parts
from docs.scale import tables as scale_parts

PAGE = Path(__file__).with_suffix(".md")
RESULTS = Path(__file__).parent.parent / "bench/ratios.json"


def results() -> Results:
    """Return the committed results."""
    return decoded(RESULTS.read_bytes())


def page() -> str:
    """Return the page with the tables and the goals of the committed results."""
    text, found = PAGE.read_text(), results()
    parts = {
        "cpu": cpu_table(found),
        "latency": latency_table(found),
        "processes": process_table(found),
        "goals": "".join(f"- {verdict.text}\n" for verdict in verdicts(found)),
        **growth_parts(),
        "machine": f"Measured in {found.rounds} rounds; {', '.join(map(': '.join, found.machine.items()))}.\n",
    }
    for name, part in (parts | scale_parts()).items():
        text = _with(text, name, part)
    return text


def picture() -> str:
    """Return the picture of the committed results."""
    return drawn(results())


def _with(text: str, name: str, part: str) -> str:
    """Return *text* with a new *part* between the comments that name it."""
    begin, end = f"<!-- {name}: made by make generate -->\n", f"<!-- end of {name} -->\n"
    before, _, rest = text.partition(begin)
    return before + begin + "\n" + part + "\n" + end + rest.partition(end)[2]
