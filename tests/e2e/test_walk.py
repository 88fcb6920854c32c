"""Random walks on a real control plane: after any events and any faults, Ready is what the Pods show."""

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from metahook.envtest.client import Refused
from metahook.simulator.controllers.pod_status import is_ready, ready_condition
from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Json, Key, is_deleting
from tests.e2e.lagging import LaggingCluster, lagging_cluster
from tests.e2e.namespace import Namespace
from tests.e2e.record import Record, Version
from tests.e2e.truth import RACE
from tests.e2e.watched import backup
from tests.plans.availability import KINDS
from tests.plans.events import EVENTS, FEATURES, Stage
from tests.plans.judge import Judge
from toolkit.slow import short_or_whole

STEPS = short_or_whole(6, 10)
"""Steps of a walk, which has a namespace of its own."""

WALKS = short_or_whole(1, 50)

PAUSES = (0.0, 0.3, 3.0)
"""Seconds after an event."""

NAMES = {"Deployment": "web-deployment", "MyBackup": "nightly", "ConfigMap": "settings"}

FIXED = [feature for feature in FEATURES if feature not in ("schedule", "autoscaling", "Pods")]
"""The features of which a walk has two. A schedule would have it wait; Pods are watched in all walks."""

TIMES_SCALED = 2
"""A third time within ten minutes would be a fight, which is Overridden: see test_drift.py."""


