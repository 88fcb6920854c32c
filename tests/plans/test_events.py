"""Two events at once, with some optional fields: Ready is what the Pods show. test_walk.py draws more of them."""

from collections.abc import Callable
from typing import NamedTuple

import pytest

from metahook import Controller
from metahook.simulator.metacontroller.settings import MODES, Mode
from tests.plans import broken
from tests.plans.events import EVENTS
from tests.plans.scene import Scene
from toolkit.slow import short_or_whole

pytestmark = pytest.mark.no_cover

STOPPED = "stopped"
"""The Deployment controller is stopped meanwhile; the name of a kind: its cache stands still."""

MEANWHILE = 4.0
"""Seconds from the last event to the end of the disturbance."""


class Case(NamedTuple):
    """Two events, and the features and the disturbance with which they happen."""

    features: tuple[str, ...]
    events: tuple[str, ...]
    disturbance: tuple[str, ...] = ()
    gap: float = 1.0


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

PLAYED = [(name, mode) for number, name in enumerate(CASES) for mode in short_or_whole([MODES[number % 2]], MODES)]
"""Each case in each mode; in short, in one of them by turns."""


def play(case: Case, mode: Mode, hook: Controller | None = None) -> list[str]:
    """Let it happen; return what is wrong, meanwhile and in the end."""
    scene = Scene(mode, case.features, hook)
    cache = scene.world.metacontroller.cache
    if STOPPED in case.disturbance:
        scene.world.deployments.stop()
    cache.delays = lambda write: [] if write.key.kind in case.disturbance else [cache.late]
    for event in case.events:
        EVENTS[event](scene)
        scene.world.run(case.gap)
    scene.world.run(MEANWHILE)
    scene.world.deployments.start()
    cache.delays = lambda _: [cache.late]
    for kind in case.disturbance:
        cache.rewatch(kind)
    scene.world.until_quiet(100)
    return scene.problems_at_the_end()


@pytest.mark.parametrize(("name", "mode"), PLAYED, ids=str)
def test_ready_is_what_the_pods_show(name: str, mode: Mode) -> None:
    assert play(CASES[name], mode) == []


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
