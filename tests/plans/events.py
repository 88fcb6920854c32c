"""Events: what happens to a MyResource with some optional fields, two at a time, while a part lags or stands still."""

from collections.abc import Callable
from itertools import combinations
from random import Random
from typing import NamedTuple

from app.core.controller import controller
from metahook import Controller
from metahook.simulator.apiserver.server_side_apply import SCALER
from metahook.simulator.controllers.kubelet import NAME as KUBELET
from metahook.simulator.controllers.pod_status import is_ready, running
from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Json, is_deleting
from tests.plans.workload_run import Outcome, WorkloadRun
from tests.plans.workloads import INVALID, NIGHTLY, SETTINGS, USED, WAITING, WATCHING, Workload
from tests.requests.watched_objects import WATCH, backup, config_map
from tests.simulated.worlds import DEPLOYMENT, WEB, parent, ready

WITH_PODS = controller(WATCH)

EDGES = ("13:00", "13:10")
"""When it falls asleep, and when it wakes up; a world begins at 12:00 on a Saturday."""

BEFORE_THE_EDGE = 3598.0
AFTER_THE_EDGES = 4300.0
"""Seconds since the world began."""

FEATURES: dict[str, Json] = {
    "configuration": USED,
    "autoscaling": {"autoscaling": {"minReplicas": 1, "maxReplicas": 6, "targetMemoryUtilizationPercentage": 80}},
    "schedule": {"schedule": {"sleep": [{"days": ["Sat"], "from": EDGES[0], "to": EDGES[1]}]}},
    "rollback": {"rollback": {"mode": "LastReady"}, "progressDeadlineSeconds": 20},
    "dependencies": WAITING,
    "expose": {"ports": [{"containerPort": 80}], "expose": {"host": "web.example.com"}},
    "budget": {"podDisruptionBudget": "Auto"},
    "propagate": {"propagate": {"labels": ["team"]}},
    "Recreate": {"strategy": {"type": "Recreate"}},
    "minReadySeconds": {"minReadySeconds": 5},
    "sidecar": {"initContainers": [{"name": "proxy", "image": "proxy:1", "restartPolicy": "Always"}]},
    "Pods": {},
}
"""Parts of a spec, by the optional field; ``Pods`` is the setting that watches Pods."""


class Scene:
    """A MyResource with some *features* in a world of its own, Ready before anything happens to it."""

    def __init__(self, mode: Mode, features: tuple[str, ...], hook: Controller | None = None) -> None:
        self.features = features
        self.run = WorkloadRun(mode, hook or (WITH_PODS if "Pods" in features else WATCHING))
        self.world = self.run.world
        self.fields: Json = {} if "autoscaling" in features else {"replicas": 3}
        for feature in features:
            self.fields |= FEATURES[feature]
        self.team = "red"
        for item in (config_map("settings", a="0"), backup("nightly")):
            self.world.apply(item)
        self.apply()
        self.world.until_quiet(100)
        if "schedule" in features:
            self.world.run(BEFORE_THE_EDGE - self.world.clock.now)

    def apply(self, **fields: object) -> None:
        """Apply the spec, with other *fields*; None removes one."""
        self.fields = {name: value for name, value in {**self.fields, **fields}.items() if value is not None}
        made = parent(**self.fields)
        made["metadata"]["labels"] = {"team": self.team}
        self.world.apply(made)

    def toggle(self, **fields: object) -> None:
        """Apply the spec with other *fields*, or without them if it has them."""
        self.apply(**{name: None if self.fields.get(name) == value else value for name, value in fields.items()})

    def scale(self, replicas: int, actor: str) -> None:
        """Set the number of Pods in the Deployment."""
        if self.world.api.get(DEPLOYMENT):
            change: Callable[[Json], Json] = lambda live: {**live, "spec": {**live["spec"], "replicas": replicas}}  # noqa: E731 - it is short
            self.world.api.patch(DEPLOYMENT, change, actor)

    @property
    def replicas(self) -> int:
        """The number of Pods that the Deployment asks for; 0 without one."""
        found: Json = self.world.api.get(DEPLOYMENT) or {"spec": {"replicas": 0}}
        return int(found["spec"]["replicas"])

    def end(self) -> Outcome:
        """Make the spec valid and the world sound, and let it come to rest."""
        self.world.kubelet.fail(None)
        self.world.apply(backup("nightly"))
        image = self.fields.get("image")
        gone = dict.fromkeys(("suspend", *INVALID))
        self.apply(**gone, image=image if image != BAD_IMAGE else None)
        if "schedule" in self.features:
            self.world.run(max(0.0, AFTER_THE_EDGES - self.world.clock.now))
        return self.run.execute(Workload((), ()))


Event = Callable[[Scene], object]

BAD_IMAGE = "nginx:bad"


def _change_configuration(scene: Scene) -> None:
    scene.world.edit(SETTINGS, lambda item: item["data"].update(a=str(scene.world.clock.now)))


def _change_number(scene: Scene) -> None:
    """Let the autoscaler choose another number, or change the spec."""
    if "autoscaling" in scene.features:
        if scene.replicas:  # otherwise an autoscaler does nothing
            scene.scale(5 if scene.replicas < 5 else 2, SCALER)
    else:
        scene.apply(replicas=8 - scene.fields["replicas"])


