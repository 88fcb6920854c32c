"""A world: a cluster in memory with a controller of Metacontroller in it, and what a user does to it. Read this first.

Nothing happens by itself: ``run``, ``until`` and ``until_quiet`` let time pass, from one timer to the next.
"""

from collections.abc import Callable
from contextlib import suppress

from msgspec.structs import replace

from metahook.protocol.controller import Controller
from metahook.protocol.request_builder import controller_of
from metahook.simulator.apiserver.built_in_kinds import check_json, undeclared_field
from metahook.simulator.apiserver.custom_rules import custom_defaults, custom_statuses
from metahook.simulator.apiserver.server_side_apply import UNDO
from metahook.simulator.apiserver.store import ApiServer
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.clock import Clock
from metahook.simulator.controllers.deployments import (
    KUBECTL_APPLIED,
    REVISION,
    Autoscaler,
    DeploymentController,
    copied_annotations,
    old_template,
)
from metahook.simulator.controllers.garbage_collector import GarbageCollector
from metahook.simulator.controllers.kubelet import Kubelet, pod_admission
from metahook.simulator.controllers.pod_owners import ReplicaSetController, StatefulSetController
from metahook.simulator.findings import findings
from metahook.simulator.findings.loops import Storm
from metahook.simulator.history import YOU, History
from metahook.simulator.hook import Hook, in_process
from metahook.simulator.metacontroller.loop import Metacontroller
from metahook.simulator.metacontroller.settings import Mode, Settings
from metahook.simulator.objects import Json, Key, copy_json, key_of, with_metadata

HOUR = 3600.0

LONGEST_TIMER = 90_000.0
"""Seconds: a hook may request a resync a day later; one more hour is for what follows from it."""

MAX_ACTIONS = 20_000
"""Timers after which a world that does not become quiet is given up; one more for each half minute that passes."""


class NoSuchObject(Exception):
    """Raised for an object that does not exist. Its text names the object."""


class NeverQuiet(Exception):
    """Raised for a world that does not become quiet. Its text says how much happened, and until when."""


