"""Oracles: what must hold of a life with a fault in it. Never that a log shows no error."""

from collections.abc import Iterator

from tests.plans.workload_run import Outcome
from tests.worlds import PARENT

MORE = 2
"""Writes of a child that a fault may cost: one that is wrong, one that puts it right."""

MORE_STATUS = 2 * MORE
"""Writes of a status: each of a child may be told of, when it is seen and when it is rolled out."""

LATER = 10
"""Syncs after the fault in which all has come to where it belongs."""


def complaints(found: Outcome, expected: Outcome) -> Iterator[str]:
    """Yield what is wrong with the outcome *found*, of a life that had one fault; without it, it is *expected*."""
    yield from never(found)
    yield from (f"ends without {line}" for line in expected.end if line not in found.end)
    yield from (f"ends with {line}" for line in found.end if line not in expected.end)
    for key, count in found.writes.items():
        more = count - expected.writes[key]
        if more > (MORE_STATUS if key.kind == PARENT.kind else MORE):
            yield f"{more} writes of {key} more"
    if found.syncs > expected.syncs + LATER:
        yield f"{found.syncs - expected.syncs} syncs more"


def never(found: Outcome) -> Iterator[str]:
    """Yield what is wrong with the outcome *found* of any life."""
    yield from (f"a living parent's child is deleted: {write}" for write in found.wrong)
    yield from (f"not at rest: {what}" for what in found.restless)
