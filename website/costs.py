"""The cost of each kind of event, for docs/concepts/watching.md; tests/e2e/test_costs.py measures it."""

from pathlib import Path
from typing import NamedTuple

PAGE = Path(__file__).parents[1] / "docs/concepts/watching.md"
BEGIN = "<!-- made by make generate from website/costs.py -->\n"


class Times(NamedTuple):
    """How often something happens. *least* and *most* differ if it depends on timing."""

    least: int
    most: int

    def __str__(self) -> str:
        """Return the text for the table."""
        return str(self.least) if self.least == self.most else f"{self.least} to {self.most}"


class Cost(NamedTuple):
    """The calls to the hook and the writes of Metacontroller for one MyResource, and the reason, *why*."""

    syncs: Times
    customizes: Times
    children: Times
    statuses: Times
    why: str = ""

    def times(self) -> tuple[Times, Times, Times, Times]:
        """Return the four counts."""
        return self[:4]


NONE, ONE, TWO = Times(0, 0), Times(1, 1), Times(2, 2)

NOTHING = Cost(NONE, NONE, NONE, NONE)
ONE_SYNC = Cost(ONE, NONE, NONE, NONE)
"""One sync, whose response changes nothing."""

PERIOD = "the resync period, every ten minutes"
RESTART = "a restart of Metacontroller"
_FEW = "a sync may or may not observe a short-lived state; each Pod may take one more write"
_RESTART = (
    "each of the five kinds that Metacontroller discovers can cause a customize call; "
    "under server-side apply also one patch of each child that changes nothing"
)

COSTS = {
    "another client changes its status": NOTHING._replace(why="`ignoreStatusChanges`"),
    "one of its labels changes": ONE_SYNC,
    "one of its annotations changes": ONE_SYNC,
    "its spec changes, without a rollout": Cost(
        Times(2, 5), ONE, TWO, Times(2, 3), "Deployment and Service have the generation stamp"
    ),
    "its spec changes, with a rollout of two Pods": Cost(Times(4, 16), ONE, TWO, Times(2, 8), _FEW),
    "the status of a Pod changes": ONE_SYNC,
    "a Pod restarts": Cost(
        Times(3, 8), NONE, NONE, TWO, "it becomes unavailable and available again; Pod and Deployment change"
    ),
    "the status of a ReplicaSet changes": NOTHING._replace(why="no rule selects them"),
    "the status of its Deployment changes": ONE_SYNC,
    "a field of its Deployment that the operator does not set changes": Cost(
        Times(2, 3), NONE, NONE, Times(0, 2), "Ready is False until the Deployment controller has observed it"
    ),
    "a field of its Deployment that the operator sets changes": Cost(
        Times(2, 9),
        NONE,
        ONE,
        Times(2, 6),
        "here replicas: Metacontroller restores the value, while a surplus Pod starts and stops",
    ),
    "an unrelated ConfigMap changes": NOTHING._replace(why="no rule names it"),
    "metadata of a ConfigMap that it uses changes": ONE_SYNC,
    "a ConfigMap key that it does not use changes": ONE_SYNC,
    "a ConfigMap key that it uses changes": Cost(Times(4, 16), NONE, ONE, Times(2, 8), "a rollout of two Pods"),
    "a Secret key that it does not use changes": ONE_SYNC._replace(
        why="if the operator watches Secrets; otherwise nothing"
    ),
    "a Secret key that it uses changes": Cost(Times(4, 16), NONE, ONE, Times(2, 8), "as above; a rollout of two Pods"),
    "the status of a dependency changes": ONE_SYNC,
    "a dependency is deleted": Cost(ONE, NONE, NONE, ONE, "DependenciesReady changes; running Pods are not affected"),
    "20 other MyResources are created": NOTHING,
    PERIOD: ONE_SYNC,
    RESTART: Cost(Times(1, 5), Times(1, 6), NONE, NONE, _RESTART),
}
"""By event, for a MyResource that is Ready, has two Pods, and watches Pods, a ConfigMap, a Secret and a dependency."""


def page() -> str:
    """Return the page with the new table at its end."""
    head = "\n| event | sync | customize | writes to children | status writes | why |\n|---|---|---|---|---|---|\n"
    rows = "".join(f"| {event} | {' | '.join(map(str, cost))} |\n" for event, cost in COSTS.items())
    return PAGE.read_text().partition(BEGIN)[0] + BEGIN + head + rows
