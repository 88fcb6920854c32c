"""The customize hook: the rules for the related objects of a parent, cached per generation.

Source: Metacontroller 4.17, pkg/controller/common/customize.
"""

from collections.abc import Callable, Iterable

from metahook.protocol.kind import Kind
from metahook.protocol.sender import selects
from metahook.protocol.wire import RelatedRule
from metahook.simulator.clock import Clock
from metahook.simulator.metacontroller.cache import Cache
from metahook.simulator.metacontroller.response import InvalidResponse
from metahook.simulator.objects import Json

Grouped = dict[str, dict[str, Json]]

TTL = 20 * 60
"""Seconds for which rules are cached."""


class Customize:
    """Rules by parent and generation; *call* calls the hook for those that are not cached."""

    def __init__(self, clock: Clock, call: Callable[[Json], list[RelatedRule]], served: Iterable[Kind]) -> None:
        self._clock = clock
        self._call = call
        self._served = {(kind.api_version, kind.plural): kind for kind in served}
        self._cached: dict[tuple[str, int], tuple[float, list[RelatedRule]]] = {}

    def forget(self) -> None:
        """Forget all rules, as when the process ends."""
        self._cached.clear()

    def rules(self, parent: Json) -> list[RelatedRule]:
        """Return the rules of *parent*; raise what the call of the hook raises."""
        key = (parent["metadata"]["uid"], parent["metadata"]["generation"])
        at, rules = self._cached.get(key, (float("-inf"), []))
        if self._clock.now - at > TTL:
            rules = self._call(parent)
            self._cached[key] = (self._clock.now, rules)
        return rules

    def related(self, parent: Json, cache: Cache) -> Grouped:
        """Return the related objects of *parent* by kind; every rule's kind has a group."""
        groups: Grouped = {}
        for rule in self.rules(parent):
            kind = self._kind(rule)
            if kind is None:
                raise InvalidResponse("a related kind is not served by the API server")
            group = groups.setdefault(kind.group_key, {})
            for item in cache.all(kind.kind):
                if _is_of(kind, item) and selects(rule, item):
                    # The API server returns an object in the version in which it is read.
                    served = {**item, "apiVersion": kind.api_version}
                    group[f"{item['metadata']['namespace']}/{item['metadata']['name']}"] = served
        return groups

    def is_related(self, parent: Json, item: Json) -> bool:
        """Tell whether *item* is related to *parent*."""
        rules = ((self._kind(rule), rule) for rule in self.rules(parent))
        return any(kind and _is_of(kind, item) and selects(rule, item) for kind, rule in rules)

    def _kind(self, rule: RelatedRule) -> Kind | None:
        return self._served.get((rule.get("apiVersion", ""), rule.get("resource", "")))


def _is_of(kind: Kind, item: Json) -> bool:
    """Tell whether *item* is of the group and *kind*: an object is served in each version of its kind."""
    return item["kind"] == kind.kind and _group(item["apiVersion"]) == _group(kind.api_version)


def _group(api_version: str) -> str:
    """Return the group of *api_version*; it is empty for the core group."""
    return api_version.rpartition("/")[0]
