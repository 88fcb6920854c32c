"""Metacontroller's loop: from an event to a sync, and from the hook's answer to the API server.

Source: Metacontroller 4.17, pkg/controller/composite/controller.go; the order of the steps is its own.
"""

from metahook.protocol import RelatedRule
from metahook.protocol.sender import Grouped, customize_request, sync_request
from metahook.simulator.apiserver.rules import Refused
from metahook.simulator.apiserver.store import ApiServer
from metahook.simulator.clock import Clock
from metahook.simulator.history import Call, Event, Write
from metahook.simulator.hook import Hook, Reply, Unreachable
from metahook.simulator.metacontroller.answer import Answer, BadAnswer, Crash, TooMany, read_customize, read_sync
from metahook.simulator.metacontroller.apply import applier
from metahook.simulator.metacontroller.cache import Cache
from metahook.simulator.metacontroller.children import Cluster, manage
from metahook.simulator.metacontroller.claims import LABEL, NAME, claim, labelled
from metahook.simulator.metacontroller.customize import Customize
from metahook.simulator.metacontroller.queue import WorkQueue
from metahook.simulator.metacontroller.settings import Settings
from metahook.simulator.objects import Json, Key, controller_of, deleting, key_of, labels, text

RESTART = 10.0
"""Seconds until a process that crashed is there again."""


