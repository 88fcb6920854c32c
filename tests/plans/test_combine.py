"""What happens where two features meet, as docs/apps/combine.md says it."""

import re
from collections.abc import Callable
from itertools import groupby

import pytest

from metahook.simulator.history import Write
from metahook.simulator.hook import Reply
from metahook.simulator.metacontroller.settings import MODES, Mode
from metahook.simulator.objects import Json, Key
from tests.docs.documents import ROOT
from tests.plans.events import BAD_IMAGE, EVENTS
from tests.plans.scene import Scene
from tests.plans.workloads import INVALID
from tests.simulated.worlds import DEPLOYMENT, WEB
from toolkit.slow import short_or_whole

PAGE = "docs/apps/combine.md"
AUTOSCALER = Key("HorizontalPodAutoscaler", "default", "web")

Step = Callable[[Scene], object]


def wait(seconds: float) -> Step:
    return lambda scene: scene.world.run(seconds)


def scale(replicas: int, *, by_autoscaler: bool = True) -> Step:
    return lambda scene: scene.scale(replicas, by_autoscaler=by_autoscaler)


def use(image: str) -> Step:
    return lambda scene: scene.apply(image=image)


def edit_autoscaler(scene: Scene) -> None:
    scene.world.edit(AUTOSCALER, lambda item: item["spec"].update(maxReplicas=9))


def annotate(scene: Scene) -> None:
    scene.world.edit(DEPLOYMENT, lambda item: item["metadata"]["annotations"].update(note=str(scene.world.clock.now)))


SUSPEND, RELOAD, LOSE = EVENTS["suspended"], EVENTS["configuration"], EVENTS["loss"]
FAIL = [use(BAD_IMAGE), wait(3)]


def toggle_validity(scene: Scene) -> None:
    scene.toggle(**INVALID)


def fail_calls(scene: Scene) -> None:
    """Let the hook fail past the deadline, and a while after another write."""
    served, scene.run.served = scene.run.served, lambda *_: Reply(503, b"")
    scene.world.run(60)
    annotate(scene)
    scene.world.run(5)
    scene.run.served = served


def past_the_deadline(toggle: Step) -> list[Step]:
    return [*FAIL, toggle, wait(60), toggle, wait(30)]


NEW_IMAGE = "the image changes while the HPA scales"
AUTO, SLEEP, BACK = ("autoscaling",), ("autoscaling", "schedule"), ("rollback",)
ROWS: dict[str, tuple[tuple[str, ...], list[Step], int]] = {
    "the HPA changes the number of Pods": (AUTO, [scale(5), wait(5), scale(2), wait(5)], 2),
    "a ConfigMap changes": ((*AUTO, "configuration"), [scale(3), wait(5), RELOAD, scale(5), wait(30)], 5),
    NEW_IMAGE: (AUTO, [use("nginx:1.28"), scale(5), wait(30)], 5),
    "Pods fail that were ready": (AUTO, [scale(5), wait(5), LOSE, wait(5)], 5),
    "a schedule begins to sleep": (SLEEP, [scale(4), wait(30)], 0),
    "it sleeps, and wakes up": (SLEEP, [wait(30), wait(600)], 1),
    "an image fails, with rollback": ((*AUTO, *BACK), [scale(4), wait(5), *FAIL, wait(60)], 4),
    "it is suspended and resumed": (AUTO, [SUSPEND, wait(2), scale(5), wait(5), SUSPEND, wait(10)], 5),
    "others edit the HPA again and again": (AUTO, [edit_autoscaler, wait(2)] * 4, 1),
    "others scale the Deployment within the bounds": (
        AUTO,
        [scale(5, by_autoscaler=False), wait(5), scale(3, by_autoscaler=False), wait(5)],
        3,
    ),
    "the MyResource is suspended past the deadline": (BACK, past_the_deadline(SUSPEND), 3),
    "the spec is invalid past the deadline": (BACK, past_the_deadline(toggle_validity), 3),
    "the operator is down past the deadline": (BACK, [*FAIL, fail_calls, wait(60)], 3),
    "others write annotations of the Deployment": (BACK, [*FAIL, wait(15), annotate, wait(3), annotate, wait(30)], 3),
}
"""The features, what happens, and the number of Pods at the end, by the first column of the page."""

PLAYED = [(name, mode) for number, name in enumerate(ROWS) for mode in short_or_whole([MODES[number % 2]], MODES)]
"""Each row in each mode; in short, in one of them by turns."""


def rows_of_page() -> dict[str, list[str]]:
    """Return the reasons of Ready in the page, by the first column of their row."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", (ROOT / PAGE).read_text())
    cells = [line.strip("|").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    tables = [[cell.strip() for cell in row] for row in cells if "`" not in row[0] and row[2].strip() != "Ready"]
    return {row[0]: row[2].split(", ") for row in tables if row[0] != "annotation"}


def reasons(scene: Scene, start: int) -> list[str]:
    """Return the reasons of Ready in the statuses since *start*, without repetition."""
    writes = (entry for entry in scene.world.history.entries[start:] if isinstance(entry, Write))
    statuses = [write.after["status"] for write in writes if write.changed and write.key == WEB and write.after]
    found = [_ready(status)["reason"] for status in statuses if status.get("conditions")]
    return [reason for reason, _ in groupby(found)]


def _ready(status: Json) -> Json:
    (only,) = [each for each in status["conditions"] if each["type"] == "Ready"]
    return dict(only)


def test_the_page_has_a_row_for_each_case() -> None:
    assert rows_of_page().keys() == ROWS.keys()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "mode"), PLAYED, ids=str)
def test_what_happens_is_what_the_page_says(name: str, mode: Mode) -> None:
    features, steps, replicas = ROWS[name]
    scene = Scene(mode, features)
    before = _ready(scene.world.get(WEB)["status"])["reason"]
    start = len(scene.world.history.entries)

    for step in steps:
        step(scene)

    (main,) = scene.world.get(DEPLOYMENT)["spec"]["template"]["spec"]["containers"]
    said, expected = reasons(scene, start), rows_of_page()[name]
    changed = said[1:] if said[:1] == [before] else said
    assert (changed or [before]) == expected
    assert (_ready(scene.world.get(WEB)["status"])["reason"], scene.replicas) == (expected[-1], replicas)
    assert main["image"] == ("nginx:1.28" if name == NEW_IMAGE else "nginx:1.27")
    assert scene.run.judge.violations == []
