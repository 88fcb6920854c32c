"""Quantities in the form that the API server stores, and the requests and limits of a container.

Kubernetes parses ``1024Mi`` and stores ``1Gi``. A hook that returns ``1024Mi`` again makes Metacontroller
write at every sync, so a quantity becomes canonical when it is parsed.
Source: k8s.io/apimachinery/pkg/api/resource, ``Quantity.CanonicalizeBytes``.
"""

import re
from typing import Annotated

from pydantic import AfterValidator, Field

from app.api.model import IntOrString, Model, Omitted, Rule
from app.api.scalars import KEY, MAX_KEY, matches

_PARTS = re.compile(r"([0-9]+)(?:[.]([0-9]+))?(m|k|M|G|T|P|[KMGTP]i)?")
_DECIMAL = {"m": 1, "": 10**3, "k": 10**6, "M": 10**9, "G": 10**12, "T": 10**15, "P": 10**18}
_BINARY = {"Ki": 1000 << 10, "Mi": 1000 << 20, "Gi": 1000 << 30, "Ti": 1000 << 40, "Pi": 1000 << 50}


def milli(quantity: int | str) -> int:
    """Return *quantity* in thousandths, exactly: ``milli("1.5k") == 1_500_000``."""
    parts = _PARTS.fullmatch(str(quantity))
    if parts is None:
        message = "not a quantity"
        raise ValueError(message)
    whole, fraction, suffix = parts[1], parts[2] or "", parts[3] or ""
    scale = (_DECIMAL | _BINARY)[suffix]
    return int(whole + fraction) * scale // int("1" + "0" * len(fraction))


def canonical(quantity: int | str) -> str:
    """Return *quantity* as the API server stores it: with the largest suffix that gives a whole number."""
    amount = milli(quantity)
    binary = str(quantity).endswith("i") and amount % _BINARY["Ki"] == 0
    units = {"": 1000, **_BINARY} if binary else _DECIMAL
    size, suffix = max((size, suffix) for suffix, size in units.items() if amount % size == 0)
    return f"{amount // size}{suffix}" if amount else "0"


SYNTAX = "[0-9]{1,15}m?|[0-9]{1,6}([.][0-9]{1,3})?(k|M|G|T|Ki|Mi|Gi|Ti)?"
_MESSAGE = "must be a quantity: CPU such as 500m or 2, other resources such as 128Mi or 1.5Gi"

BYTES_SYNTAX = (
    "[0-9]{1,15}|[0-9]{1,6}([.][0-9]{1,3})?(k|M|G|T)"
    "|[0-9]{1,6}([.](0{1,3}|50{0,2}|(2|7)50?|125|375|625|875))?(Ki|Mi|Gi|Ti)"
)
"""Whole bytes. (CEL's ``isInteger`` calls ``1.5Gi`` no integer.)"""
NO_BYTES = "[0.]+[a-zA-Z]*"
BYTES_MESSAGE = "must be a whole number of bytes above 0, such as 128Mi or 1.5Gi"

MINIMUM_MEMORY = "6Mi"
"""The smallest memory limit. With less, the container runtime is killed while it starts the container."""
MINIMUM_MESSAGE = (
    f"must be at least {MINIMUM_MEMORY}: a container does not start with less; "
    "a number without a unit is in bytes: write 100Mi, not 100"
)

Amount = Annotated[
    int | str,
    IntOrString(_MESSAGE, minimum=0, maximum=10**15 - 1),
    Rule(_MESSAGE, lambda amount: matches(SYNTAX, str(amount)), cel=f"string(self).matches('^({SYNTAX})$')"),
]
"""An amount of a resource as the user wrote it."""

Quantity = Annotated[Amount, AfterValidator(canonical)]
"""An amount of a resource; canonical once read."""


def is_bytes(amount: str) -> bool:
    """Tell whether *amount* is a whole number of bytes above 0."""
    return matches(BYTES_SYNTAX, amount) and not matches(NO_BYTES, amount)


def bytes_cel(value: str) -> str:
    """Return the CEL of :func:`is_bytes` for *value*."""
    return f"string({value}).matches('^({BYTES_SYNTAX})$') && !string({value}).matches('^{NO_BYTES}$')"


def memory_limit_cel(value: str) -> str:
    """Return the CEL that tells whether *value* is at least the smallest memory limit.

    A value that is not in bytes passes: another rule refuses it, and one message is enough.
    """
    enough = f"quantity(string({value})).compareTo(quantity('{MINIMUM_MEMORY}')) >= 0"
    return f"!({bytes_cel(value)}) || {enough}"


def is_enough_memory(limit: int | str) -> bool:
    return milli(limit) >= milli(MINIMUM_MEMORY)


Bytes = Annotated[
    int | str,
    IntOrString(BYTES_MESSAGE, minimum=1, maximum=10**15 - 1),
    Rule(BYTES_MESSAGE, lambda amount: is_bytes(str(amount)), cel=bytes_cel("self")),
    AfterValidator(canonical),
]
"""An amount of memory or storage; canonical once read."""

MemoryLimit = Annotated[
    Bytes,
    Rule(MINIMUM_MESSAGE, is_enough_memory, cel=memory_limit_cel("self"), judges="new values"),
]
"""A memory limit; canonical once read."""


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
