"""How Pods are replaced."""

from typing import Annotated, Literal

from pydantic import Field

from app.api.values.model import IntOrString, Model, Rule

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
