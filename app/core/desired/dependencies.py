"""What a MyResource waits for before it starts first: objects of others, and a condition of each.

What runs is never stopped: once there is a Deployment, or the MyResource was Ready, an object that is lost is reported
and nothing more.
"""

from collections import defaultdict
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar

import msgspec

from app.api.dependencies import ANY_STATE, Dependency
from app.api.spec import MyResourceSpec
from app.core.watch import Watch
from metahook import Absence, Condition, Object, RelatedRule, SyncRequest, try_read


class State(Enum):
    """The state of a dependency, in the words of the status."""

    MET = "is met"
    UNKNOWN = "has not been observed yet"
    MISSING = "does not exist"
    LEAVING = "is being deleted"
    UNMET = "exists, but its condition is not True"
    UNREADABLE = "exists, but can't be read"
    NOT_WATCHED = "is of a kind that the operator does not watch"


@dataclass(frozen=True)
class Unmet:
    """A *dependency* and its *state*, which is not MET."""

    dependency: Dependency
    state: State

    def __str__(self) -> str:
        """Return what is waited for, in the words of the status."""
        asked = self.dependency
        if self.state is State.UNMET:
            return f"{asked.resource} {asked.name} exists, but its condition {asked.condition} is not True"
        return f"{asked.resource} {asked.name} {self.state.value}"


class _Status(msgspec.Struct, frozen=True, rename="camel"):
    conditions: list[msgspec.Raw] = []
    observed_generation: msgspec.Raw = msgspec.Raw(b"null")


class _Any(Object, frozen=True):
    """An object of any kind; its status is whatever its owner writes."""

    RESOURCE: ClassVar[str] = ""

    status: msgspec.Raw = msgspec.Raw(b"null")

    def is_true(self, condition: str) -> bool:
        """Tell whether *condition* is True, and about the object as it is now."""
        status, generation = try_read(self.status, _Status) or _Status(), self.metadata.generation
        found = (try_read(raw, Condition) for raw in status.conditions)
        seen = next((each for each in found if each and each.type == condition), None)
        if seen is None or seen.status != "True":
            return False
        said = (seen.observed_generation, try_read(status.observed_generation, int))
        about = next((each for each in said if each is not None), generation)
        return generation is None or about == generation


def rules(namespace: str, spec: MyResourceSpec, watch: Watch) -> list[RelatedRule]:
    """Return the related rules for the dependencies of *spec*: one for each watched kind, by name."""
    names: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for asked in spec.dependencies or []:
        if watch.dependency_kind(asked.api_version, asked.resource):
            names[asked.api_version, asked.resource].add(asked.name)
    return [
        {"apiVersion": api_version, "resource": resource, "namespace": namespace, "names": sorted(found)}
        for (api_version, resource), found in sorted(names.items())
    ]


def waiting(request: SyncRequest, spec: MyResourceSpec, watch: Watch) -> list[Unmet]:
    """Return the dependencies of *spec* that are not met, in the order of the spec."""
    found = [Unmet(asked, _state(asked, request, watch)) for asked in spec.dependencies or []]
    return [each for each in found if each.state is not State.MET]


def _state(asked: Dependency, request: SyncRequest, watch: Watch) -> State:
    kind = watch.dependency_kind(asked.api_version, asked.resource)
    if kind is None:
        return State.NOT_WATCHED
    seen = request.related.get(_Any, asked.name, kind.group_key)
    if isinstance(seen, Absence):
        return _ABSENT[seen]
    if seen.metadata.deletion_timestamp:
        return State.LEAVING
    return State.MET if asked.condition == ANY_STATE or seen.is_true(asked.condition) else State.UNMET


_ABSENT = {
    Absence.NOT_SELECTED: State.UNKNOWN,
    Absence.MISSING: State.MISSING,
    Absence.UNREADABLE: State.UNREADABLE,
}
