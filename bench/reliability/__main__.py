"""Attacks the served hook, and prints the table of docs/reliability.md: ``make reliability``.

``python -m bench.reliability slow`` runs one part.
"""

import json
import sys
from collections.abc import Callable

from bench.reliability import memory, overload, slow
from bench.reliability.client import request
from bench.reliability.figures import Figure
from tests.traffic import FOLDER

PARTS: dict[str, Callable[[bytes], list[Figure]]] = {
    "slow": slow.figures,
    "overload": overload.figures,
    "memory": memory.figures,
}


def typical() -> bytes:
    """Return a recorded sync request, as it is sent."""
    files = sorted(FOLDER.rglob("*.json"))
    bodies = [json.dumps(found["request"]).encode() for found in map(_read, files) if found["path"] == "/sync"]
    return request(sorted(bodies, key=len)[len(bodies) // 2])


def _read(file: object) -> dict[str, object]:
    with open(file) as opened:  # type: ignore[call-overload] # noqa: PTH123 - a path
        found: dict[str, object] = json.load(opened)
        return found


def main() -> int:
    """Run the parts that are named, or all; return 1 if a goal is missed."""
    raw = typical()
    found: list[Figure] = []
    print("| figure | goal | served hook | plain uvicorn |\n|---|---|---|---|")
    for name in sys.argv[1:] or PARTS:
        for figure in PARTS[name](raw):
            print(figure.row(), flush=True)
            found.append(figure)
    return 0 if all(figure.is_right for figure in found) else 1


if __name__ == "__main__":
    raise SystemExit(main())
