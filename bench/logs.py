"""Measures what the report of a call costs, relative to a sync, in one run: ``make bench``.

A call without a line is what counts: at most some ten a second have one.
"""

import logging
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from metahook.server.endpoint import Decision
from metahook.server.routes import CallReport

from metahook.protocol.controller import Answer
from metahook.server.telemetry.logs import formatter
from metahook.server.telemetry.telemetry import Telemetry
from tests.build import MYRESOURCE, NOW
from tests.documents import ROOT

MOST = 0.05
"""The part of a sync that the report of a call without a line may cost."""

BODY = (ROOT / "examples/requests/ready.json").read_bytes()


def microseconds(run: Callable[[], object], times: int) -> float:
    """Return the CPU time of *run*: the least of five measurements."""

    def measured() -> float:
        begin = time.process_time()
        for _ in range(times):
            run()
        return (time.process_time() - begin) / times * 1_000_000

    return min(measured() for _ in range(5))


def report(reports: Telemetry, answer: Answer) -> None:
    """Report a call."""
    CallReport(reports, "/sync").respond_decided(Decision(NOW, answer))


def main() -> int:
    """Print what reports cost; return 1 if it is too much."""
    answer = MYRESOURCE.call_sync(BODY, NOW)
    sync = microseconds(lambda: MYRESOURCE.call_sync(BODY, NOW), 300)
    with Path("/dev/null").open("w") as nowhere:
        handler = logging.StreamHandler(nowhere)
        handler.setFormatter(formatter("json", is_terminal=False))
        log = logging.getLogger("metahook")
        log.addHandler(handler)
        log.setLevel(logging.INFO)
        without, line = (microseconds(partial(report, Telemetry(rate), answer), 1000) for rate in (0, 1_000_000))
    print(f"report of a call: {without:.1f} us without a line, {line:.0f} us with one; a sync takes {sync:.0f} us")
    return 0 if without <= MOST * sync else 1


if __name__ == "__main__":
    raise SystemExit(main())