class World:
    """A cluster in memory. *hook* is a controller in this process, or any function that responds as one.

    Without Kubernetes' own *controllers* nothing is rolled out or garbage collected: Metacontroller acts alone.
    An exception of a controller is a response with status 500, as from its service. The method that lets time pass also
    raises it, unless *raise_errors* is false: then time goes on, and ``errors`` has all of them.
    """

    def __init__(
        self, hook: Hook | Controller, settings: Settings, *, controllers: bool = True, raise_errors: bool = True
    ) -> None:
        self.max_actions = MAX_ACTIONS
        self.raise_errors = raise_errors
        self.errors: list[Exception] = []
        self.clock = Clock()
        self.history = History()
        cluster_scoped = [kind.kind for kind in settings.kinds if not kind.namespaced]
        self._storm = Storm(self.history)
        self.api = ApiServer(self.clock, self.history, cluster_scoped)
        if settings.crds:
            self.api.admission.append(custom_defaults(settings.crds))
            self.api.status_admission.append(custom_statuses(settings.crds))
        self.api.admission.append(pod_admission(self.api.get))
        # Controllers that watch an empty API server of their own never act.
        watched = self.api if controllers else ApiServer(self.clock, self.history, cluster_scoped)
        self.deployments = DeploymentController(watched, self.clock)
        self.replica_sets = ReplicaSetController(watched, self.clock)
        self.stateful_sets = StatefulSetController(watched, self.clock)
        self.kubelet = Kubelet(watched, self.clock)
        self.autoscaler = Autoscaler(watched, self.clock)
        self.garbage_collector = GarbageCollector(watched, self.clock)
        called = in_process(hook, self.clock.time, self.errors.append) if isinstance(hook, Controller) else hook
        self.metacontroller = Metacontroller(self.api, self.clock, called, settings)
        self.settings = settings

    def parent(self, name: str, namespace: str = "default") -> Json:
        """Return the parent called *name*; raise NoSuchObject if there is none."""
        kind = self.settings.parent
        return self.get(Key(kind.kind, namespace if kind.namespaced else "", name))

    def get(self, key: Key) -> Json:
        """Return a copy of an object; raise NoSuchObject if there is none."""
        found = self.api.get(key)
        if found is None:
            raise NoSuchObject(str(key))
        copy: Json = copy_json(found)
        return copy

    def apply(self, manifest: Json) -> None:
        """Create an object, or replace its spec, labels and annotations, as ``kubectl apply`` does; raise ApiError."""
        check_json(manifest)
        manifest = copy_json(manifest)
        live = self.api.get(key_of(self.api.placed(manifest)))
        if live is None:
            self.api.create(manifest, YOU)
            return
        own = {name: manifest["metadata"][name] for name in ("labels", "annotations") if name in manifest["metadata"]}
        body = {name: value for name, value in manifest.items() if name not in ("metadata", "status")}
        self.api.update({**live, **body, "metadata": {**live["metadata"], **own}}, YOU)

    def edit(self, key: Key, change: Callable[[Json], object]) -> None:
        """Edit an object by hand, including its status: *change* edits it in place.

        Raise NoSuchObject if there is none, and ApiError if the API server refuses the change.
        """
        live, old, unknown = self.get(key), self.get(key), None
        change(live)
        check_json(live)
        with suppress(ApiError):  # which the update below raises, too, and records
            unknown = undeclared_field({**live, "apiVersion": old["apiVersion"], "kind": key.kind})
        if unknown:
            raise ApiError("BadRequest", f'strict decoding error: unknown field "{unknown.removeprefix(".")}"')
        status, old_status = live.get("status"), old.get("status")
        if status == old_status or live != {**old, "status": status}:
            live = self.api.update(live, YOU)
        if status != old_status:
            self.api.update_status({**live, "status": status or {}}, YOU)

    def undo(self, key: Key, revision: int) -> None:
        """Roll a Deployment back to a *revision*, as ``kubectl rollout undo`` does: Pod template and annotations.

        Raise NoSuchObject without such a Deployment or revision, and ApiError if the API server refuses the change.
        """
        live = self.get(key)
        sets = (item for item in self.api.all("ReplicaSet") if controller_of(item) == live["metadata"]["uid"])
        found = next((item for item in sets if item["metadata"]["annotations"].get(REVISION) == str(revision)), None)
        if found is None:
            raise NoSuchObject(f"revision {revision} of {key}")
        annotations = live["metadata"].get("annotations") or {}
        kept = {name: value for name, value in annotations.items() if name in (REVISION, KUBECTL_APPLIED)}
        spec = {**live["spec"], "template": old_template(found)}
        self.api.update(with_metadata({**live, "spec": spec}, annotations={**kept, **copied_annotations(found)}), UNDO)

    def set_mode(self, mode: Mode) -> None:
        """Restart Metacontroller with the apply strategy *mode*."""
        self.metacontroller.settings = replace(self.metacontroller.settings, mode=mode)
        self.metacontroller.restart()

    def delete(self, key: Key, policy: str = "background") -> None:
        """Delete an object by hand; *policy* is background, foreground or orphan. Raise ApiError if there is none."""
        self.api.delete(key, YOU, policy=policy)

    def run(self, seconds: float) -> None:
        """Let *seconds* pass; raise NeverQuiet, and what the controller raises."""
        end = self.clock.now + seconds
        self.until(lambda: False, within=seconds)
        self.clock.sleep(end)

    def until(self, holds: Callable[[], bool], within: float = HOUR) -> bool:
        """Let time pass until *holds*, for at most *within* seconds; return whether it does.

        Raise NeverQuiet, and what the controller raises.
        """
        end = self.clock.now + within
        most = self.max_actions + int(within / 30)
        for _ in range(most):
            if holds():
                return True
            if self.clock.next_timer is None or self.clock.next_timer.at > end:
                return False
            self._step()
        raise NeverQuiet(self._given_up(most))

    def until_quiet(self, within: float = LONGEST_TIMER) -> bool:
        """Let time pass until only idle timers are left; return whether that is so in time; raise as ``until`` does."""
        return self.until(lambda: not self.clock.is_busy, within)

    def _step(self) -> None:
        """Run the next timer; raise the error of a controller that it called."""
        before = len(self.errors)
        self.clock.step()
        if self.raise_errors and len(self.errors) > before:
            raise self.errors[before]
        if self._storm.is_due:
            self._stop_growth()

    def _stop_growth(self) -> None:
        """Raise NeverQuiet if a parent gets more and more children, which would only fill the memory."""
        self._storm.look_again()
        if found := findings(self.history, ("GrowingChildren",)):
            raise NeverQuiet(f"the cluster does not become quiet: stopped after {self.clock.now:.1f} s: {found[0]}")

    def _given_up(self, most: int) -> str:
        """Return why the world is given up after *most* timers: with the loop that it is in, if that is one."""
        found = findings(self.history, ("GrowingChildren", "RepeatedWrites", "CallStorm"))
        why = f": {found[0]}" if found else ""
        return f"the cluster does not become quiet: {most} timers ran by {self.clock.now:.1f} s{why}"
