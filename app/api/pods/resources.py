"""Resources: what a container requests from its node, and its limits."""

from typing import Annotated

from pydantic import AfterValidator, Field

from app.api.values.model import Model, Omitted, Rule
from app.api.values.quantity import (
    MINIMUM_MESSAGE,
    Amount,
    bytes_cel,
    canonical,
    is_bytes,
    is_enough_memory,
    memory_limit_cel,
    milli,
)
from app.api.values.scalar import KEY, MAX_KEY, matches

_NATIVE = ("cpu", "memory", "ephemeral-storage")
_IN_BYTES = ("memory", "ephemeral-storage")
_NOT_EXTENDED = "(.*[.])?kubernetes[.]io/.*|requests[.].*|[^/]{245,}/.*"


def _is_resource(key: str) -> bool:
    extended = "/" in key and len(key) <= MAX_KEY and matches(KEY, key) and not matches(_NOT_EXTENDED, key)
    return key in _NATIVE or extended


NAMES = Rule(
    "each key must be cpu, memory, ephemeral-storage or an extended resource such as nvidia.com/gpu",
    lambda amounts: all(map(_is_resource, amounts)),
    cel=f"self.all(k, k in {list(_NATIVE)!r} || k.contains('/') && k.size() <= {MAX_KEY} "
    f"&& k.matches('^{KEY}$') && !k.matches('^({_NOT_EXTENDED})$'))",
)
BYTES = Rule(
    "memory and ephemeral-storage must be a whole number of bytes above 0, such as 128Mi",
    lambda amounts: all(is_bytes(str(amounts[key])) for key in _IN_BYTES if key in amounts),
    cel=f"{list(_IN_BYTES)!r}.all(k, !(k in self) || {bytes_cel('self[k]')})",
)
WHOLE_DEVICES = Rule(
    "an extended resource must be a whole number",
    lambda amounts: all(matches("[0-9]+", str(amounts[key])) for key in amounts if "/" in key),
    cel="self.all(k, !k.contains('/') || string(self[k]).matches('^[0-9]+$'))",
)

ENOUGH_MEMORY = Rule(
    f"memory {MINIMUM_MESSAGE}",
    lambda limits: "memory" not in limits or is_enough_memory(limits["memory"]),
    cel="!('memory' in self) || " + memory_limit_cel("self['memory']"),
    judges="new values",
)
"""Of limits alone: a container starts whatever it requests."""

_Amounts = Annotated[
    dict[str, Amount],
    Field(max_length=16),
    NAMES,
    BYTES,
    WHOLE_DEVICES,
    AfterValidator(lambda amounts: {name: canonical(amount) for name, amount in amounts.items()}),
]
Requests = Annotated[_Amounts, Omitted]
Limits = Annotated[_Amounts, ENOUGH_MEMORY, Omitted]


def _covered(resources: "Resources") -> bool:
    limits = resources.limits or {}
    return all(milli(amount) <= milli(limits.get(key, amount)) for key, amount in (resources.requests or {}).items())


def _devices_equal(resources: "Resources") -> bool:
    limits = resources.limits or {}
    devices = {key: amount for key, amount in (resources.requests or {}).items() if "/" in key}
    return all(key in limits and milli(limits[key]) == milli(amount) for key, amount in devices.items())


class Resources(Model):
    """Requests and limits of cpu, memory, ephemeral-storage and extended resources such as nvidia.com/gpu."""

    requests: Requests | None = None
    """Resources that are reserved for the container on its node. Quantities by resource."""
    limits: Limits | None = None
    """Resources that the container must not exceed. Quantities by resource."""

    rules = (
        Rule(
            "a request must not exceed the limit of the same resource",
            _covered,
            cel="!has(self.requests) || !has(self.limits) || self.requests.all(k, !(k in self.limits) "
            "|| !isQuantity(string(self.requests[k])) || !isQuantity(string(self.limits[k])) "
            "|| quantity(string(self.requests[k])).compareTo(quantity(string(self.limits[k]))) <= 0)",
        ),
        Rule(
            "an extended resource must have a limit that equals its request",
            _devices_equal,
            cel="!has(self.requests) || self.requests.all(k, !k.contains('/') || has(self.limits) "
            "&& k in self.limits && (!isQuantity(string(self.requests[k])) || !isQuantity(string(self.limits[k])) "
            "|| quantity(string(self.requests[k])).compareTo(quantity(string(self.limits[k]))) == 0))",
        ),
    )
