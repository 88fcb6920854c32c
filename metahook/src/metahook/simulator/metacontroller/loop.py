"""Metacontroller's control loop: from an event to a sync, and from the hook's response to the API server.

A CompositeController claims children by a selector, and turns a response into children and a status. A
DecoratorController turns it into attachments, and into labels, annotations and status of the object.

Source: Metacontroller 4.17, controller.go in pkg/controller/composite and pkg/controller/decorator; the steps have the
same order.
"""

from metahook.protocol.bodies import RelatedRule
from metahook.protocol.objects import group_key
from metahook.protocol.request_builder import Grouped, controller_of, customize_request, qualified_name, sync_request
from metahook.simulator.apiserver.store import ApiServer
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.clock import Clock
from metahook.simulator.history import Call, Event, Write
from metahook.simulator.hook import Hook, Reply, Unreachable
from metahook.simulator.metacontroller.cache import Cache, Customize
from metahook.simulator.metacontroller.children import (
    NAME,
    ChildWriter,
    Finalizer,
    ParentManager,
    applier,
    claim,
    manage_children,
    with_parent_label,
    with_parents_namespace,
    without_finalizer,
)
from metahook.simulator.metacontroller.queue import WorkQueue
from metahook.simulator.metacontroller.response import (
    Crash,
    InvalidResponse,
    Response,
    TooManyRequests,
    read_customize,
    read_sync,
)
from metahook.simulator.metacontroller.settings import (
    InvalidSelector,
    Selects,
    Settings,
    generated_selector,
    own_selector,
)
from metahook.simulator.objects import Json, Key, is_deleting, key_of, labels, to_json, with_metadata


class Composite(ParentManager, frozen=True):
    """Claims the children of a parent, and manages them and its status."""

    def selector(self, parent: Json) -> Selects:
        """Return the selector of the children of *parent*; raise InvalidSelector."""
        return generated_selector(parent) if self.writer.settings.generate_selector else own_selector(parent)

    def observed(self, parent: Json) -> list[Json]:
        """Claim the children of *parent*, and return them; raise ApiError or InvalidSelector."""
        selects = self.selector(parent)
        found = self.cached_children(parent["metadata"].get("namespace"))
        return list(claim(parent, found, self.writer.api, selects))

    def manage(self, parent: Json, observed: list[Json], response: Response) -> list[str]:
        """Turn *response* into children and a status; return the errors of the children.

        Raise ApiError, or InvalidResponse for a child without the labels of the selector.
        """
        if response.finalized:
            parent = self.finalizer.removed(parent, self.writer.api)
        desired = [with_parents_namespace(child, parent) for child in response.children]
        if self.writer.settings.generate_selector:
            desired = [with_parent_label(child, parent) for child in desired]
        if not all(map(self.selector(parent), desired)):
            raise InvalidResponse("a child in the response does not match the selector of its parent")
        is_managed = self.finalizer.manages_children_of(parent)
        errors = manage_children(parent, observed, desired, self.writer) if is_managed else []
        try:
            self._write_status(parent, response)
        except ApiError as refusal:
            if refusal.reason in ("NotFound", "Conflict"):
                return []  # Metacontroller drops the errors of the children, too
            raise
        return errors

    def _write_status(self, parent: Json, response: Response) -> None:
        live = self.writer.api.get(key_of(parent))
        status = {**(response.status or {}), "observedGeneration": parent["metadata"].get("generation", 0)}
        is_same = live is not None and live["metadata"]["uid"] == parent["metadata"]["uid"]
        if live is not None and is_same and to_json(live.get("status")) != to_json(status):
            self.writer.api.update_status({**live, "status": status}, NAME)


DECORATED_BY = "metacontroller.k8s.io/decorator-controller"
"""The annotation of an attachment: the name of its controller."""


