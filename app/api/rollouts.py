"""When Pods are replaced, how, and what the first of them wait for."""

from typing import Annotated, Literal

from pydantic import Field

from app.api.model import IntOrString, ListMap, Model, Omitted, Rule
from app.api.names import API_VERSION, PLURAL
from app.api.scalars import ObjectName

Surge = Annotated[
    int | str,
    IntOrString(
        "must be a number of Pods or a percentage such as 25%",
        minimum=0,
        maximum=2**31 - 1,
        pattern="^(0|[1-9][0-9]{0,3})%$",
        max_length=5,
    ),
]
Unavailable = Annotated[
    int | str,
    IntOrString(
        "must be a number of Pods or a percentage from 0% to 100%",
        minimum=0,
        maximum=2**31 - 1,
        pattern="^([0-9]|[1-9][0-9]|100)%$",
        max_length=4,
    ),
]
_NOTHING = (0, "0%")


class RollingUpdate(Model):
    """How many Pods a rolling update adds and removes at a time."""

    max_surge: Surge | None = None
    """Pods that may exist in addition to spec.replicas. Number or percentage; default 25%."""
    max_unavailable: Unavailable | None = None
    """Pods that may be unavailable. Number or percentage; default 25%."""

    rules = (
        Rule(
            "maxSurge and maxUnavailable must not both be 0: no Pod could be replaced",
            lambda update: not (update.max_surge in _NOTHING and update.max_unavailable in _NOTHING),
            cel="!has(self.maxSurge) || !has(self.maxUnavailable) || "
            "!((self.maxSurge == 0 || self.maxSurge == '0%') "
            "&& (self.maxUnavailable == 0 || self.maxUnavailable == '0%'))",
        ),
    )


class Strategy(Model):
    """How Pods are replaced when the Pod template changes."""

    type: Literal["RollingUpdate", "Recreate"] | None = None
    """RollingUpdate (default) replaces Pods step by step; Recreate stops all Pods before new ones start."""
    rolling_update: RollingUpdate | None = None
    """The size of the steps; only with type RollingUpdate."""

    rules = (
        Rule(
            "type must be RollingUpdate when rollingUpdate is set",
            lambda strategy: strategy.type != "Recreate" or strategy.rolling_update is None,
            cel="!has(self.type) || self.type == 'RollingUpdate' || !has(self.rollingUpdate)",
        ),
    )


class Rollback(Model):
    """What happens when a rollout has failed."""

    mode: Literal["Disabled", "LastReady"] = "Disabled"
    """Disabled (default), or LastReady: after progressDeadlineSeconds, the operator restores the last Ready image."""


Deadline = Annotated[int, Field(ge=1, le=86400)]
"""Seconds; the default of Kubernetes for a rollout is 600."""

DEFAULT_DEADLINE = 600


_GROUP = "([a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"

ANY_STATE = "Exists"
"""The condition that every existing object meets."""


class ConfigReload(Model):
    """What happens when a ConfigMap or Secret that the application uses changes."""

    mode: Literal["Auto", "Disabled"] = "Auto"
    """Auto (default) replaces the Pods when the value of a used key changes. Disabled never does."""


class Dependency(Model):
    """An object in the same namespace that must be ready before the application starts for the first time."""

    api_version: Annotated[str, Field(pattern=f"^{_GROUP}v[a-z0-9]+$", max_length=253)]
    """API group and version, such as example.com/v1."""
    resource: Annotated[str, Field(pattern="^[a-z]([-a-z0-9]*[a-z0-9])?$", max_length=63)]
    """Plural name of the kind in lowercase, such as mybackups. The operator must be set up to watch this kind."""
    name: ObjectName
    """Name of the object."""
    condition: Annotated[str, Field(pattern="^[A-Za-z]([-A-Za-z0-9_./]*[A-Za-z0-9])?$", max_length=316)] = "Ready"
    """Condition in its status that must be True; default Ready. With Exists, the object only has to exist."""


Dependencies = Annotated[
    list[Dependency],
    Field(max_length=16),
    ListMap(("apiVersion", "resource", "name")),
    Omitted,
]


def _is_another(named: "tuple[str, list[Dependency] | None]") -> bool:
    own, dependencies = named
    itself = (API_VERSION, PLURAL, own)
    return all((item.api_version, item.resource, item.name) != itself for item in dependencies or [])


NOT_ITSELF = Rule(
    "dependencies must not name the MyResource itself: it would never start",
    _is_another,
    cel="!has(self.spec.dependencies) || self.spec.dependencies.all(d, "
    f"d.apiVersion != '{API_VERSION}' || d.resource != '{PLURAL}' || d.name != self.metadata.name)",
)
"""Of a MyResource's name and its dependencies. The only rule that needs both, so it stands on the CRD's root."""
