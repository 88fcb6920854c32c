"""Attacks the served hook, and prints the table of docs/reliability.md: ``make reliability``.

``python -m bench.reliability slow`` runs one part.
"""

import sys
from collections.abc import Callable

from bench.reliability import callers, certificates, memory, overload, slow, wire
from bench.reliability.client import request
from bench.reliability.figures import Figure
from tests.traffic import load

PARTS: dict[str, Callable[[bytes], list[Figure]]] = {
    "wire": wire.figures,
    "slow": slow.figures,
    "overload": overload.figures,
    "memory": memory.figures,
    "callers": callers.figures,
    "certificates": certificates.figures,
}


def typical() -> bytes:
    """Return a recorded sync request of medium length, as it is sent."""
    bodies = sorted((recorded.body for recorded in load() if recorded.path == "/sync"), key=len)
    return request(bodies[len(bodies) // 2])


def main() -> int:
    """Run the parts that are named, or all; return 1 if a goal is missed."""
    raw = typical()
    found: list[Figure] = []
    print("| figure | goal | served hook | FastAPI and uvicorn |\n|---|---|---|---|")
    for name in sys.argv[1:] or PARTS:
        for figure in PARTS[name](raw):
            print(figure.row(), flush=True)
            found.append(figure)
    return 0 if all(figure.is_right for figure in found) else 1


if __name__ == "__main__":
    raise SystemExit(main())
