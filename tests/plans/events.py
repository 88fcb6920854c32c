"""Events: what can happen to a MyResource with some optional fields, in the simulator and on a real control plane."""

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from metahook.simulator.objects import Json
from tests.plans.workloads import ENV, USED, WAITING
from tests.requests.watched_objects import config_map
from tests.simulated.worlds import parent

EDGES = ("13:00", "13:10")
"""When a schedule falls asleep, and when it wakes up; a world begins at 12:00 on a Saturday."""

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
    "env": ENV,
    "Pods": {},
}
"""Parts of a spec, by the optional field; ``Pods`` is the setting that watches Pods."""

BAD_IMAGE = "nginx:bad"


class Stage(ABC):
    """A place with the MyResource ``web``, the ConfigMap and the MyBackup that it may name, and an autoscaler."""

    invalid: Json
    """Fields that are invalid although the API server stores them."""

    def __init__(self) -> None:
        self.features: tuple[str, ...] = ()
        self.fields: Json = {}
        self._team = "red"
        self._numbers = itertools.count()

    @abstractmethod
    def put(self, item: Json) -> None:
        """Create or replace an object."""

    @abstractmethod
    def find(self, kind: str) -> Json | None:
        """Return the Deployment, the MyBackup or the ConfigMap, or None."""

    @abstractmethod
    def delete(self, kind: str) -> None:
        """Delete it."""

    @abstractmethod
    def edit(self, kind: str, change: Json) -> None:
        """Change it by a merge patch."""

    @abstractmethod
    def scale(self, replicas: int, *, by_autoscaler: bool) -> None:
        """Set the number of Pods in the Deployment, by the autoscaler or by hand."""

    @abstractmethod
    def lose_pods(self) -> None:
        """Let all Pods but one fail their readiness probe, or the only one."""

    @abstractmethod
    def wait_for_the_edge(self) -> None:
        """Wait until the schedule falls asleep or wakes up."""

    @abstractmethod
    def backup(self) -> Json:
        """Return the MyBackup that the dependency names."""

    def choose(self, features: tuple[str, ...]) -> None:
        """Apply a spec with these *features*."""
        self.features = features
        self.fields = {} if "autoscaling" in features else {"replicas": 3}
        for feature in features:
            self.fields |= FEATURES[feature]
        self.apply()

    def can(self, event: str) -> bool:
        """Tell whether the *event* can happen with these features."""
        return event not in FEATURES or event in self.features

    def apply(self, **fields: Any) -> None:
        """Apply the spec, with other *fields*; None removes one."""
        self.fields = {name: value for name, value in {**self.fields, **fields}.items() if value is not None}
        made = parent(**self.fields)
        self.put({**made, "metadata": {**made["metadata"], "labels": {"team": self._team}}})

    def toggle(self, **fields: Any) -> None:
        """Apply the spec with other *fields*, or without them if it has them."""
        self.apply(**{name: None if self.fields.get(name) == value else value for name, value in fields.items()})

    def change_configuration(self) -> None:
        """Change the ConfigMap."""
        self.put(config_map("settings", a=self._another()))

    def change_number(self) -> None:
        """Let the autoscaler choose another number of Pods, or change the spec."""
        if "autoscaling" not in self.features:
            self.apply(replicas=8 - self.fields["replicas"])
        elif replicas := self.replicas:  # an autoscaler does not change 0
            self.scale(5 if replicas < 5 else 2, by_autoscaler=True)

    @property
    def replicas(self) -> int:
        """The number of Pods that the Deployment asks for; 0 without one."""
        deployment = self.find("Deployment")
        return int(deployment["spec"]["replicas"]) if deployment else 0

    def change_dependency(self) -> None:
        """Delete the MyBackup, or create it again."""
        if self.find("MyBackup"):
            self.delete("MyBackup")
        else:
            self.put(self.backup())

    def change_team(self) -> None:
        """Change the label that is propagated."""
        self._team = "blue" if self._team == "red" else "red"
        self.apply()

    def restart(self) -> None:
        """Restart the Pods as ``kubectl rollout restart`` does."""
        annotations = {"kubectl.kubernetes.io/restartedAt": self._another()}
        if self.find("Deployment"):
            self.edit("Deployment", {"spec": {"template": {"metadata": {"annotations": annotations}}}})

    def scale_by_hand(self, replicas: int) -> None:
        """Scale the Deployment, as ``kubectl scale`` does."""
        if self.find("Deployment"):
            self.scale(replicas, by_autoscaler=False)

    def make_valid(self) -> None:
        """Apply a spec with which it becomes Ready."""
        if not self.find("MyBackup"):
            self.put(self.backup())
        image = self.fields.get("image")
        gone = dict.fromkeys(("suspend", *self.invalid))
        self.apply(**gone, image=image if image != BAD_IMAGE else None)

    def _another(self) -> str:
        """Return another value each time."""
        return str(next(self._numbers))


EVENTS: dict[str, Callable[[Stage], None]] = {
    "configuration": Stage.change_configuration,
    "schedule": lambda stage: stage.wait_for_the_edge(),
    "dependencies": Stage.change_dependency,
    "propagate": Stage.change_team,
    "image": lambda stage: stage.toggle(image="nginx:1.28"),
    "bad image": lambda stage: stage.toggle(image=BAD_IMAGE),
    "number": Stage.change_number,
    "loss": lambda stage: stage.lose_pods(),
    "suspended": lambda stage: stage.toggle(suspend=True),
    "invalid": lambda stage: stage.toggle(**stage.invalid),
    "restarted": Stage.restart,
    "scaled by hand": lambda stage: stage.scale_by_hand(1),
}
"""The events, by name; one with the name of a feature needs it. Some undo what they did before."""
