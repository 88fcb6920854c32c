"""The customize hook: which related objects a parent's sync needs. Its answers are cached per generation.

Source: Metacontroller 4.17, pkg/controller/common/customize.
"""

from collections.abc import Callable, Iterable

from metahook.protocol import Kind, RelatedRule
from metahook.protocol.sender import selects
from metahook.simulator.clock import Clock
from metahook.simulator.metacontroller.answer import BadAnswer
from metahook.simulator.metacontroller.cache import Cache
from metahook.simulator.objects import Json

Grouped = dict[str, dict[str, Json]]

TTL = 20 * 60
"""Seconds for which rules are remembered."""


class Customize:
    """Rules by parent and generation; *ask* calls the hook for those that are not known."""

    def __init__(self, clock: Clock, ask: Callable[[Json], list[RelatedRule]], served: Iterable[Kind]) -> None:
        self._clock = clock
        self._ask = ask
        self._served = {(kind.api_version, kind.plural): kind for kind in served}
        self._known: dict[tuple[str, int], tuple[float, list[RelatedRule]]] = {}

    def forget(self) -> None:
        """Forget all rules, as a process that ends."""
        self._known.clear()

    def rules(self, parent: Json) -> list[RelatedRule]:
        """Return the rules of *parent*; raise what asking raises."""
        key = (parent["metadata"]["uid"], parent["metadata"]["generation"])
        at, rules = self._known.get(key, (float("-inf"), []))
        if self._clock.now - at > TTL:
            rules = self._ask(parent)
            self._known[key] = (self._clock.now, rules)
        return rules

    def related(self, parent: Json, cache: Cache) -> Grouped:
        """Return the related objects of *parent* by kind; every rule's kind has a group."""
        groups: Grouped = {}
        for rule in self.rules(parent):
            kind = self._kind(rule)
            group = groups.setdefault(kind.group_key, {})
            for item in cache.all(kind.kind):
                if selects(rule, item):
                    group[f"{item['metadata']['namespace']}/{item['metadata']['name']}"] = item
        return groups

    def concerns(self, parent: Json, item: Json) -> bool:
        """Tell whether *item* is related to *parent*."""
        kinds = {kind.kind: (kind.api_version, kind.plural) for kind in self._served.values()}
        wanted = kinds.get(item["kind"])
        return any(
            (rule.get("apiVersion"), rule.get("resource")) == wanted and selects(rule, item)
            for rule in self.rules(parent)
        )

    def _kind(self, rule: RelatedRule) -> Kind:
        kind = self._served.get((rule.get("apiVersion", ""), rule.get("resource", "")))
        if kind is None:
            raise BadAnswer("a related kind is not served by the API server")
        return kind
