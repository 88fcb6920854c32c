"""Scenarios that run on the control plane and in the simulator, step by step; including those of the fault plans."""

from collections.abc import Callable
from typing import Any

from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.controllers.kubelet import NAME as KUBELET
from metahook.simulator.controllers.pod_status import evicted, is_ready
from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Json, Key, with_metadata
from tests.e2e.namespace import PORT, child
from tests.e2e.watched import BACKUPS, OURS, backup
from tests.requests.watched_objects import WITH_BACKUPS
from tests.simulated.worlds import DEPLOYMENT, WEB, foreign, parent, service, world
from toolkit.merge_patch import merge

Step = Callable[[Any], None]
"""It gets a stage: a Namespace, or Simulated, which has its methods."""

_NEEDED = {
    "apiVersion": BACKUPS.api_version,
    "resource": BACKUPS.plural,
    "name": "nightly",
    "condition": "Exists",
}


def _settings(value: str) -> Json:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"a": value}}


_FORBIDDEN = ("Forbidden", "forbidden by a policy")

SCENARIOS: dict[str, list[Step]] = {
    "made, and another image": [lambda it: it.make(replicas=2, **PORT), lambda it: it.change(image="nginx:1.28")],
    "ports added and removed": [
        lambda it: it.make(),
        lambda it: it.change(**PORT),
        lambda it: it.change(ports=None),
    ],
    "scaled by hand": [lambda it: it.make(), lambda it: it.edit("Deployment", {"spec": {"replicas": 4}})],
    "label removed by hand": [
        lambda it: it.make(),
        lambda it: it.edit("Deployment", {"metadata": {"labels": {"myresource": None}}}),
    ],
    "Service changed by hand": [
        lambda it: it.make(**PORT),
        lambda it: it.edit("Service", {"spec": {"selector": {"myresource": "other"}}}),
    ],
    "children deleted by hand": [
        lambda it: it.make(**PORT),
        lambda it: it.delete("Service"),
        lambda it: it.delete("Deployment"),
    ],
    "foreign Service, which goes": [
        lambda it: it.put(foreign(service(app="other"))),
        lambda it: it.make(**PORT),
        lambda it: it.delete("Service"),
    ],
    "deleted in the foreground": [
        lambda it: it.make(**PORT),
        lambda it: it.delete("MyResource", policy="Foreground"),
    ],
    "env added and removed": [
        lambda it: it.make(),
        lambda it: it.change(env=[{"name": "B", "value": "1"}, {"name": "A", "value": "2"}]),
        lambda it: it.change(env=[{"name": "B", "value": "1"}]),
    ],
    "undone": [
        lambda it: it.make(args=["a"], env=[{"name": "A", "value": "1"}]),
        lambda it: it.change(args=None, env=None, image="nginx:1.28"),
        lambda it: it.undo(1),
    ],
    "invalid, and valid again": [
        lambda it: it.make(),
        lambda it: it.change(image="nginx:1.28", args=["x" * 8000] * 30),
        lambda it: it.change(args=None),
    ],
    "Pods that crash, and others": [
        lambda it: it.make(image="nginx:crash", readinessProbe={"httpGet": {"port": 80}}),
        lambda it: it.change(image="nginx:oom"),
        lambda it: it.change(image="nginx:1.27"),
    ],
    "configuration changed, lost and back": [
        lambda it: it.put(_settings("1")),
        lambda it: it.make(envFrom=[{"configMapRef": {"name": "settings"}}]),
        lambda it: it.edit("ConfigMap", {"data": {"a": "2"}}, "settings"),
        lambda it: it.delete("ConfigMap", "settings"),
        lambda it: it.put(_settings("3")),
    ],
    "paused by hand, and resumed": [
        lambda it: it.make(),
        lambda it: it.edit("Deployment", {"spec": {"paused": True}}),
        lambda it: it.change(image="nginx:1.28"),
        lambda it: it.edit("Deployment", {"spec": {"paused": None}}),
    ],
    "fields set by hand": [
        lambda it: it.make(**PORT),
        lambda it: it.edit("Deployment", {"spec": {"template": {"spec": {"hostNetwork": True, "hostname": "x"}}}}),
        lambda it: it.edit("Service", {"spec": {"externalIPs": ["192.0.2.1"]}}),
        lambda it: it.change(image="nginx:1.28"),
        lambda it: it.edit("Deployment", {"spec": {"template": {"spec": {"hostNetwork": None, "hostname": None}}}}),
    ],
    "Service no longer desired, held by a finalizer": [
        lambda it: it.make(**PORT),
        lambda it: it.edit("Service", {"metadata": {"finalizers": ["example.com/hold"]}}),
        lambda it: it.change(ports=None),
        lambda it: it.edit("Service", {"metadata": {"finalizers": None}}),
    ],
    "deleted as an orphan, and made again": [
        lambda it: it.make(),
        lambda it: it.delete("MyResource", policy="Orphan"),
        lambda it: it.make(),
        lambda it: it.delete("Deployment"),
    ],
    "an update that is refused, and another": [
        lambda it: it.make(),
        lambda it: it.forbid("forbidden"),
        lambda it: it.change(image="forbidden:1"),
        lambda it: it.change(image="nginx:1.28"),
    ],
    "Pods that are evicted": [
        lambda it: it.make(),
        lambda it: it.evict(),
        lambda it: it.evict(),
        lambda it: it.evict(),
    ],
    "a start that waits": [
        lambda it: it.make(dependencies=[_NEEDED]),
        lambda it: it.put(backup("nightly", WEB.namespace)),
        lambda it: it.delete("MyBackup", "nightly"),
    ],
}


