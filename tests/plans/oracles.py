"""Oracles: the rules that a run with a fault must meet. Errors in a log do not matter."""

from collections.abc import Iterator

from tests.plans.workload_run import Outcome
from tests.simulated.worlds import PARENT

MORE = 2
"""Additional writes of a child that a fault may cost: one that is wrong, and one that corrects it."""

MORE_STATUS = 2 * MORE
"""Additional writes of a status: two for each of a child, when it is observed and when it is rolled out."""

MORE_SYNCS = 10
"""Additional syncs after the fault."""


def violations(found: Outcome, expected: Outcome) -> Iterator[str]:
    """Yield the violations of the outcome *found* of a run with one fault; without the fault it is *expected*."""
    yield from invariant_violations(found)
    yield from (f"ends without {line}" for line in expected.end if line not in found.end)
    yield from (f"ends with {line}" for line in found.end if line not in expected.end)
    for key, count in found.writes.items():
        more = count - expected.writes[key]
        if more > (MORE_STATUS if key.kind == PARENT.kind else MORE):
            yield f"{more} more writes of {key}"
    if found.syncs > expected.syncs + MORE_SYNCS:
        yield f"{found.syncs - expected.syncs} more syncs"


def invariant_violations(found: Outcome) -> Iterator[str]:
    """Yield the violations that no run may have, with or without a fault."""
    yield from (f"a desired child is deleted: {write}" for write in found.wrong_deletes)
    yield from (f"untrue: {line}" for line in found.untrue)
    yield from (f"not quiet: {write}" for write in found.late_writes)
