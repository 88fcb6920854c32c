"""The scenarios and the moments whose requests are recorded in tests/data/traffic.

Only moments that are the same in each run: the start of a step after a quiet phase, and the end when nothing changes.
Which state of a rollout a sync observes depends on timing, so in one scenario the test makes the Pods available.
A step that can change a condition for a moment is the last of its scenario, because a status may or may not record it.
"""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from metahook.simulator.objects import Json
from tests.api.refused import HOOK_ONLY
from tests.e2e.kubelet import status
from tests.e2e.namespace import PORT, Namespace
from tests.simulated.worlds import deployment, foreign, service

Moment = Literal["customize", "first", "rest"]
"""The customize call; the first sync of a step; a sync when nothing changes any more."""


class Step(NamedTuple):
    """The action of the user, the final state and reason, and the recorded moments."""

    name: str
    act: Callable[[Namespace], None]
    ends: tuple[str, str]
    keeps: tuple[Moment, ...] = ()


READY = ("Ready", "Available")
VARIABLE: Json = {"env": [{"name": "GREETING", "value": "hello"}]}


def _pods_get_available(here: Namespace) -> None:
    for pod in here.client.all("Pod", here.name):
        here.client.change("Pod", here.name, pod["metadata"]["name"], {"status": status(pod, None)}, part="/status")


def _edit(kind: str, change: Json, name: str = "") -> Callable[[Namespace], None]:
    return lambda here: here.edit(kind, change, name)


def _change(**spec: Any) -> Callable[[Namespace], None]:
    return lambda here: here.change(**spec)


def _make(**spec: Any) -> Callable[[Namespace], None]:
    return lambda here: here.make(**spec)


def _make_beside(item: Json, **spec: Any) -> Callable[[Namespace], None]:
    """Create a MyResource while *item* of another owner exists."""

    def act(here: Namespace) -> None:
        here.put(item)
        here.make(**spec)

    return act


SCENARIOS: dict[str, list[Step]] = {
    "rollout": [
        Step(
            "made",
            _make(image="nginx:slow", **VARIABLE),
            ("Building", "RollingOut"),
            ("customize", "first", "rest"),
        ),
        Step("pods-available", _pods_get_available, READY, ("first", "rest")),
        Step("image-changed", _change(image="nginx:1.28"), READY, ("first", "rest")),
        Step("variable-removed", _change(env=None), READY, ("first",)),
        Step("ports-added", _change(**PORT), READY, ("customize", "first", "rest")),
        Step("ports-removed", _change(ports=None), READY, ("first",)),
    ],
    "scaled": [
        Step("to-zero", _make(replicas=0), ("Ready", "ScaledToZero"), ("rest",)),
        Step("to-three", _change(replicas=3), READY, ("first",)),
    ],
    "label": [
        Step("made", _make(), READY),
        Step("removed", _edit("Deployment", {"metadata": {"labels": {"myresource": None}}}), READY, ("first",)),
    ],
    "service": [
        Step("made", _make(**PORT), READY),
        Step("changed", _edit("Service", {"spec": {"selector": {"myresource": "x"}}}), READY, ("first",)),
    ],
    "deployment": [
        Step("made", _make(**PORT), READY),
        Step("deleted", lambda here: here.delete("Deployment"), READY, ("first",)),
    ],
    "invalid": [
        Step("made", _make(**PORT, **VARIABLE), READY),
        Step(
            "spec-invalid",
            _change(**HOOK_ONLY["two projected sources with the same path"][0], image="nginx:1.28"),
            ("Failed", "InvalidSpec"),
            ("first", "rest"),
        ),
        Step("spec-mended", _change(volumes=None), READY, ("first",)),
    ],
    "deleted": [
        Step("made", _make(**PORT), READY),
        Step("held", _edit("MyResource", {"metadata": {"finalizers": ["example.com/hold"]}}, "web"), READY),
        Step("deleted", lambda here: here.delete("MyResource"), ("Terminating", "Terminating"), ("first", "rest")),
    ],
    "name-conflict": [
        Step(
            "made",
            _make_beside(foreign(service(app="other")), **PORT),
            ("Failed", "NameConflict"),
            ("first", "rest"),
        ),
        Step("foreign-service-deleted", lambda here: here.delete("Service"), READY, ("first",)),
    ],
    "failing": [
        Step("made", _make(progressDeadlineSeconds=3), READY),
        Step("image-bad", _change(image="nginx:bad"), ("Failed", "ProgressDeadlineExceeded"), ("first", "rest")),
        Step("image-mended", _change(image="nginx:1.28"), READY, ("first",)),
    ],
    "name-taken": [
        Step("made", _make_beside(foreign(deployment())), ("Building", "Building"), ("first",)),
        Step("a-minute-later", lambda _: None, ("Failed", "NotApplied"), ("rest",)),
    ],
}