class Decorator(ParentManager, frozen=True):
    """Finds the attachments of an object, and manages them and what the controller sets on the object."""

    def selector(self, parent: Json) -> Selects:
        """Return the selector of no objects, because none is adopted."""
        del parent
        return lambda _: False

    def observed(self, parent: Json) -> list[Json]:
        """Return the attachments of *parent* that this controller created."""
        uid, namespace = parent["metadata"]["uid"], parent["metadata"].get("namespace")
        return [
            item
            for item in self.cached_children(namespace)
            if controller_of(item) == uid
            and (item["metadata"].get("annotations") or {}).get(DECORATED_BY) == self.writer.settings.name
        ]

    def manage(self, parent: Json, observed: list[Json], response: Response) -> list[str]:
        """Turn *response* into a write of the object, and attachments; return the errors of these. Raise ApiError."""
        try:
            self._update(parent, response)
        except ApiError as refusal:
            if refusal.reason in ("NotFound", "Conflict"):
                return []  # the object changed in the meantime, so another sync follows
            raise
        # The object as it was before the update: a finalizer that was just removed counts.
        if not self.finalizer.manages_children_of(parent):
            return []
        desired = [self._marked(with_parents_namespace(child, parent)) for child in response.children]
        return manage_children(parent, observed, desired, self.writer)

    def _marked(self, child: Json) -> Json:
        annotations = child["metadata"].get("annotations") or {}
        return with_metadata(child, annotations={**annotations, DECORATED_BY: self.writer.settings.name})

    def _update(self, parent: Json, response: Response) -> None:
        """Set labels, annotations and status of *parent*, and remove the finalizer, if one of them changes."""
        old = parent["metadata"].get("annotations") or {}
        new_labels, annotations = _updated(labels(parent), response.labels), _updated(old, response.annotations)
        status = parent.get("status") if response.status is None else response.status
        has_new_status = to_json(status) != to_json(parent.get("status"))
        is_finalized = response.finalized and self.finalizer.is_on(parent)
        if new_labels == labels(parent) and annotations == old and not has_new_status and not is_finalized:
            return
        new = with_metadata(parent, labels=new_labels or None, annotations=annotations or None)
        if has_new_status and self.writer.settings.has_status(parent):
            version = self.writer.api.update_status({**parent, "status": status}, NAME)["metadata"]["resourceVersion"]
            new = with_metadata(new, resourceVersion=version)
        if response.finalized:
            new = without_finalizer(new, self.finalizer.name)
        self.writer.api.update(new, NAME)


def _updated(old: dict[str, str], changes: dict[str, str | None]) -> dict[str, str]:
    return {name: value for name, value in {**old, **changes}.items() if value is not None}


RESTART = 10.0
"""Seconds until a crashed process has restarted."""