def _lose_pods(scene: Scene) -> None:
    """Let all Pods but one fail their readiness probe, or the only one."""
    pods = [pod for pod in scene.world.api.all("Pod") if is_ready(pod) and not is_deleting(pod)]
    for pod in pods[1:] or pods:
        scene.world.api.update_status({**pod, "status": running(pod, scene.world.clock)}, KUBELET)


def _wait_for_the_edge(scene: Scene) -> None:
    now = scene.world.clock.time()
    edges = [now.replace(hour=int(edge[:2]), minute=int(edge[3:]), second=0, microsecond=0) for edge in EDGES]
    scene.world.run(next(((edge - now).total_seconds() for edge in edges if edge > now), 0) + 0.001)


def _restart_by_hand(scene: Scene) -> None:
    """Restart the Pods as ``kubectl rollout restart`` does."""
    if scene.world.api.get(DEPLOYMENT):
        stamp = {"kubectl.kubernetes.io/restartedAt": str(scene.world.clock.now)}
        scene.world.edit(
            DEPLOYMENT,
            lambda item: item["spec"]["template"]["metadata"].setdefault("annotations", {}).update(stamp),
        )


def _change_team(scene: Scene) -> None:
    scene.team = "blue" if scene.team == "red" else "red"
    scene.apply()


def _change_dependency(scene: Scene) -> None:
    if scene.world.api.get(NIGHTLY):
        scene.world.delete(NIGHTLY)
    else:
        scene.world.apply(backup("nightly"))


EVENTS: dict[str, Event] = {
    "configuration": _change_configuration,
    "schedule": _wait_for_the_edge,
    "dependencies": _change_dependency,
    "propagate": _change_team,
    "image": lambda scene: scene.toggle(image="nginx:1.28"),
    "bad image": lambda scene: scene.toggle(image=BAD_IMAGE),
    "number": _change_number,
    "loss": _lose_pods,
    "suspended": lambda scene: scene.toggle(suspend=True),
    "invalid": lambda scene: scene.toggle(**INVALID),
    "restarted": _restart_by_hand,
    "scaled by hand": lambda scene: scene.scale(1, "kubectl"),
}
"""The events, by name; one with the name of a feature needs it. Some undo what they did before."""

STOPPED = "stopped"
BEHIND = ("MyResource", "Deployment", "ConfigMap", "Pod", "HorizontalPodAutoscaler", "Service", "MyBackup")
DISTURBANCES = ((), (STOPPED,), *((kind,) for kind in BEHIND), *((STOPPED, kind) for kind in BEHIND))
"""The Deployment controller is stopped meanwhile, the cache of a kind stands still, or both."""

GAPS = (0.0, 0.02, 1.0, 5.0)
"""Seconds between the two events: at once, before the caches have caught up, during a rollout, and after it."""

MEANWHILE = 4.0
"""Seconds from the last event to the end of the disturbance."""


class Case(NamedTuple):
    """Two events, and the features and the disturbance with which they happen."""

    features: tuple[str, ...]
    events: tuple[str, ...]
    disturbance: tuple[str, ...] = ()
    gap: float = 1.0


ALONE_AND_IN_PAIRS = [*((feature,) for feature in FEATURES), *combinations(FEATURES, 2)]


def some_cases(chance: Random, count: int, *, autoscaled: bool) -> list[Case]:
    """Return so many cases: each feature alone and each pair, each order of two events, each disturbance and gap."""
    every = [features for features in ALONE_AND_IN_PAIRS if ("autoscaling" in features) == autoscaled]
    return [_some_case(chance, chance.choice(every)) for _ in range(count)]


def _some_case(chance: Random, features: tuple[str, ...]) -> Case:
    possible = [event for event in EVENTS if event not in FEATURES or event in features]
    events = chance.choice(possible), chance.choice(possible)
    return Case(features, events, chance.choice(DISTURBANCES), chance.choice(GAPS))


def play(case: Case, mode: Mode, hook: Controller | None = None) -> list[str]:
    """Let it happen; return what is wrong, meanwhile and in the end."""
    scene = Scene(mode, case.features, hook)
    _disturb(scene, case.disturbance)
    for event in case.events:
        EVENTS[event](scene)
        scene.world.run(case.gap)
    scene.world.run(MEANWHILE)
    _restore(scene, case.disturbance)
    scene.world.until_quiet(100)
    outcome = scene.end()
    state = ready(scene.world, WEB)
    at_rest = [] if state == ("True", "Available") else [f"in the end Ready is {state}"]
    return [*outcome.untrue, *outcome.wrong_deletes, *outcome.late_writes, *at_rest]


def _disturb(scene: Scene, disturbance: tuple[str, ...]) -> None:
    if STOPPED in disturbance:
        scene.world.deployments.stop()
    cache = scene.world.metacontroller.cache
    cache.delays = lambda write: [] if write.key.kind in disturbance else [cache.late]


def _restore(scene: Scene, disturbance: tuple[str, ...]) -> None:
    if STOPPED in disturbance:
        scene.world.deployments.start()
    cache = scene.world.metacontroller.cache
    cache.delays = lambda _: [cache.late]
    for kind in disturbance:
        cache.rewatch(kind)
