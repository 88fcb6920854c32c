"""What the operator itself writes to the Deployment is no news: Ready becomes True once, and no rollout begins."""

from collections.abc import Callable
from datetime import timedelta
from itertools import groupby, product

import pytest

from app.core import sync as steps
from app.core.facts import TemplateRecords
from metahook.simulator.history import Write
from metahook.simulator.hook import Hook, in_process
from metahook.simulator.metacontroller.settings import MODES, Mode
from metahook.simulator.objects import Json
from tests.plans.events import EVENTS
from tests.plans.scene import Scene
from tests.plans.workloads import WATCHING
from tests.simulated.worlds import DEPLOYMENT, WEB
from toolkit.slow import short_or_whole

pytestmark = pytest.mark.no_cover

BOTH = ("autoscaling", "rollback")


def remove_a_label(scene: Scene) -> None:
    """Remove a label of ours, which an annotation makes Metacontroller send again."""
    scene.world.edit(DEPLOYMENT, lambda item: item["metadata"]["labels"].pop("myresource"))


def annotate(scene: Scene) -> None:
    """Change the annotation that is propagated, which is no new generation of the MyResource."""
    text = str(scene.world.clock.now)
    scene.world.edit(WEB, lambda item: item["metadata"].setdefault("annotations", {}).update(team=text))


def change_by_hand(scene: Scene) -> None:
    """Change a field of ours, which is reverted."""
    scene.world.edit(DEPLOYMENT, lambda item: item["spec"]["strategy"]["rollingUpdate"].update(maxSurge=3))


ROLLOUT, NOTHING = ["False", "True"], list[str]()
"""The statuses of Ready after something happens to a MyResource that is Ready."""

CASES: dict[str, tuple[tuple[str, ...], Callable[[Scene], None], list[str]]] = {
    "autoscaled: another image": (("autoscaling",), EVENTS["image"], ROLLOUT),
    "rolled back: another image": (("rollback",), EVENTS["image"], ROLLOUT),
    "both: another image": (BOTH, EVENTS["image"], ROLLOUT),
    "both: another configuration": ((*BOTH, "configuration"), EVENTS["configuration"], ROLLOUT),
    "both: restarted by hand": (BOTH, EVENTS["restarted"], ROLLOUT),
    "autoscaled: another number of Pods": (("autoscaling",), EVENTS["number"], NOTHING),
    "plain: a label removed": ((), remove_a_label, ROLLOUT),
    "rolled back: a label removed": (("rollback",), remove_a_label, ROLLOUT),
    "both: a label removed": (BOTH, remove_a_label, NOTHING),
    "plain: a field reverted": ((), change_by_hand, ROLLOUT),
    "both: a field reverted": (BOTH, change_by_hand, ROLLOUT),
    "plain: an annotation propagated": ((), annotate, ROLLOUT),
    "both: an annotation propagated": (BOTH, annotate, NOTHING),
}
"""The features, what happens, and what Ready says from then on."""

LATE: list[tuple[str, ...]] = [(), ("MyResource",), ("Deployment",), ("Deployment", "HorizontalPodAutoscaler")]
"""The kinds whose caches are late."""

EVERY = list(product(CASES, MODES, LATE))
PLAYED = short_or_whole(EVERY[:: len(LATE) + 1], EVERY)
"""Each case in each mode with each of these caches late; in short, some of them by turns."""


def clock_ahead(scene: Scene, seconds: float) -> Hook:
    """Return the hook with a clock that is so many *seconds* ahead."""
    return in_process(WATCHING, lambda: scene.world.clock.time() + timedelta(seconds=seconds))


def statuses(name: str, mode: Mode, late: tuple[str, ...] = (), *, ahead: float = 0) -> dict[str, list[str]]:
    """Return the statuses of Ready and Progressing after it happened, without repetition."""
    features, happen, _ = CASES[name]
    scene = Scene(mode, features)
    if happen is annotate:
        scene.apply(propagate={"annotations": ["team"]})
        scene.world.until_quiet(100)
    if ahead:
        scene.run.served = scene.run.managed_fields.before(clock_ahead(scene, ahead))
    scene.world.metacontroller.cache.delays = lambda write: [0.3 if write.key.kind in late else 0.005]
    start = len(scene.world.history.entries)
    happen(scene)
    scene.world.until_quiet(300)
    assert scene.run.judge.violations == scene.run.times.violations == []
    writes = (entry for entry in scene.world.history.entries[start:] if isinstance(entry, Write))
    written = [write.after["status"] for write in writes if write.changed and write.key == WEB and write.after]
    return {kind: _changes(written, kind) for kind in ("Ready", "Progressing")}


def _changes(written: list[Json], kind: str) -> list[str]:
    """Return the values of a condition after the first one, which was True, without repetition."""
    values = (each["status"] for status in written for each in status["conditions"] if each["type"] == kind)
    found = [value for value, _ in groupby(values)]
    return found[1:] if found[:1] == ["True"] else found


@pytest.mark.parametrize(("name", "mode", "late"), PLAYED, ids=str)
def test_ready_becomes_true_once_and_progressing_follows_changes_of_others(
    name: str, mode: Mode, late: tuple[str, ...]
) -> None:
    found = statuses(name, mode, late)

    assert found["Ready"] == CASES[name][-1], name
    assert found["Progressing"] in (NOTHING, ["Unknown", "True"])


@pytest.mark.parametrize("ahead", [600.0, 4000.0])
@pytest.mark.parametrize("name", [name for name in CASES if "image" in name])
def test_it_does_so_while_the_clock_of_the_hook_is_ahead(name: str, ahead: float) -> None:
    assert statuses(name, MODES[1], ahead=ahead)["Ready"] == ROLLOUT


@pytest.mark.parametrize(
    ("where", "what", "mistake"),
    [
        (steps, "await_records", lambda _, decision, __: decision),
        (TemplateRecords, "_rolled_out", lambda *_, **__: None),
    ],
    ids=["Ready does not wait", "nothing is recorded"],
)
def test_a_write_that_is_news_is_noticed(
    where: object, what: str, mistake: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(where, what, mistake)
    every = ("autoscaled: another image", "rolled back: another image", "both: a label removed")

    assert any(statuses(name, MODES[0], LATE[1])["Ready"] != CASES[name][-1] for name in every)
