"""DependenciesReady: which dependencies of the spec are not met, and why. Ready depends on it until the first start."""

from operator import attrgetter

from msgspec.structs import replace

from app.core.desired.dependencies import State
from app.core.facts import Facts
from app.core.readiness import Decision
from app.core.reasons import listing
from app.core.status.condition_type import ConditionType, ParentCondition

TYPE = ConditionType(
    "DependenciesReady",
    "True if all dependencies in spec.dependencies are met. Present only if the spec has dependencies.",
    "If it is False, its message names the dependencies that are not met.",
    "people",
    is_about=attrgetter("has_dependencies"),
)

DEPENDENCIES_MET = TYPE.says("True", "DependenciesMet", "All dependencies are met.")
DEPENDENCIES_UNMET = TYPE.says("False", "DependenciesNotMet", "{dependencies}.")
DEPENDENCIES_UNKNOWN = TYPE.says("Unknown", "DependenciesNotYetSeen", "The dependencies have not been observed yet.")


def decide(facts: Facts, _: Decision) -> ParentCondition:
    """Return whether they are met."""
    unmet = facts.desired.unmet_dependencies
    if not unmet:
        return DEPENDENCIES_MET
    if all(dependency.state is State.UNKNOWN for dependency in unmet):
        return DEPENDENCIES_UNKNOWN
    return replace(DEPENDENCIES_UNMET, message=DEPENDENCIES_UNMET.message.format(dependencies=listing(unmet, "; ")))