_FULL = {"args": ["a"], "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}], **PORT}
_LESS: Json = {"args": None, "env": _FULL["env"][:1], "ports": None}

STRATEGY_SCENARIOS: dict[str, list[Step]] = {
    "to server-side apply, then fields removed": [
        lambda it: it.make(**_FULL),
        lambda it: it.applies("server-side-apply"),
        lambda it: it.change(**_LESS),
        lambda it: it.change(image="nginx:1.28"),
    ],
    "there and back, then fields removed": [
        lambda it: it.make(**_FULL),
        lambda it: it.applies("server-side-apply"),
        lambda it: it.applies("dynamic-apply"),
        lambda it: it.change(**_LESS),
    ],
}
"""Scenarios in which the apply strategy changes; they start with dynamic-apply."""


class Simulated:
    """The simulator as a stage."""

    def __init__(self, mode: Mode) -> None:
        self.world = world(mode, OURS, served=WITH_BACKUPS)
        self._spec: Json = {}

    def make(self, name: str = "web", **spec: Any) -> None:
        """Create the MyResource."""
        self.world.apply(parent(name, **spec))

    def change(self, name: str = "web", **spec: Any) -> None:
        """Change its spec; None removes a field."""
        self.edit("MyResource", {"spec": spec}, name)

    def edit(self, kind: str, change: Json, name: str = "") -> None:
        """Change an object by hand."""
        self.world.edit(Key(kind, WEB.namespace, name or child(kind)), lambda item: merge(item, change))

    def delete(self, kind: str, name: str = "", policy: str = "Background") -> None:
        """Delete an object by hand."""
        self.world.delete(Key(kind, WEB.namespace, name or child(kind)), policy.lower())

    def put(self, item: Json) -> None:
        """Create an object of another owner."""
        self.world.apply(with_metadata(item, namespace=WEB.namespace))

    def forbid(self, word: str) -> None:
        """Reject Deployments with *word* in an image from now on."""

        def admit(item: Json, _: Json | None) -> Json:
            if item["kind"] == "Deployment" and word in item["spec"]["template"]["spec"]["containers"][0]["image"]:
                raise ApiError(*_FORBIDDEN)
            return item

        self.world.api.admission.append(admit)

    def undo(self, revision: int) -> None:
        """Roll the Deployment back to *revision*, as ``kubectl rollout undo`` does."""
        self.world.undo(DEPLOYMENT, revision)

    def applies(self, mode: Mode) -> None:
        """Restart Metacontroller with the apply strategy *mode*."""
        self.world.set_mode(mode)

    def evict(self) -> None:
        """Evict the ready Pod, as a kubelet does."""
        api, clock = self.world.api, self.world.clock
        (pod,) = (item for item in api.all("Pod") if is_ready(item))
        api.update_status({**pod, "status": evicted(pod, clock)}, KUBELET)

    def wait_until_quiet(self) -> None:
        """Let time pass until nothing changes. A value that differs is sent again after half a minute."""
        self.world.until_quiet(25)