class Metacontroller:
    """One CompositeController. ``hook`` may be replaced while it runs, ``settings`` before a restart."""

    def __init__(self, api: ApiServer, clock: Clock, hook: Hook, settings: Settings) -> None:
        self.hook = hook
        self.settings = settings
        self._api = api
        self._clock = clock
        self._queue = WorkQueue(clock, self._work)
        self._customize = Customize(clock, self._ask_customize, settings.served)
        self._apply = applier(settings.mode, api)
        self._running = True
        self.cache = Cache(api, clock, self._changed)
        self._clock.after(settings.resync_period, self._resync_all, idle=True)

    def restart(self, after: float = 0) -> None:
        """End the process, which forgets everything, and start another *after* so many seconds."""
        self._queue.clear()
        self._customize.forget()
        self._apply = applier(self.settings.mode, self._api)
        self._running = False
        self._clock.after(after, self._start)

    def _start(self) -> None:
        self._running = True
        self.cache.relist()

    def _resync_all(self) -> None:
        self._clock.after(self.settings.resync_period, self._resync_all, idle=True)
        for parent in self.cache.all(self.settings.parent.kind):
            self.enqueue(key_of(parent), idle=True)

    def enqueue(self, key: Key, *, idle: bool = False) -> None:
        """Sync the parent *key* soon, if the process runs."""
        if self._running:
            self._queue.add(key, idle=idle)

    def _changed(self, key: Key, old: Json | None, new: Json | None) -> None:
        """Enqueue every parent that a change concerns."""
        item = new or old or {}
        again = old and new and old["metadata"]["resourceVersion"] == new["metadata"]["resourceVersion"]
        if key.kind == self.settings.parent.kind:
            ignored = old and new and self.settings.ignore_status_changes and _only_status(old, new)
            if again or not ignored:
                self.enqueue(key)
        elif again:
            return
        elif key.kind in {kind.kind for kind in self.settings.children}:
            owner = controller_of(item) or labels(item).get(LABEL)
            self._enqueue_owner(owner, key.namespace)
        if self._running and self.settings.has_customize and key.kind in {kind.kind for kind in self.settings.served}:
            self._enqueue_related(old, new)

    def _enqueue_owner(self, uid: str | None, namespace: str) -> None:
        for parent in self.cache.all(self.settings.parent.kind, namespace):
            if parent["metadata"]["uid"] == uid:
                self.enqueue(key_of(parent))

    def _enqueue_related(self, old: Json | None, new: Json | None) -> None:
        for parent in self.cache.all(self.settings.parent.kind):
            try:
                if any(item and self._customize.concerns(parent, item) for item in (old, new)):
                    self.enqueue(key_of(parent))
            except (BadAnswer, TooMany, Unreachable):
                continue  # the real one drops the trigger, too

    def _work(self, key: Key, idle: bool) -> None:  # noqa: FBT001 - the queue's callback
        """Sync one parent, and see to it that it is synced again if that failed."""
        parent = self.cache.get(key)
        if parent is None:
            self._queue.forget(key)
            return
        try:
            refusals = self._sync(parent, idle=idle)
        except TooMany as busy:
            self._queue.add_after(key, busy.seconds)
        except Crash as crash:
            self._event(key, "Crash", str(crash))
            self.restart(RESTART)
        except (BadAnswer, Unreachable, Refused) as error:
            self._failed(key, [str(error)])
        else:
            if refusals:
                self._failed(key, refusals)
            else:
                self._queue.forget(key)

    def _failed(self, key: Key, messages: list[str]) -> None:
        self._event(key, "SyncError", "; ".join(messages))
        self._queue.retry(key)

    def _event(self, key: Key, reason: str, message: str) -> None:
        self._api.history.add(Event(self._clock.now, key, reason, message))

    def _sync(self, parent: Json, *, idle: bool) -> list[str]:
        """Sync *parent*; return what was refused."""
        written = len(self._api.history.entries)
        kinds, namespace = self.settings.children, parent["metadata"]["namespace"]
        found = (
            item
            for kind in kinds
            for item in self.cache.all(kind.kind, namespace)
            if item["apiVersion"] == kind.api_version
        )
        observed = list(claim(parent, found, self._api))
        related = self._customize.related(parent, self.cache) if self.settings.has_customize else {}
        body = sync_request(parent, self._grouped(observed), related)
        answer = read_sync(self._call("sync", key_of(parent), body))
        try:
            return self._done(parent, observed, answer)
        finally:  # as the real one, which plans it before all that may fail
            if self._wrote(written):
                idle = False
                self._queue.wrote(key_of(parent))
            if answer.resync_after > 0:
                self._queue.ask(key_of(parent), answer.resync_after, idle=idle)

    def _done(self, parent: Json, observed: list[Json], answer: Answer) -> list[str]:
        """Do what *answer* says; return what was refused."""
        desired = [labelled(child, parent) for child in answer.children]
        if any(labels(child)[LABEL] != parent["metadata"]["uid"] for child in desired):
            raise BadAnswer("a child in the answer does not match the selector of its parent")
        cluster = Cluster(self._api, self.settings.kinds, self._apply)
        refusals = [] if deleting(parent) else manage(parent, observed, desired, cluster)
        self._write_status(parent, answer)
        return refusals

    def _wrote(self, since: int) -> bool:
        """Tell whether anything has changed in the entries of the history *since* that one."""
        return any(isinstance(entry, Write) and entry.changed for entry in self._api.history.entries[since:])

    def _grouped(self, observed: list[Json]) -> Grouped:
        groups: Grouped = {kind.group_key: {} for kind in self.settings.children}
        for item in observed:
            metadata = item["metadata"]
            groups[f"{item['kind']}.{item['apiVersion']}"][f"{metadata['namespace']}/{metadata['name']}"] = item
        return groups

    def _write_status(self, parent: Json, answer: Answer) -> None:
        live = self._api.get(key_of(parent))
        status = {**answer.status, "observedGeneration": parent["metadata"]["generation"]}
        same = live is not None and live["metadata"]["uid"] == parent["metadata"]["uid"]
        if live is not None and same and text(live.get("status")) != text(status):
            self._api.update_status({**live, "status": status}, NAME)

    def _ask_customize(self, parent: Json) -> list[RelatedRule]:
        return read_customize(self._call("customize", key_of(parent), customize_request(parent)))

    def _call(self, hook: str, key: Key, body: bytes) -> Reply:
        try:
            reply = self.hook(hook, body)
        except Unreachable:
            self._api.history.add(Call(self._clock.now, hook, key, body, None, b""))
            raise
        self._api.history.add(Call(self._clock.now, hook, key, body, reply.status, reply.body))
        return reply


def _only_status(old: Json, new: Json) -> bool:
    """Tell whether a change is one that ignoreStatusChanges ignores."""
    fields = ("generation", "labels", "annotations")
    same = all(old["metadata"].get(field) == new["metadata"].get(field) for field in fields)
    return same and not deleting(new)
