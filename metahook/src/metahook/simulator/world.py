"""A world: a cluster in memory with one controller of ours in it, and what people do to it. Read this first.

Nothing in it happens by itself: ``run``, ``until`` and ``still`` let time pass, from one thing to the next.
"""

from collections.abc import Callable
from dataclasses import replace

from metahook.protocol import Controller
from metahook.simulator.apiserver.ownership import UNDO
from metahook.simulator.apiserver.store import ApiServer
from metahook.simulator.apiserver.typed import check_json
from metahook.simulator.clock import Clock
from metahook.simulator.controllers.deployments import (
    KUBECTL_APPLIED,
    REVISION,
    Deployments,
    copied_annotations,
    old_template,
)
from metahook.simulator.controllers.garbage import Garbage
from metahook.simulator.controllers.kubelet import Kubelet
from metahook.simulator.controllers.replicasets import ReplicaSets
from metahook.simulator.history import YOU, History
from metahook.simulator.hook import Hook, in_process
from metahook.simulator.metacontroller.loop import Metacontroller
from metahook.simulator.metacontroller.settings import Mode, Settings
from metahook.simulator.objects import Json, Key, controller_of, copied, key_of, with_metadata

HOUR = 3600.0

LONGEST_TIMER = 90_000.0
"""Seconds: a hook may ask for a sync a day later, and an hour is for what that brings."""

PATIENCE = 20_000
"""Steps after which a world that does not come to rest is given up, and one more for each half minute that passes."""


class NoSuchObject(Exception):
    """Raised for an object that is not there. Its text names it."""


class NoRest(Exception):
    """Raised for a world in which too much happens. Its text says how much, and until when."""


class World:
    """A cluster in memory. ``hook`` is a controller in this process, or anything that answers.

    Without Kubernetes' own *controllers* nothing rolls out and nothing is collected: Metacontroller acts alone.
    """

    def __init__(self, hook: Hook | Controller, settings: Settings, *, controllers: bool = True) -> None:
        self.patience = PATIENCE
        self.clock = Clock()
        self.history = History()
        self.api = ApiServer(self.clock, self.history)
        watched = self.api if controllers else ApiServer(self.clock, self.history)  # in which nothing ever happens
        self.deployments = Deployments(watched, self.clock)
        self.replica_sets = ReplicaSets(watched, self.clock)
        self.kubelet = Kubelet(watched, self.clock)
        self.garbage = Garbage(watched, self.clock)
        called = in_process(hook, self.clock.time) if isinstance(hook, Controller) else hook
        self.metacontroller = Metacontroller(self.api, self.clock, called, settings)
        self.settings = settings

    def parent(self, name: str, namespace: str = "default") -> Json:
        """Return the parent called *name*; raise NoSuchObject if there is none."""
        return self.get(Key(self.settings.parent.kind, namespace, name))

    def get(self, key: Key) -> Json:
        """Return a copy of an object; raise NoSuchObject if there is none."""
        found = self.api.get(key)
        if found is None:
            raise NoSuchObject(str(key))
        given: Json = copied(found)
        return given

    def apply(self, manifest: Json) -> None:
        """Make an object, or replace its spec, labels and annotations, as a user does with kubectl."""
        check_json(manifest)
        manifest = copied(manifest)
        live = self.api.get(key_of(manifest))
        if live is None:
            self.api.create(manifest, YOU)
            return
        own = {name: manifest["metadata"][name] for name in ("labels", "annotations") if name in manifest["metadata"]}
        body = {name: value for name, value in manifest.items() if name not in ("metadata", "status")}
        self.api.update({**live, **body, "metadata": {**live["metadata"], **own}}, YOU)

    def edit(self, key: Key, change: Callable[[Json], object]) -> None:
        """Change an object by hand, its status too: *change* gets it, to change it in place."""
        live, old = self.get(key), self.get(key)
        change(live)
        check_json(live)
        status, told = live.get("status"), old.get("status")
        if status == told or live != {**old, "status": status}:
            live = self.api.update(live, YOU)
        if status != told:
            self.api.update_status({**live, "status": status or {}}, YOU)

    def undo(self, key: Key, revision: int) -> None:
        """Take a Deployment back to a *revision*, as ``kubectl rollout undo`` does: Pod template and annotations."""
        live = self.get(key)
        sets = (item for item in self.api.all("ReplicaSet") if controller_of(item) == live["metadata"]["uid"])
        found = next((item for item in sets if item["metadata"]["annotations"].get(REVISION) == str(revision)), None)
        if found is None:
            raise NoSuchObject(f"revision {revision} of {key}")
        annotations = live["metadata"].get("annotations") or {}
        kept = {name: value for name, value in annotations.items() if name in (REVISION, KUBECTL_APPLIED)}
        spec = {**live["spec"], "template": old_template(found)}
        self.api.update(with_metadata({**live, "spec": spec}, annotations={**kept, **copied_annotations(found)}), UNDO)

    def applies(self, mode: Mode) -> None:
        """Start Metacontroller anew, to apply in this *mode* from then on."""
        self.metacontroller.settings = replace(self.metacontroller.settings, mode=mode)
        self.metacontroller.restart()

    def delete(self, key: Key, policy: str = "background") -> None:
        """Delete an object by hand; *policy* is background, foreground or orphan."""
        self.api.delete(key, YOU, policy=policy)

    def run(self, seconds: float) -> None:
        """Let *seconds* pass; raise NoRest."""
        end = self.clock.now + seconds
        self.until(lambda: False, within=seconds)
        self.clock.sleep(end)

    def until(self, holds: Callable[[], bool], within: float = HOUR) -> bool:
        """Let time pass until *holds*, or for as many seconds as *within*; tell whether it does; raise NoRest."""
        end = self.clock.now + within
        most = self.patience + int(within / 30)
        for _ in range(most):
            if holds():
                return True
            if self.clock.next is None or self.clock.next.at > end:
                return False
            self.clock.step()
        raise NoRest(f"it does not come to rest: {most} things happened by {self.clock.now:.1f} s, and it goes on")

    def still(self, within: float = LONGEST_TIMER) -> bool:
        """Let time pass until only looks whether all is well are ahead; tell whether it came to that; raise NoRest."""
        return self.until(lambda: not self.clock.busy, within)
