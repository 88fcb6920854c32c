"""Whatever happens, in whatever order, with any optional fields: Ready is what the Pods show."""

from collections.abc import Callable
from random import Random

import pytest

from metahook import Controller
from metahook.simulator.metacontroller.settings import MODES, Mode
from tests.plans import broken
from tests.plans.scene import STOPPED, Case, play, some_cases
from tests.simulated.worlds import both_modes
from toolkit.slow import short_or_whole

pytestmark = pytest.mark.no_cover

CASES = {
    "configuration changed twice while the Deployment controller is stopped": Case(
        ("configuration", "autoscaling"), ("configuration", "configuration"), (STOPPED, "MyResource")
    ),
    "scaled, then configuration changed, with an old status": Case(
        ("configuration", "autoscaling"), ("number", "configuration"), ("MyResource",), 5.0
    ),
    "scaled, then restarted by hand": Case(("autoscaling",), ("number", "restarted"), (), 5.0),
    "scaled, then Pods lost": Case(("autoscaling",), ("number", "loss"), (), 5.0),
}
CASES |= {
    f"not autoscaled: {name}": case._replace(features=("configuration",), gap=5.0) for name, case in CASES.items()
}
CASES["scaled, then Pods lost, which are watched"] = Case(("autoscaling", "Pods"), ("number", "loss"), (), 5.0)
"""Cases that were wrong once, and the same ones without autoscaling."""


@both_modes
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_ready_is_what_the_pods_show(case: Case, mode: Mode) -> None:
    assert play(case, mode) == []


@pytest.mark.slow
@both_modes
@pytest.mark.parametrize("autoscaled", [pytest.param(True, id="autoscaled"), pytest.param(False, id="fixed")])
def test_ready_is_what_the_pods_show_whatever_happens(mode: Mode, autoscaled: bool, random_seed: int) -> None:  # noqa: FBT001 - a parameter
    """To repeat a case alone, add it to CASES as it is printed."""
    chance = Random(random_seed)  # noqa: S311 - nothing secret
    chosen = some_cases(chance, short_or_whole(10, 500), autoscaled=autoscaled)

    wrong = {case: lines for case in chosen if (lines := play(case, mode))}

    assert not wrong, "\n".join(f"{case}\n  {'; '.join(lines)}" for case, lines in wrong.items())


CONTROLS: list[tuple[Callable[[], Controller], tuple[str, ...], str]] = [
    (broken.ready_once_and_for_all, ("image",), "Pods were available"),
    (broken.hides_a_loss, ("loss",), "the Deployment shows a loss of Pods"),
    (broken.forgets_a_loss, ("loss", "loss"), "Ready becomes True after a loss of Pods"),
    (broken.times_of_the_parent, ("image",), "lastTransitionTime of Ready goes back"),
    (broken.counts_its_calls, ("image",), "update status"),
]
"""A mistake, the events that show it, and what is said: one for each rule."""


@pytest.mark.parametrize(("make", "events", "said"), CONTROLS, ids=[make.__name__ for make, _, _ in CONTROLS])
def test_a_mistake_is_found(make: Callable[[], Controller], events: tuple[str, ...], said: str) -> None:
    case = Case(("budget",), events)

    assert play(case, MODES[0]) == []
    assert any(said in line for line in play(case, MODES[0], make()))
