"""What Metacontroller reads and keeps: its informers, and the rules for the related objects of a parent.

The informers are its own copy of the objects, always a little out of date. The rules come from the customize hook, and
are cached per generation.

Source: Metacontroller 4.17, pkg/controller/common/customize.
"""

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator

from metahook.protocol.bodies import RelatedRule
from metahook.protocol.objects import Kind
from metahook.protocol.request_builder import Grouped, matches, qualified_name
from metahook.simulator.apiserver.store import NAMESPACE, ApiServer
from metahook.simulator.clock import Clock, Timer
from metahook.simulator.history import Write
from metahook.simulator.metacontroller.response import InvalidResponse
from metahook.simulator.objects import Json, Key, labels

Handler = Callable[[Key, Json | None, Json | None], None]
"""Called with a change: the key, the object as it was in the cache, and as it is now."""

REMEMBERED = 3
"""Changes of each kind that ``behind`` can hide."""


class Cache:
    """Objects as Metacontroller knows them, read-only. Each kind has its own watch.

    ``late`` is the seconds until a change arrives. ``delays`` returns them for one change: none if it is lost, two if
    it arrives twice. ``behind`` is the number of last changes of a kind that are hidden, as with a cache that was
    filled by an API server that lags behind.
    """

    def __init__(self, api: ApiServer, clock: Clock, handler: Handler, late: float = 0.005) -> None:
        self.late = late
        self.delays: Callable[[Write], Iterable[float]] = lambda _: (self.late,)
        self.behind: dict[str, int] = {}
        self._api = api
        self._clock = clock
        self._handler = handler
        self._objects: dict[str, dict[Key, Json]] = {}
        self._changes: dict[str, deque[tuple[Key, Json | None]]] = {}
        self._arriving: dict[str, deque[Timer]] = {}
        api.watch(self._on_write)

    def get(self, key: Key) -> Json | None:
        """Return an object, or None."""
        return self._objects_of(key.kind).get(key)

    def all(self, kind: str, namespace: str | None = None) -> list[Json]:
        """Return the objects of *kind*, in *namespace* or in all, sorted by name."""
        objects = self._objects_of(kind)
        return [objects[key] for key in sorted(objects) if namespace in (None, key.namespace)]

    def relist(self) -> None:
        """List everything again, as a process that starts; a kind that is ``behind`` is listed as it was."""
        past = {kind: self._objects_of(kind) for kind in self.behind}
        for kind in list(self._arriving):
            self._end(kind)
        self._changes.clear()
        self._objects.clear()
        self.behind.clear()
        for key in self._api.all_keys():
            if key.kind not in past:
                self._set(key, self._api.get(key))
        for key, item in itertools.chain.from_iterable(objects.items() for objects in past.values()):
            self._set(key, item)

    def rewatch(self, kind: str) -> None:
        """Restart the watch of *kind*: only the current state of what was missed arrives, no state in between."""
        self._end(kind)
        known = self._objects.get(kind, {})
        for key in dict.fromkeys([*known, *(key for key in self._api.all_keys() if key.kind == kind)]):
            if self._api.get(key) != known.get(key):
                self._set(key, self._api.get(key))

    def _end(self, kind: str) -> None:
        """End the watch of *kind*: events on their way never arrive, as they are older than the next list."""
        for timer in self._arriving.pop(kind, ()):
            timer.cancelled = True

    def _objects_of(self, kind: str) -> dict[Key, Json]:
        """Return the objects of *kind*, without as many of the last changes as the cache is behind."""
        objects = self._objects.get(kind, {})
        behind = self.behind.get(kind)
        if not behind:
            return objects
        changes = list(self._changes.get(kind, ()))[-behind:]
        past: dict[Key, Json | None] = {**objects, **dict(reversed(changes))}
        return {key: item for key, item in past.items() if item is not None}

    def _on_write(self, write: Write) -> None:
        """Let *write* arrive later, but never before an earlier change of its kind."""
        arriving = self._arriving.setdefault(write.key.kind, deque())
        for delay in self.delays(write):
            moment = max(self._clock.now + delay, arriving[-1].at if arriving else 0.0)
            arriving.append(self._clock.at(moment, lambda: self._arrive(write)))

    def _arrive(self, write: Write) -> None:
        self._arriving[write.key.kind].popleft()
        self._set(write.key, write.after)

    def _set(self, key: Key, item: Json | None) -> None:
        objects = self._objects.setdefault(key.kind, {})
        old = objects.pop(key, None)
        if old is None and item is None:
            return  # a deletion that arrives twice is one event
        self._changes.setdefault(key.kind, deque(maxlen=REMEMBERED)).append((key, old))
        if item is not None:
            objects[key] = item
        self._handler(key, old, item)


TTL = 20 * 60
"""Seconds for which rules are cached."""