class RealStage(Stage):
    """A namespace of a real API server."""

    invalid: Json = {"args": ["x" * 8000] * 30}  # noqa: RUF012 - nobody changes it

    def __init__(self, here: Namespace) -> None:
        super().__init__()
        self.here = here
        self._left = TIMES_SCALED

    def put(self, item: Json) -> None:
        """Create or replace an object."""
        self.here.client.apply({**item, "metadata": {**item["metadata"], "namespace": self.here.name}})

    def find(self, kind: str) -> Json | None:
        """Return the Deployment, the MyBackup or the ConfigMap, or None."""
        return self.here.find(kind, NAMES[kind])

    def delete(self, kind: str) -> None:
        """Delete it."""
        self.here.delete(kind, NAMES[kind])

    def edit(self, kind: str, change: Json) -> None:
        """Change it by a merge patch."""
        self.here.edit(kind, change, NAMES[kind])

    def scale(self, replicas: int, *, by_autoscaler: bool) -> None:
        """Set the number of Pods in the Deployment, by the autoscaler or by hand."""
        self._left -= not by_autoscaler
        if self._left >= 0:
            manager = "kube-controller-manager" if by_autoscaler else "kubectl"
            change = {"spec": {"replicas": replicas}}
            self.here.client.change(
                "Deployment", self.here.name, NAMES["Deployment"], change, part="/scale", manager=manager
            )

    def lose_pods(self) -> None:
        """Let all Pods but one fail their readiness probe, or the only one."""
        pods = [pod for pod in self.here.client.all("Pod", self.here.name) if is_ready(pod) and not is_deleting(pod)]
        for pod in pods[1:] or pods:
            self._set_ready(pod, "False")

    def recover_pods(self) -> None:
        """Let all Pods that run succeed in their readiness probe."""
        for pod in self.here.client.all("Pod", self.here.name):
            if ready_condition(pod).get("status") == "False" and pod["status"]["phase"] == "Running":
                with suppress(Refused):  # it is gone
                    self._set_ready(pod, "True")

    def wait_for_the_edge(self) -> None:
        """Do nothing: no walk has a schedule."""

    def backup(self) -> Json:
        """Return the MyBackup that the dependency names."""
        return backup("nightly", self.here.name)

    def _set_ready(self, pod: Json, status: str) -> None:
        since = datetime.fromtimestamp(time.time(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        ready = {"type": "Ready", "status": status, "lastTransitionTime": since}
        others = [each for each in pod["status"]["conditions"] if each["type"] != "Ready"]
        change = {"status": {"conditions": [*others, ready]}}
        self.here.client.change("Pod", self.here.name, pod["metadata"]["name"], change, part="/status")


def _restore(scene: LaggingCluster) -> None:
    """End the faults that last."""
    scene.api.catch_up()
    controllers = scene.cluster.control_plane.controllers
    controllers.stop(signal.SIGKILL)
    controllers.start()


def _stop_controllers(scene: LaggingCluster) -> None:
    scene.cluster.control_plane.controllers.stop(signal.SIGKILL)


def _stop_and_hold(scene: LaggingCluster) -> None:
    scene.api.hold()
    _stop_controllers(scene)


FAULTS: dict[str, Callable[[LaggingCluster], object]] = {
    "Metacontroller killed": lambda scene: scene.metacontroller.restart(signal.SIGKILL),
    "hook restarted": lambda scene: scene.cluster.hook.restart(),
    "controllers stopped": _stop_controllers,
    "MyResources behind": lambda scene: scene.api.hold(),
    "stopped and behind": _stop_and_hold,
}
"""What fails; the last three until it is restored."""


@pytest.fixture(scope="module")
def scene(mode: Mode, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LaggingCluster]:
    """Return a new cluster, as the faults would disturb others."""
    with lagging_cluster(mode, tmp_path_factory.mktemp("walk")) as made:
        yield made


def judged(record: Record, namespace: str, exchanges: list[Json]) -> Judge:
    """Return the judge of all that happened in *namespace*, which has one MyResource, with these *exchanges*."""
    judge = Judge(timedelta(seconds=RACE))
    for key, before, after in _changes(record, namespace):
        now, is_gone = datetime.fromtimestamp(after.at, UTC), after.deleted
        if key.kind == "MyResource" and not is_gone and (sync := _cause(exchanges, after)):
            judge.synced(key, sync["request"], sync["response"], now)
        judge.stored(key, before, None if is_gone else after.item, now)
    return judge


def _changes(record: Record, namespace: str) -> list[tuple[Key, Json | None, Version]]:
    """Return each change in its order: the object, as it was, and as it is."""
    found: list[tuple[Key, Json | None, Version]] = []
    for kind in ("MyResource", *KINDS):
        for key, versions in record.everything(kind, namespace).items():
            before = [None, *(None if version.deleted else version.item for version in versions)]
            found += [(key, old, new) for old, new in zip(before, versions, strict=False)]
    return sorted(found, key=lambda change: change[2].number)


def _cause(exchanges: list[Json], parent: Version) -> Json | None:
    """Return the last sync whose response is the status of *parent*, or None."""
    status = {name: value for name, value in parent.item.get("status", {}).items() if name != "observedGeneration"}
    end = datetime.fromtimestamp(parent.at, UTC)
    causes = [
        each
        for each in exchanges
        if each["path"].startswith("/sync")
        and datetime.fromisoformat(each["time"]) <= end
        and each["response"].get("status") == status
    ]
    return causes[-1] if causes else None


class Walk:
    """Steps in a namespace of its own; ``taken`` has them as text."""

    def __init__(self, scene: LaggingCluster, name: str) -> None:
        self._scene = scene
        self._here = Namespace(scene.cluster, name)
        self._stage = RealStage(self._here)
        self.taken: list[str] = []

    def begin(self, features: tuple[str, ...]) -> None:
        """Create a MyResource with these *features*, and wait until it is Ready."""
        self.taken.append("+".join(features))
        self._stage.change_configuration()
        self._stage.put(self._stage.backup())
        self._stage.choose(features)
        self._here.wait_until_ready()

    def step(self, fault: str, *events: tuple[str, float]) -> None:
        """Let *events* happen that can, each with a pause after it, during a *fault* if it has a name."""
        self.taken.append(f"{fault}: {events}")
        if fault:
            FAULTS[fault](self._scene)
        for event, pause in events:
            if self._stage.can(event):
                with suppress(Refused):  # another client was faster
                    EVENTS[event](self._stage)
                time.sleep(pause)
        if fault:
            _restore(self._scene)

    def end(self) -> list[str]:
        """Make all sound and valid, and wait until nothing is written; return what is wrong, meanwhile and then."""
        self._stage.make_valid()
        self._stage.recover_pods()
        try:
            self._here.wait_until_ready(within=120)
            self._here.wait_for_autoscaler()
            late = self._here.touched().writes
        except AssertionError as error:
            late = [str(error)]
        judge = judged(self._scene.cluster.record, self._here.name, self._here.exchanges())
        self._here.close()
        return [*judge.violations, *late]


AUTOSCALED = pytest.param(("autoscaling",), id="autoscaled")


@pytest.mark.parametrize("more", [pytest.param((), id="fixed"), AUTOSCALED])
def test_ready_is_what_the_pods_show_on_a_walk(
    scene: LaggingCluster, mode: Mode, more: tuple[str, ...], random_seed: int
) -> None:
    """With ``--all`` the walks are many, and new ones each time."""
    wrong: dict[str, list[str]] = {}
    for number in range(WALKS):
        walk = Walk(scene, f"walk-{len(more)}-{number}")
        chance = Random(f"{random_seed}-{mode}-{number}")  # noqa: S311 - nothing secret
        walk.begin((*more, *chance.sample(FIXED, 2)))
        for _ in range(STEPS):
            events = [(event, chance.choice(PAUSES)) for event in chance.choices([*EVENTS], k=3)]
            walk.step(chance.choice([*FAULTS, "", "", ""]), *events)
        if found := walk.end():
            wrong["\n".join(walk.taken)] = found

    assert not wrong, "\n".join(f"{steps}\n  {'; '.join(lines)}" for steps, lines in wrong.items())
