"""The report: a row for each run, and the JSON that bench.sizing reads."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from bench.shards.run import EVENTS, Result

FILE = Path("build/shards.json")
HEAD = (
    "| shards | all Ready | restart | CPU of each Metacontroller: create | restart | 1,000 events "
    "| memory of each | hook | API server | sync | customize |"
)


def row(result: Result) -> str:
    """Return the row of *result*: seconds, CPU seconds, MiB and calls. Of Metacontrollers it shows the largest."""
    cells = (
        str(result.shards),
        f"{result.created:.1f} s",
        f"{result.restarted:.1f} s",
        f"{max(result.creation.metacontrollers):.2f}",
        f"{max(result.restart.metacontrollers):.2f}",
        f"{max(result.many.metacontrollers) * 1000 / EVENTS:.2f}",
        f"{max(result.memory)} MiB",
        f"{result.creation.hook:.2f}",
        f"{result.creation.apiserver:.1f}",
        str(result.creation.syncs),
        str(result.creation.customizes),
    )
    return f"| {' | '.join(cells)} |"


def save(results: Sequence[Result]) -> None:
    """Write the figures of *results*."""
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(json.dumps({"events": EVENTS, "runs": [asdict(each) for each in results]}, indent=1) + "\n")
