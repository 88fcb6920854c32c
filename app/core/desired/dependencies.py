"""Dependencies: objects of other operators, and a condition of each, that the first start waits for.

Nothing that runs is stopped: once the Deployment exists, or the MyResource was Ready, a lost dependency is only
reported.
"""

from collections import defaultdict
from enum import Enum

import msgspec

from app.api.rollouts import ANY_STATE, Dependency
from app.api.spec import MyResourceSpec
from app.core.watch import Watch
from metahook import Absence, Condition, Object, RelatedRule, SyncRequest, try_read, try_read_list


class State(Enum):
    """The state of a dependency, in the words of the status."""

    MET = "is met"
    UNKNOWN = "has not been observed yet"
    MISSING = "does not exist"
    TERMINATING = "is being deleted"
    UNMET = "exists, but its condition is not True"
    UNREADABLE = "exists, but can't be read"
    NOT_WATCHED = "is of a kind that the operator does not watch"


class Unmet(msgspec.Struct, frozen=True):
    """A *dependency* and its *state*, which is not MET."""

    dependency: Dependency
    state: State

    def __str__(self) -> str:
        """Return what is waited for, in the words of the status."""
        who, condition = f"{self.dependency.resource}/{self.dependency.name}", self.dependency.condition
        if self.state is State.UNMET:
            return f"{who} exists, but its condition {condition} is not True"
        return f"{who} {self.state.value}"


class _Status(msgspec.Struct, frozen=True, rename="camel"):
    conditions: msgspec.Raw = msgspec.Raw(b"[]")
    observed_generation: msgspec.Raw = msgspec.Raw(b"null")


class _Any(Object, frozen=True):
    """An object of any kind; its status may have any form."""

    status: msgspec.Raw = msgspec.Raw(b"null")

    def is_true(self, condition: str) -> bool:
        """Tell whether *condition* is True, and about the object as it is now."""
        status, generation = try_read(self.status, _Status) or _Status(), self.metadata.generation
        conditions = try_read_list(status.conditions, Condition)
        observed = next((other for other in conditions if other.type == condition), None)
        if observed is None or observed.status != "True":
            return False
        observed_generation = observed.observed_generation
        if observed_generation is None:
            observed_generation = try_read(status.observed_generation, int)
        return generation is None or observed_generation in (None, generation)


def related_rules(namespace: str, spec: MyResourceSpec, watch: Watch) -> list[RelatedRule]:
    """Return the related rules for the dependencies of *spec*: one for each watched kind, by name."""
    names: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for dependency in spec.dependencies or []:
        if watch.dependency_kind(dependency.api_version, dependency.resource):
            names[dependency.api_version, dependency.resource].add(dependency.name)
    return [
        {"apiVersion": api_version, "resource": resource, "namespace": namespace, "names": sorted(group)}
        for (api_version, resource), group in sorted(names.items())
    ]


def unmet_dependencies(request: SyncRequest, spec: MyResourceSpec, watch: Watch) -> list[Unmet]:
    """Return the dependencies of *spec* that are not met, in the order of the spec."""
    states = [(dependency, _state(dependency, request, watch)) for dependency in spec.dependencies or []]
    return [Unmet(dependency, state) for dependency, state in states if state is not State.MET]


def _state(dependency: Dependency, request: SyncRequest, watch: Watch) -> State:
    kind = watch.dependency_kind(dependency.api_version, dependency.resource)
    if kind is None:
        return State.NOT_WATCHED
    observed = request.related.get(_Any, dependency.name, kind.group_key)
    if isinstance(observed, Absence):
        return _ABSENT[observed]
    if observed.metadata.deletion_timestamp:
        return State.TERMINATING
    is_met = dependency.condition == ANY_STATE or observed.is_true(dependency.condition)
    return State.MET if is_met else State.UNMET


_ABSENT = {
    Absence.NOT_SELECTED: State.UNKNOWN,
    Absence.MISSING: State.MISSING,
    Absence.UNREADABLE: State.UNREADABLE,
}
