"""What each kind of event costs: the table of docs/watching.md. The tests on a real control plane measure it anew."""

from pathlib import Path
from typing import NamedTuple

PAGE = Path(__file__).parent / "watching.md"
BEGIN = "<!-- made by make pages from docs/costs.py -->\n"


class Times(NamedTuple):
    """How often something happens: *least* and *most* differ where chance decides."""

    least: int
    most: int

    def __str__(self) -> str:
        """Return it as the table says it."""
        return str(self.least) if self.least == self.most else f"{self.least} to {self.most}"


class Cost(NamedTuple):
    """The calls of the hook and the writes of Metacontroller for one MyResource, and *why* they are so many."""

    syncs: Times
    customizes: Times
    children: Times
    statuses: Times
    why: str = ""

    def times(self) -> tuple[Times, Times, Times, Times]:
        """Return its figures."""
        return self[:4]


NONE, ONE, TWO = Times(0, 0), Times(1, 1), Times(2, 2)

NOTHING = Cost(NONE, NONE, NONE, NONE)
A_LOOK = Cost(ONE, NONE, NONE, NONE)
"""The hook is asked, and its answer changes nothing."""

PERIOD = "the resync period, every ten minutes"
RESTART = "a restart of Metacontroller"
_FEW = "short states may be seen or missed"
_RESTART = (
    "each of five kinds that come in may ask for the rules, too; "
    "under server-side apply also a patch of each child that changes nothing"
)

COSTS = {
    "its status, by somebody else": NOTHING._replace(why="`ignoreStatusChanges`"),
    "a label of it": A_LOOK,
    "an annotation of it": A_LOOK,
    "its spec, without a rollout": Cost(Times(2, 5), ONE, TWO, Times(2, 3), "Deployment and Service carry the mark"),
    "its spec, with a rollout of two Pods": Cost(Times(4, 16), ONE, TWO, Times(2, 6), _FEW),
    "the status of a Pod": A_LOOK,
    "a Pod restarts": Cost(Times(3, 8), NONE, NONE, TWO, "not available, and again; Pod and Deployment say so"),
    "the status of a ReplicaSet": NOTHING._replace(why="nobody asks for them"),
    "the status of its Deployment": A_LOOK,
    "a field of its Deployment that it leaves to others": Cost(
        Times(2, 3), NONE, NONE, Times(0, 2), "until the Deployment controller has seen it, Ready is False"
    ),
    "a field of its Deployment that it sets": Cost(
        Times(2, 9), NONE, ONE, Times(2, 6), "replicas here: they are put back, while a Pod more comes and goes"
    ),
    "an unrelated ConfigMap": NOTHING._replace(why="its name is in no rule"),
    "metadata of a ConfigMap that it uses": A_LOOK,
    "a key that it does not use": A_LOOK,
    "a key that it uses": Cost(Times(4, 16), NONE, ONE, Times(2, 6), "a rollout of two Pods"),
    "a key of a Secret that it does not use": A_LOOK._replace(why="where the operator watches Secrets; else nothing"),
    "a key of a Secret that it uses": Cost(Times(4, 16), NONE, ONE, Times(2, 6), "the same; a rollout of two Pods"),
    "the status of a dependency": A_LOOK,
    "a dependency is lost": Cost(ONE, NONE, NONE, ONE, "DependenciesReady says so; what runs goes on"),
    "20 other MyResources are made": NOTHING,
    PERIOD: A_LOOK,
    RESTART: Cost(Times(1, 5), Times(1, 6), NONE, NONE, _RESTART),
}
"""By event, of a MyResource with two Pods that is Ready and uses Pods, a ConfigMap, a Secret and a dependency."""

PROOF = "\n<!-- tests: docs.watching.every_event_of_the_table_is_measured_on_the_real_control_plane -->\n"


def page() -> str:
    """Return the page, with the table at its end."""
    head = "\n| event | sync | customize | writes to children | status writes | why |\n|---|---|---|---|---|---|\n"
    rows = "".join(f"| {event} | {' | '.join(map(str, cost))} |\n" for event, cost in COSTS.items())
    return PAGE.read_text().partition(BEGIN)[0] + BEGIN + head + rows + PROOF
