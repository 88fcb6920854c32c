"""Rolling updates: one child after another moves to the newest revision of its parent.

Two things are as in the real Metacontroller. The children of a namespaced parent stall after the first one, because it
looks them up by name, while they are kept by namespace and name. And a status without fields crashes the process.

Source: Metacontroller 4.17, pkg/controller/composite/rolling_update.go; the steps have the same order.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from metahook.protocol.kind import Kind
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.metacontroller.dynamic_apply import merged_child
from metahook.simulator.metacontroller.response import Crash, Response
from metahook.simulator.metacontroller.settings import Settings
from metahook.simulator.metacontroller.update_methods import UpdateStrategy
from metahook.simulator.objects import Json, copy_json, to_json

CONDITION = "Updated"
"""The type of the condition that Metacontroller adds to the status of the parent."""

Identity = tuple[str, str, str]
"""Group, kind and name of a child."""


@dataclass
class Revision:
    """A state of a parent, the ControllerRevision that keeps it, and the response for it."""

    parent: Json
    item: Json
    response: Response = field(default_factory=Response)
    desired: dict[Identity, Json] = field(default_factory=dict)

    @property
    def children(self) -> list[Json]:
        """The children that are at this revision, by kind: ``apiGroup``, ``kind`` and ``names``."""
        found: list[Json] = self.item.setdefault("children", [])
        return found

    def claims(self) -> Iterator[Identity]:
        """Yield the children that are at this revision."""
        for group in self.children:
            for name in group["names"]:
                yield group["apiGroup"], group["kind"], name

    def add(self, child: Identity) -> None:
        """Move *child* to this revision."""
        group = self._group(child)
        if group is None:
            group = {"apiGroup": child[0], "kind": child[1], "names": []}
            self.children.append(group)
        if child[2] not in group["names"]:
            group["names"].append(child[2])

    def remove(self, child: Identity) -> None:
        """Move *child* away from this revision."""
        group = self._group(child)
        if group is not None and child[2] in group["names"]:
            group["names"].remove(child[2])

    def _group(self, child: Identity) -> Json | None:
        return next((each for each in self.children if (each["apiGroup"], each["kind"]) == child[:2]), None)


def roll(revisions: list[Revision], observed: Mapping[Identity, Json], settings: Settings) -> Json:
    """Move at most one child to the first of *revisions*, which is the newest; return the status of the parent.

    Raise Crash for a response without a status.
    """
    latest = revisions[0]
    claimed = _claims(revisions, settings)
    for child, desired in latest.desired.items():
        if not _strategy(child, settings).is_rolling:
            continue
        owner = claimed.setdefault(child, latest)
        if owner is latest:
            latest.add(child)
        elif _is_updated(observed.get(child), desired):
            latest.add(child)
            owner.remove(child)
            claimed[child] = latest
    for item in latest.response.children:
        child = (str(item.get("apiVersion", "")).rpartition("/")[0], item["kind"], item["metadata"].get("name", ""))
        if _strategy(child, settings).is_rolling and claimed.get(child) is not latest:
            why = _not_ready(latest, observed, settings)
            if why is not None:
                return _with_condition(latest, "False", "RolloutWaiting", why)
            latest.add(child)
            for other in revisions[1:]:
                other.remove(child)
            return _with_condition(latest, "False", "RolloutProgressing", f"updating {child[1]} {child[2]}")
    name = latest.item["metadata"]["name"]
    return _with_condition(latest, "True", "OnLatestRevision", f"latest ControllerRevision: {name}")


def _claims(revisions: list[Revision], settings: Settings) -> dict[Identity, Revision]:
    """Return the revision of each child, and forget the kinds that no longer have children."""
    latest, claimed = revisions[0], dict[Identity, Revision]()
    for revision in revisions:
        kept = []
        for group in revision.children:
            children = [(group["apiGroup"], group["kind"], name) for name in group["names"]]
            own = [child for child in children if child in latest.desired and child not in claimed]
            if own and _strategy(own[0], settings).is_rolling:
                claimed |= dict.fromkeys(own, revision)
                kept.append(group)
        revision.item["children"] = kept
    return claimed


def _not_ready(latest: Revision, observed: Mapping[Identity, Json], settings: Settings) -> str | None:
    """Return why no further child may move, or None: each child of *latest* must be updated and healthy."""
    for child in latest.claims():
        strategy, what = _strategy(child, settings), f"child {child[1]} {child[2]}"
        if not strategy.is_rolling:
            continue
        item = observed.get(child)
        if item is None:
            return f"missing {what}"
        if not _is_updated(item, latest.desired.get(child, {})):
            return f"{what} is not updated yet"
        seen = (item.get("status") or {}).get("observedGeneration") or 0
        if strategy.method == "RollingInPlace" and 0 < seen < item["metadata"].get("generation", 0):
            return f"{what} with RollingInPlace update strategy hasn't observed latest spec"
        failed = _failed_check(strategy, item)
        if failed is not None:
            return f"{what} failed status check: {failed}"
    return None


def _failed_check(strategy: UpdateStrategy, item: Json) -> str | None:
    """Return the condition of *item* that is not as *strategy* wants it, or None."""
    conditions = (item.get("status") or {}).get("conditions") or []
    for check in strategy.conditions:
        found = next((each for each in conditions if each.get("type") == check["type"]), None)
        if found is None:
            return f'required condition type missing: "{check["type"]}"'
        for name in ("status", "reason"):
            if check.get(name) is not None and found.get(name, "") != check[name]:
                return f'"{check["type"]}" condition {name} is "{found.get(name, "")}" (want "{check[name]}")'
    return None


def _is_updated(observed: Json | None, desired: Json) -> bool:
    """Tell whether an update to *desired* would change nothing."""
    try:
        return observed is not None and to_json(merged_child(observed, desired)) == to_json(observed)
    except ApiError:
        return False


def _with_condition(latest: Revision, status: str, reason: str, message: str) -> Json:
    """Return the status in the response of *latest* with a condition; one that is there already stays as it is."""
    if latest.response.status is None:
        raise Crash("a response without a status: assignment to entry in nil map")
    found: Json = copy_json(latest.response.status)
    conditions = found.get("conditions") or []
    if not any(each.get("type") == CONDITION for each in conditions):
        new = {"type": CONDITION, "status": status, "reason": reason, "message": message}
        found["conditions"] = [*conditions, new]
    return found


def _strategy(child: Identity, settings: Settings) -> UpdateStrategy:
    return settings.update_strategy(Kind(f"{child[0]}/v1" if child[0] else "v1", child[1], ""))
