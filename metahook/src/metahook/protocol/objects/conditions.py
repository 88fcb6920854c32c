"""Conditions: those of a status that a hook computes, and of objects that it observes.

Source: Kubernetes API conventions, and k8s.io/apimachinery, api/meta, SetStatusCondition.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, Literal, Protocol

from metahook.protocol.objects.object import Conditions, Metadata

ConditionStatus = Literal["True", "False", "Unknown"]


def set_condition(  # noqa: PLR0913 - the fields of a condition
    conditions: Iterable[Any],
    type: str,  # noqa: A002 - Kubernetes' name
    status: ConditionStatus,
    reason: str,
    message: str = "",
    *,
    now: datetime,
    generation: int,
) -> list[dict[str, Any]]:
    """Return *conditions*, such as ``request.parent.conditions``, with one that says this, in place of one of its type.

    Its lastTransitionTime is *now* only if its status is another one than before. *generation* is that of the parent
    for which it holds. *reason* is one word in CamelCase, *message* is for people.
    """
    objects = [each for each in conditions if isinstance(each, dict) and "type" in each]
    readable = [{name: value for name, value in each.items() if value is not None} for each in objects]
    before = next((each for each in readable if each["type"] == type), {})
    since = before.get("lastTransitionTime") if before.get("status") == status else None
    condition = {
        "type": type,
        "status": status,
        "observedGeneration": generation,
        "lastTransitionTime": since or now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "reason": reason,
        "message": message,
    }
    if not before:
        return [*readable, condition]
    return [condition if each is before else each for each in readable]


class _HasConditions(Protocol):
    @property
    def metadata(self) -> Metadata: ...
    @property
    def status(self) -> Conditions | None: ...


def ready(observed: _HasConditions | None, condition: str = "Ready") -> bool:
    """Tell whether the *condition* of an *observed* object is True, and is about the object's newest generation.

    The condition names that generation, or else the status; if neither does, the condition is taken as it is.
    False if there is no such object. Its struct has a ``status`` that is a subclass of :class:`metahook.Conditions`.
    """
    if observed is None or observed.status is None:
        return False
    found = observed.status.condition(condition)
    if found is None or found.status != "True":
        return False
    own, of_status = found.observed_generation, observed.status.observed_generation
    generation = of_status if own is None else own
    return generation is None or str(generation) == str(observed.metadata.generation)
