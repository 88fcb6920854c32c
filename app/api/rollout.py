"""How a new version replaces the old one."""

from typing import Annotated, Literal

from pydantic import Field

from app.api.model import IntOrString, Model, Rule

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
    """How many Pods may be too many, or too few, while they are replaced."""

    max_surge: Surge | None = None
    """Pods above spec.replicas. Number or percentage; Kubernetes takes 25% when it is absent."""
    max_unavailable: Unavailable | None = None
    """Pods that may be missing. Number or percentage; Kubernetes takes 25% when it is absent."""

    rules = (
        Rule(
            "maxSurge and maxUnavailable must not both be 0: no Pod could ever be replaced",
            lambda update: not (update.max_surge in _NOTHING and update.max_unavailable in _NOTHING),
            cel="!has(self.maxSurge) || !has(self.maxUnavailable) || "
            "!((self.maxSurge == 0 || self.maxSurge == '0%') "
            "&& (self.maxUnavailable == 0 || self.maxUnavailable == '0%'))",
        ),
    )


class Strategy(Model):
    """Replace Pods step by step, or stop all before the new ones start."""

    type: Literal["RollingUpdate", "Recreate"] | None = None
    """RollingUpdate (which Kubernetes takes when it is absent) or Recreate."""
    rolling_update: RollingUpdate | None = None
    """The steps of a RollingUpdate."""

    rules = (
        Rule(
            "rollingUpdate needs type RollingUpdate",
            lambda strategy: strategy.type != "Recreate" or strategy.rolling_update is None,
            cel="!has(self.type) || self.type == 'RollingUpdate' || !has(self.rollingUpdate)",
        ),
    )


Deadline = Annotated[int, Field(ge=1, le=86400)]
"""Seconds; Kubernetes takes 600 for a rollout when it is absent."""

DEFAULT_DEADLINE = 600
