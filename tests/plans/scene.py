"""A scene: a MyResource with some optional fields in the simulator, to which events happen."""

from app.core.controller import controller
from metahook import Controller
from metahook.simulator.apiserver.server_side_apply import SCALER
from metahook.simulator.controllers.kubelet import NAME as KUBELET
from metahook.simulator.controllers.pod_status import is_ready, running
from metahook.simulator.history import YOU
from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Json, Key, is_deleting
from tests.plans.events import EDGES, Stage
from tests.plans.workload_run import WorkloadRun
from tests.plans.workloads import INVALID, NIGHTLY, SETTINGS, WATCHING, Workload
from tests.requests.watched_objects import WATCH, backup, config_map
from tests.simulated.worlds import DEPLOYMENT, ready
from toolkit.merge_patch import merge

WITH_PODS = controller(WATCH)

BEFORE_THE_EDGE = 3598.0
AFTER_THE_EDGES = 4300.0
"""Seconds since the world began."""

AUTOSCALER = Key("HorizontalPodAutoscaler", "default", "web")
KEYS = {key.kind: key for key in (DEPLOYMENT, NIGHTLY, SETTINGS)}


class Scene(Stage):
    """A world of its own for a MyResource with some *features*, which is Ready before anything happens to it."""

    invalid = INVALID

    def __init__(self, mode: Mode, features: tuple[str, ...], hook: Controller | None = None) -> None:
        super().__init__()
        self.run = WorkloadRun(mode, hook or (WITH_PODS if "Pods" in features else WATCHING))
        self.world = self.run.world
        self.put(config_map("settings", a=self._another()))
        self.put(self.backup())
        self.choose(features)
        self.world.until_quiet(100)
        if "schedule" in features:
            self.world.run(BEFORE_THE_EDGE - self.world.clock.now)

    def put(self, item: Json) -> None:
        """Create or replace an object."""
        self.world.apply(item)

    def find(self, kind: str) -> Json | None:
        """Return the Deployment, the MyBackup or the ConfigMap, or None."""
        return self.world.api.get(KEYS[kind])

    def delete(self, kind: str) -> None:
        """Delete it."""
        self.world.delete(KEYS[kind])

    def edit(self, kind: str, change: Json) -> None:
        """Change it by a merge patch."""
        self.world.edit(KEYS[kind], lambda item: merge(item, change))

    def scale(self, replicas: int, *, by_autoscaler: bool) -> None:
        """Set the number of Pods in the Deployment, by the autoscaler or by hand."""
        actor = SCALER if by_autoscaler else YOU
        self.world.api.patch(DEPLOYMENT, lambda live: {**live, "spec": {**live["spec"], "replicas": replicas}}, actor)
        if by_autoscaler and (autoscaler := self.world.api.get(AUTOSCALER)):
            status = {"desiredReplicas": replicas, "lastScaleTime": self.world.clock.stamp()}
            self.world.api.update_status({**autoscaler, "status": status}, SCALER)

    def lose_pods(self) -> None:
        """Let all Pods but one fail their readiness probe, or the only one."""
        api = self.world.api
        pods = [pod for pod in api.all("Pod") if is_ready(pod) and not is_deleting(pod)]
        for pod in pods[1:] or pods:
            api.update_status({**pod, "status": running(pod, self.world.clock)}, KUBELET)

    def wait_for_the_edge(self) -> None:
        """Let time pass until the schedule falls asleep or wakes up."""
        now = self.world.clock.time()
        edges = [now.replace(hour=int(edge[:2]), minute=int(edge[3:]), second=0, microsecond=0) for edge in EDGES]
        self.world.run(next(((edge - now).total_seconds() for edge in edges if edge > now), 0) + 0.001)

    def backup(self) -> Json:
        """Return the MyBackup that the dependency names."""
        return backup("nightly")

    def problems_at_the_end(self) -> list[str]:
        """Make the spec valid and the world sound, and let it come to rest; return all that is or was wrong."""
        self.world.kubelet.fail(None)
        self.make_valid()
        if "schedule" in self.features:
            self.world.run(max(0.0, AFTER_THE_EDGES - self.world.clock.now))
        found = self.run.execute(Workload((), ()))
        state = ready(self.world)
        not_ready = [] if state == ("True", "Available") else [f"at rest Ready is {state}"]
        return [*found.untrue, *found.wrong_deletes, *found.late_writes, *not_ready]

    def fresh(self, hook: Controller) -> "Scene":
        """Return a new MyResource with the same spec and the same configuration."""
        made = Scene(self.world.metacontroller.settings.mode, (), hook)
        made.put(config_map("settings", **self.world.get(SETTINGS)["data"]))
        made.fields, made._team = self.fields, self._team
        made.apply()
        made.world.until_quiet()
        return made


GAPS = (0.0, 0.02, 1.0, 5.0)
"""Seconds between two events: at once, before the caches have caught up, during a rollout, and after it."""