class Customize:
    """Rules by parent and generation; *call* calls the hook, of *version*, for those that are not cached."""

    def __init__(
        self, clock: Clock, call: Callable[[Json], list[RelatedRule]], served: Iterable[Kind], version: str = "v2"
    ) -> None:
        self._clock = clock
        self._call = call
        self._served = {(kind.api_version, kind.plural): kind for kind in served}
        self._version = version
        self._cached: dict[tuple[str, int], tuple[float, list[RelatedRule]]] = {}

    def rules(self, parent: Json) -> list[RelatedRule]:
        """Return the rules of *parent*; raise what the call of the hook raises."""
        # An object of a kind without a generation, such as a Pod, always has the first one.
        key = (parent["metadata"]["uid"], parent["metadata"].get("generation", 0))
        at, rules = self._cached.get(key, (float("-inf"), []))
        if self._clock.now - at > TTL:
            rules = self._call(parent)
            self._cached[key] = (self._clock.now, rules)
        return rules

    def related(self, parent: Json, cache: Cache) -> Grouped:
        """Return the related objects of *parent* by kind; every rule's kind has a group. Raise InvalidResponse."""
        groups: Grouped = {}
        for rule in self.rules(parent):
            kind = self._kind(rule)
            if kind is None:
                raise InvalidResponse("a related kind is not served by the API server")
            self._check(kind, rule, parent)
            group = groups.setdefault(kind.group_key, {})
            for item in self._listed(kind, rule, parent, cache):
                if _is_of(kind, item) and _selects(kind, rule, item, cache):
                    # The API server returns an object in the version in which it is read.
                    group[qualified_name(item)] = {**item, "apiVersion": kind.api_version}
        return dict(sorted(groups.items()))

    def is_related(self, parent: Json, item: Json, cache: Cache) -> bool:
        """Tell whether *item* is related to *parent*."""
        return any(self._matches(kind, rule, parent, item, cache) for kind, rule in self._of_kind(parent, item))

    def _of_kind(self, parent: Json, item: Json) -> Iterator[tuple[Kind, RelatedRule]]:
        """Yield the rules of *parent* for the kind of *item*."""
        for rule in self.rules(parent):
            kind = self._kind(rule)
            if kind is not None and _is_of(kind, item):
                yield kind, rule

    def _matches(self, kind: Kind, rule: RelatedRule, parent: Json, item: Json, cache: Cache) -> bool:
        namespace = parent["metadata"].get("namespace")
        is_elsewhere = kind.namespaced and item["metadata"].get("namespace") != namespace
        if self._version == "v1" and namespace and (is_elsewhere or rule.get("namespace") not in (None, "", namespace)):
            return False
        return _selects(kind, rule, item, cache)

    def _listed(self, kind: Kind, rule: RelatedRule, parent: Json, cache: Cache) -> list[Json]:
        """Return the objects of *kind* in the namespaces that *rule* may select from."""
        namespace = rule.get("namespace") or None
        if self._version == "v1" and not rule.get("names"):
            namespace = namespace or parent["metadata"].get("namespace")
        return cache.all(kind.kind, namespace if kind.namespaced else None)

    def _check(self, kind: Kind, rule: RelatedRule, parent: Json) -> None:
        """Raise InvalidResponse for a *rule* that *parent* must not have."""
        by_namespaces = rule.get("namespaceSelector") is not None
        if by_namespaces and not kind.namespaced:
            raise InvalidResponse("namespaceSelector is only supported for namespaced related resources")
        namespace = parent["metadata"].get("namespace")
        if self._version != "v1" or not namespace or not kind.namespaced:
            return
        if by_namespaces:
            raise InvalidResponse("namespaceSelector is not supported for namespaced parent in v1 hook version")
        if rule.get("namespace") not in (None, "", namespace):
            raise InvalidResponse("requested related object namespace differs from parent object namespace")

    def _kind(self, rule: RelatedRule) -> Kind | None:
        return self._served.get((rule.get("apiVersion", ""), rule.get("resource", "")))


def _selects(kind: Kind, rule: RelatedRule, item: Json, cache: Cache) -> bool:
    """Tell whether *rule* selects *item* of *kind*: by namespace, and by name or labels."""
    metadata = item["metadata"]
    if kind.namespaced and rule.get("namespace") not in (None, "", metadata.get("namespace")):
        return False
    if rule.get("names"):
        return metadata["name"] in rule["names"]
    namespaces = rule.get("namespaceSelector")
    if isinstance(namespaces, dict) and not matches(namespaces, _labels_of(metadata["namespace"], cache)):
        return False
    return matches(rule.get("labelSelector") or {}, metadata.get("labels"))


def _labels_of(namespace: str, cache: Cache) -> dict[str, str]:
    """Return the labels of *namespace*; one without an object has that which every namespace has."""
    found = cache.get(Key(NAMESPACE, "", namespace))
    return {"kubernetes.io/metadata.name": namespace, **(labels(found) if found else {})}


def _is_of(kind: Kind, item: Json) -> bool:
    """Tell whether *item* is of the group and *kind*: an object is served in each version of its kind."""
    return item["kind"] == kind.kind and _group(item["apiVersion"]) == _group(kind.api_version)


def _group(api_version: str) -> str:
    """Return the group of *api_version*; it is empty for the core group."""
    return api_version.rpartition("/")[0]