class Metacontroller:
    """One controller. ``hook`` may be replaced at any time, ``settings`` before a restart."""

    def __init__(self, api: ApiServer, clock: Clock, hook: Hook, settings: Settings) -> None:
        self.hook = hook
        self.settings = settings
        self._api = api
        self._clock = clock
        self._queue = WorkQueue(clock, self._work)
        self.cache = Cache(api, clock, self._changed)
        self._begin()
        self._clock.after(settings.resync_period, self._resync_all, idle=True)

    def _begin(self) -> None:
        """Begin as a process that starts, which knows nothing but its settings."""
        settings = self.settings
        version = settings.hook("customize").version
        self._customize = Customize(self._clock, self._call_customize, settings.kinds, version)
        self._finalizer = Finalizer(
            f"metacontroller.io/{settings.api}controller-{settings.name}", settings.has_finalize
        )
        writer = ChildWriter(self._api, settings, applier(settings.mode, self._api))
        controller = Decorator if settings.api == "decorator" else Composite
        self._controller = controller(self.cache, self._finalizer, writer)
        self._parents = {parent.kind.kind: parent for parent in settings.parents}
        self._children = frozenset(kind.kind for kind in settings.children)
        self._groups = sorted(kind.group_key for kind in settings.children)
        self._related = frozenset(kind.kind for kind in settings.served) if settings.has_customize else frozenset()
        self._running = True

    def connect(self, hook: Hook) -> None:
        """Call *hook* from now on."""
        self.hook = hook
        self._queue.expect_success()

    def restart(self, after: float = 0) -> None:
        """Restart the process, which forgets everything; the new one starts *after* so many seconds."""
        self._queue.clear()
        self._running = False
        self._clock.after(after, self._start)

    def _start(self) -> None:
        self._begin()
        self.cache.relist()

    def _resync_all(self) -> None:
        self._clock.after(self.settings.resync_period, self._resync_all, idle=True)
        for kind in self._parents:
            for parent in self.cache.all(kind):
                self.enqueue(key_of(parent), idle=True)

    def enqueue(self, key: Key, *, idle: bool = False) -> None:
        """Queue the parent *key*, if the process is running."""
        if self._running:
            self._queue.add(key, idle=idle)

    def _changed(self, key: Key, old: Json | None, new: Json | None) -> None:
        """Enqueue every parent that a change affects."""
        if not self._running:
            return
        is_resent = old and new and old["metadata"]["resourceVersion"] == new["metadata"]["resourceVersion"]
        resource = self._parents.get(key.kind)
        if resource is not None:
            is_ignored = old and new and resource.ignore_status_changes and _only_status(old, new)
            if is_resent or not is_ignored:
                self.enqueue(key)
        if is_resent:
            return
        if key.kind in self._children:
            self._enqueue_parents(key, old, new)
        if key.kind in self._related:
            self._enqueue_related(old, new)

    def _enqueue_parents(self, key: Key, old: Json | None, new: Json | None) -> None:
        """Enqueue the parent that controls a child, or those that may adopt it."""
        item = new or old or {}
        owner = next((each for each in item["metadata"].get("ownerReferences") or () if each.get("controller")), None)
        if owner is None:
            self._enqueue_adopters(key, new)
            return
        resource = self._parents.get(owner["kind"])
        if resource is not None:
            found = Key(owner["kind"], key.namespace if resource.kind.namespaced else "", owner["name"])
            parent = self.cache.get(found)
            if parent is not None and parent["metadata"]["uid"] == owner["uid"]:
                self.enqueue(found)

    def _enqueue_adopters(self, key: Key, orphan: Json | None) -> None:
        """Enqueue the parents that may adopt *orphan*, which is None if it was deleted."""
        if orphan is None or is_deleting(orphan):
            return
        kind = self.settings.parent
        for parent in self.cache.all(kind.kind, key.namespace if kind.namespaced else None):
            try:
                if self._controller.selector(parent)(orphan):
                    self.enqueue(key_of(parent))
            except InvalidSelector:
                continue

    def _enqueue_related(self, old: Json | None, new: Json | None) -> None:
        for parent in [parent for kind in self._parents for parent in self.cache.all(kind)]:
            try:
                if any(item and self._customize.is_related(parent, item, self.cache) for item in (old, new)):
                    self.enqueue(key_of(parent))
            except (InvalidResponse, TooManyRequests, Unreachable):
                continue  # Metacontroller drops the event, too

    def _is_ours(self, parent: Json) -> bool:
        return self._parents[parent["kind"]].matches(parent) or self._finalizer.is_on(parent)

    def _work(self, key: Key, idle: bool) -> None:  # noqa: FBT001 - the queue's callback
        """Sync one parent, and queue it again if that fails."""
        parent = self.cache.get(key)
        if parent is None or not self._is_ours(parent):
            self._queue.forget(key)
            return
        try:
            errors = self._sync(parent, idle=idle)
        except TooManyRequests as busy:
            self._queue.add_after(key, busy.seconds)
        except Crash as crash:
            self._event(key, "Crash", str(crash))
            self.restart(RESTART)
        except (InvalidResponse, InvalidSelector, Unreachable, ApiError) as error:
            self._failed(key, [str(error)])
        else:
            if errors:
                self._failed(key, errors)
            else:
                self._queue.forget(key)

    def _failed(self, key: Key, messages: list[str]) -> None:
        self._event(key, "SyncError", "; ".join(messages))
        self._queue.retry(key)

    def _event(self, key: Key, reason: str, message: str) -> None:
        self._api.history.add(Event(self._clock.now, key, reason, message))

    def _sync(self, parent: Json, *, idle: bool) -> list[str]:
        """Sync *parent*; return the errors of its children."""
        since = len(self._api.history.entries)
        parent = self._finalizer.synced(parent, self._api)
        if not self._is_ours(parent):
            return []
        observed = self._controller.observed(parent)
        related = self._customize.related(parent, self.cache) if self.settings.has_customize else {}
        response = self._response(parent, observed, related)
        try:
            return self._controller.manage(parent, observed, response)
        finally:  # Metacontroller sets the timer before anything that may fail
            if self._has_written(since):
                idle = False
                self._queue.reset_timers(key_of(parent))
            if response.resync_after > 0:
                self._queue.add_requested(key_of(parent), response.resync_after, idle=idle)

    def _response(self, parent: Json, observed: list[Json], related: Grouped) -> Response:
        """Call the hook sync, or finalize for a parent that goes; return its response."""
        settings = self.settings
        is_going = is_deleting(parent) or not self._parents[parent["kind"]].matches(parent)
        hook = "finalize" if settings.has_finalize and is_going else "sync"
        if hook == "sync" and not settings.has_sync:
            raise InvalidResponse("no enabled hooks found: the controller has no sync hook")
        body = sync_request(
            parent,
            self._grouped(observed),
            related,
            controller=settings.manifest,
            finalizing=hook == "finalize",
            version=settings.hook(hook).version,
            api=settings.api,
        )
        return read_sync(self._call(hook, key_of(parent), body), settings.hook(hook), settings.api)

    def _has_written(self, since: int) -> bool:
        """Tell whether the entries of the history from *since* on include a change."""
        return any(isinstance(entry, Write) and entry.changed for entry in self._api.history.entries[since:])

    def _grouped(self, observed: list[Json]) -> Grouped:
        groups: Grouped = {group: {} for group in self._groups}
        for item in observed:
            groups[group_key(kind=item["kind"], api_version=item["apiVersion"])][qualified_name(item)] = item
        return groups

    def _call_customize(self, parent: Json) -> list[RelatedRule]:
        reply = self._call("customize", key_of(parent), customize_request(parent, controller=self.settings.manifest))
        return read_customize(reply, self.settings.hook("customize"))

    def _call(self, hook: str, key: Key, body: bytes) -> Reply:
        try:
            reply = self.hook(hook, body)
        except Unreachable as error:
            self._api.history.add(Call(self._clock.now, hook, key, body, None, b"", str(error)))
            raise
        self._api.history.add(Call(self._clock.now, hook, key, body, reply.status, reply.body, reply.problem))
        return reply


def _only_status(old: Json, new: Json) -> bool:
    fields = ("generation", "labels", "annotations")
    is_same = all(old["metadata"].get(field) == new["metadata"].get(field) for field in fields)
    return is_same and not is_deleting(new)
